// Tests who the setting READERS admits.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { words } from '../../../tests/words.ts'
import { type Identity, isReader, parseReaders } from './readers.ts'

const admits = (readers: string, identity: Identity) => isReader(identity, parseReaders(readers).value!)

describe('READERS', () => {
  test.each<[string, string, Identity]>([
    ['a GitHub login', 'github:Octocat', { login: 'octocat' }],
    ['a GitHub login, whatever its case', 'github:octocat', { login: 'OctoCat' }],
    ['a member of an organisation', 'github-org:acme', { login: 'jo', githubOrgs: ['other', 'Acme'] }],
    ['an address', 'email:jo@acme.example', { emails: ['jo@ACME.example'], issuer: 'https://id.example' }],
    ['a domain', 'email:*@acme.example', { emails: ['x@y.example', 'jo@acme.example'] }],
    ['a subject', 'oidc:00u1Ab:c', { subject: '00u1Ab:c', issuer: 'https://id.example' }],
    ['one of several entries', ' github-org:acme , , github: jo,', { login: 'jo' }],
  ])('admits %s', (_, readers, identity) => expect(admits(readers, identity)).toBe(true))

  test.each<[string, string, Identity]>([
    ['nobody by default', '', { login: 'jo', emails: ['jo@acme.example'], subject: 's', issuer: 'https://id.example' }],
    ['another login', 'github:jo', { login: 'joe' }],
    ['a login that another provider reports', 'github:jo', { login: 'jo', issuer: 'https://id.example' }],
    ['an organisation that another provider reports', 'github-org:acme', { githubOrgs: ['acme'], issuer: 'https://i' }],
    ['a login that has the name of an organisation', 'github-org:acme', { login: 'acme' }],
    ['a subdomain', 'email:*@acme.example', { emails: ['jo@sub.acme.example'] }],
    ['a longer domain', 'email:*@acme.example', { emails: ['jo@acme.example.evil.example', 'jo@evilacme.example'] }],
    ['two @', 'email:*@acme.example', { emails: ['jo@evil.example@acme.example'] }],
    ['a letter that is a k in lower case', 'email:*@k.example', { emails: ['jo@\u212a.example'] }],
    ['a subject in other case', 'oidc:Abc', { subject: 'abc', issuer: 'https://id.example' }],
    ['a subject without a provider', 'oidc:1', { subject: '1' }],
    ['somebody about whom nothing is known', 'github:jo, github-org:acme, email:*@a.b, oidc:1', {}],
  ])('does not admit %s', (_, readers, identity) => expect(admits(readers, identity)).toBe(false))

  test.each([
    ...words`
      jo github: github-org:-a gitlab:jo email:* email:acme.example email:j*@a.b oidc: oidc:* toString:a *
    `,
    ...['github:a b', `github:a${',github:a'.repeat(1_000)}`],
  ])('refuses %.30s', (text) => {
    const { value, problems } = parseReaders(text)
    expect(value).toBeUndefined()
    expect(problems).toEqual([{ key: 'READERS', message: expect.stringContaining('github-org:acme') }])
  })

  test('a domain admits exactly the addresses with that domain', () => {
    const part = fc.stringMatching(/^[a-z0-9.@*:,-]{1,12}$/)
    fc.assert(
      fc.property(part, part, (name, domain) => {
        const isOurs = !name.includes('@') && domain === 'acme.example'
        expect(admits('email:*@acme.example', { emails: [`${name}@${domain}`] })).toBe(isOurs)
        expect(admits('email:*@acme.example', { emails: [`${name}@acme.example`] })).toBe(!name.includes('@'))
      }),
    )
  })
})
