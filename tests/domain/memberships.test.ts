// Pins who is a member: by login, or by GitHub's number, which a text of digits is not.
import { expect, test } from 'vitest'
import { isMember, listMemberships, membershipsPath } from '../../src/domain/access/memberships.ts'
import { parseOwnerFile } from '../../src/domain/content/prompt-file.ts'

const file = parseOwnerFile('---\nmembers: [octocat, 583231, "77"]\n---\n').value!

//  who                                     login       user_id          member
test.each([
  ['the login', 'octocat', '1', true],
  ['the number, whatever the login is now', 'renamed', '583231', true],
  ['a login that looks like the number', '583231', '1', false],
  ['a login of digits, written as text', '77', '1', true],
  ['its number', 'anybody', '77', false],
  ['somebody who signed in without GitHub', 'stranger', 'local-583231', false],
])('%s', (_, login, user_id, expected) => expect(isMember({ login, user_id }, file)).toBe(expected))

test('each has a list of their owners', () => {
  const owners = new Map([['acme', file]])
  const listed = listMemberships({ owners })
  expect([...listed].map(([member, names]) => [membershipsPath(member), names])).toEqual([
    ['/data/accounts/octocat.json', ['acme']],
    ['/data/accounts/ids/583231.json', ['acme']],
    ['/data/accounts/77.json', ['acme']],
  ])
})
