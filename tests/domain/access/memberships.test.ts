// Tests who is a member of an owner, by login or by numeric GitHub ID. A login that consists of digits is not an ID.
import { expect, test } from 'vitest'
import { isMember, listMemberships, mayActFor, membershipsPath } from '../../../src/domain/access/memberships.ts'
import { parseOwnerFile } from '../../../src/domain/content/prompt-file.ts'

const file = parseOwnerFile('---\nmembers: [octocat, 583231, "77"]\n---\n').value!

//  who                                     login       user ID          member
test.each([
  ['the login', 'octocat', '1', true],
  ['the user ID, whatever the login is now', 'renamed', '583231', true],
  ['a login that looks like the user ID', '583231', '1', false],
  ['a login of digits, written as a string', '77', '1', true],
  ['a user ID that looks like that login', 'anybody', '77', false],
  ['a user who signed in without GitHub', 'stranger', 'local-583231', false],
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
