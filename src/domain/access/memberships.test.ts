// Tests who is a member of an owner, by login or by numeric GitHub ID. A login that consists of digits is not an ID.
import { describe, expect, test } from 'vitest'
import { listMemberships } from '../../catalogue/owners.ts'
import { parseOwnerFile } from '../content/prompt-file.ts'
import { isMember, mayActFor, membershipsPath } from './memberships.ts'
import type { Person } from './person.ts'

const file = parseOwnerFile('---\nmembers: [octocat, 583231, "77"]\n---\n').value!

//  who                                     login       user ID          member
test.each([
  ['the login', 'octocat', '1', true],
  ['the user ID, whatever the login is now', 'renamed', '583231', true],
  ['a login that looks like the user ID', '583231', '1', false],
  ['a login of digits, written as a string', '77', '1', true],
  ['a user ID that looks like that login', 'anybody', '77', false],
  ['a user who signed in without GitHub', 'stranger', 'local-583231', false],
  ['the login in local mode', 'octocat', 'local-octocat', true],
  ['the login of an invitation', 'octocat', `invited-${'a'.repeat(32)}`, true],
  ['an account of a provider whose login looks like the GitHub login', 'octocat', `oidc-${'a'.repeat(32)}`, false],
])('%s', (_, login, user_id, expected) => expect(isMember({ login, user_id }, file)).toBe(expected))

test('lists the owners that each account may act for: its own handle only if that owner has no members', () => {
  const read = (front: string) => parseOwnerFile(`---\n${front}---\n`).value!
  const owners = new Map([
    ['acme', file],
    ['octocat', read('name: Octocat\n')],
    ['alice', read('members: [bob, 9]\n')],
    ['carol', read('members: [carol]\n')],
    ['new', read('members: [dora]\n')],
  ])
  const listed = listMemberships({ owners })
  expect(Object.fromEntries([...listed].map(([member, names]) => [membershipsPath(member), names]))).toEqual({
    '/data/accounts/octocat.json': ['acme', 'octocat'],
    '/data/accounts/ids/583231.json': ['acme'],
    '/data/accounts/77.json': ['77', 'acme'],
    '/data/accounts/alice.json': [],
    '/data/accounts/bob.json': ['alice', 'bob'],
    '/data/accounts/ids/9.json': ['alice'],
    '/data/accounts/carol.json': ['carol'],
    '/data/accounts/acme.json': [],
    '/data/accounts/dora.json': ['dora', 'new'],
    '/data/accounts/new.json': [],
  })
})

test('nobody may act for an owner whose file cannot be read', () => {
  const owners = new Map([['acme', file]])
  const listed = listMemberships({ owners }, new Set(['acme', 'globex']))
  expect([...listed]).toEqual([
    ['acme', []],
    ['globex', []],
  ])
})

//  who                                                 login    user ID  members                expected
test.each([
  ['the login, for an owner without a file', 'alice', '1', undefined, true],
  ['the login, for an owner without members', 'alice', '1', [], true],
  ['the login, for an owner with other members', 'alice', '1', ['bob'], false],
  ['the login, for an owner bound to another user ID', 'alice', '1', [2], false],
  ['the user ID that an owner is bound to', 'renamed', '2', [2], true],
  ['a member', 'bob', '3', ['bob'], true],
  ['another user', 'mallory', '4', undefined, false],
] as const)('%s', (_, login, user_id, members, expected) => {
  const owner = members && { members: [...members] }
  expect(mayActFor({ login, user_id }, 'alice', owner)).toBe(expected)
})

describe('members by an account of the OpenID Connect provider', () => {
  const ada: Person = {
    user_id: `oidc-${'a'.repeat(32)}`,
    login: 'alice',
    oidc: { issuer: 'https://login.example', subject: 'Sub1', email: 'ada@acme.example', name: null },
  }
  const withOidc = (change: Partial<NonNullable<Person['oidc']>>): Person => ({
    ...ada,
    oidc: { ...ada.oidc!, ...change },
  })
  //  case                                             person                                     members                     expected
  test.each<[string, Person, string[], boolean]>([
    ['the subject', ada, ['oidc:Sub1'], true],
    ['the subject in other case', ada, ['oidc:sub1'], false],
    ['the verified email address', ada, ['oidc:ada@acme.example'], true],
    ['an email address that is not verified', withOidc({ email: null }), ['oidc:ada@acme.example'], false],
    [
      'a subject that looks like the address',
      withOidc({ email: null, subject: 'ada@acme.example' }),
      ['oidc:ada@acme.example'],
      false,
    ],
    [
      'somebody else',
      withOidc({ email: 'bob@acme.example', subject: 'Sub2' }),
      ['oidc:Sub1', 'oidc:ada@acme.example'],
      false,
    ],
    ['the login, which is no GitHub login', ada, ['alice'], false],
    ['the handle of the same name, without members', ada, [], false],
    ['a person of whom nothing is known', { user_id: ada.user_id, login: 'alice' }, ['oidc:Sub1'], false],
    ['a GitHub user of that name', { user_id: '7', login: 'Sub1' }, ['oidc:Sub1'], false],
  ])('%s', (_, person, members, expected) => expect(mayActFor(person, 'alice', { members })).toBe(expected))

  //  entry                                expected
  test.each([
    ['oidc:00u1abcDEF', true],
    ['oidc:ada@acme.example', true],
    ['oidc:Ada@acme.example', false],
    ['oidc:', false],
    ['oidc:a b', false],
    ['oidc:a@b@c', false],
    ['oidc:ä', false],
    ['oidc:a\nb', false],
    [`oidc:${'x'.repeat(100)}`, true],
    [`oidc:${'x'.repeat(101)}`, false],
    ['saml:ada', false],
  ])('an owner file may name %j: %s', (member, expected) => {
    expect(parseOwnerFile(`---\nmembers: [${JSON.stringify(member)}]\n---\n`).problems === undefined).toBe(expected)
  })

  test('the owners of each entry are listed in a file whose name every file system takes', () => {
    const owners = new Map([
      ['acme', parseOwnerFile('---\nmembers: ["oidc:A/b", "oidc:ada@acme.example"]\n---\n').value!],
    ])
    const listed = [...listMemberships({ owners })].map(([member, names]) => [membershipsPath(member), names])
    expect(Object.fromEntries(listed)).toEqual({
      '/data/accounts/acme.json': [],
      '/data/accounts/oidc/6f6964633a412f62.json': ['acme'],
      '/data/accounts/oidc/6f6964633a6164614061636d652e6578616d706c65.json': ['acme'],
    })
  })
})
