// Tests whose approval a pull request needs, and how the report explains it.
import { describe, expect, test } from 'vitest'
import { checkApprovals, checkProtections, checkTakedowns } from './pull-owners.ts'

const FILES = {
  acme: { members: ['octocat', 4711], publishing: null, protected_labels: [] },
  strict: { members: ['octocat'], publishing: 'reviewed' as const, protected_labels: [] },
  careful: {
    members: ['octocat'],
    publishing: null,
    protected_labels: [{ label: 'production', new_capabilities: 'approve' as const }],
  },
  broken: 'broken' as const,
}
const BY_NAME = { isAllowed: true, isByName: true }
const BY_ID = { isAllowed: true, isByName: false }
const REFUSED = { isAllowed: false, isByName: false }
const A = 'acme/a/versions/1.1.0.md'

describe('the owner of a changed file approves', () => {
  //  case                                         path                             author, account ID  verdict
  test.each([
    ['a member, by login', A, 'octocat', '4712', 'acme', BY_NAME, 'octocat is one of its members, by name'],
    [
      'a member, by account ID',
      A,
      'renamed',
      '4711',
      'acme',
      BY_ID,
      'renamed is one of its members, by account ID 4711',
    ],
    ['a member, by both', A, 'octocat', '4711', 'acme', BY_ID, 'octocat is one of its members, by account ID 4711'],
    [
      'a member of an owner who requires proposals',
      'strict/a/versions/1.1.0.md',
      'octocat',
      '2',
      'strict',
      REFUSED,
      'it accepts versions only after somebody else has approved them (publishing: reviewed)',
    ],
    [
      'such a member, who adds no version',
      'strict/a/index.md',
      'octocat',
      '2',
      'strict',
      BY_NAME,
      'octocat is one of its members, by name',
    ],
    ['someone who is not a member', A, 'mallory', '2', 'acme', REFUSED, 'mallory is not a member'],
    [
      'the author’s own handle',
      'mallory/x/index.md',
      'mallory',
      '2',
      'mallory',
      BY_NAME,
      'it is the author’s own handle, by name',
    ],
    ['the author’s own handle, with other members', A, 'acme', '2', 'acme', REFUSED, 'acme is not a member'],
    ['another owner without a file', 'globex/x/index.md', 'mallory', '2', 'globex', REFUSED, 'mallory is not a member'],
    [
      'an owner whose file cannot be read',
      'broken/x/index.md',
      'broken',
      '2',
      'broken',
      REFUSED,
      'its index.md on the main branch cannot be read',
    ],
    [
      'a file of no owner',
      'equivalents.txt',
      'octocat',
      '4711',
      undefined,
      REFUSED,
      'it belongs to the catalogue as a whole',
    ],
  ] as const)('%s', (_, path, login, user_id, owner, verdict, reason) => {
    const found = checkApprovals([path, path], { login, user_id }, (name) => FILES[name as keyof typeof FILES])
    expect(found).toEqual([{ owner, ...verdict, reason }])
  })
})

describe('what protects others is taken away only with the approval of a maintainer', () => {
  const { acme, strict, careful, broken } = FILES
  //  file before and after, whether it needs the approval
  test.each([
    ['taken away', strict, acme, true],
    ['with the file', strict, undefined, true],
    ['with a file that cannot be read', strict, broken, true],
    ['kept, with another rule', strict, { ...strict, publishing: ['semver', 'reviewed'] as const }, false],
    ['added', acme, strict, false],
    ['in a new file', undefined, strict, false],
    ['the approval of new capabilities', careful, acme, true, 'new_capabilities: approve from the label production'],
    ['this approval, kept', careful, careful, false],
  ] as const)('%s', (_, before, after, isRefused, what: string = 'reviewed out of publishing') => {
    const reason = `it takes ${what} in its index.md`
    const expected = isRefused ? [{ owner: 'strict', ...REFUSED, reason }] : []
    expect(checkProtections([{ owner: 'strict', before, after } as never])).toEqual(expected)
  })
})

describe('a takedown is undone only with the approval of a maintainer', () => {
  const of = (before: string[] | undefined, after: string[] | undefined) =>
    checkTakedowns([{ owner: 'octo', name: 'p', before, after }])
  const refusal = (reason: string) => [{ owner: 'octo/p', ...REFUSED, reason }]

  //  entries of `removed` before and after, verdict
  test.each([
    [['1.0.1'], ['1.0.1'], []],
    [[], ['1.0.1'], []],
    [['1.0.0', '1.0.1'], ['1.0.1'], refusal('it takes 1.0.0 out of removed')],
    [['1.0.0', '1.0.1'], undefined, refusal('it takes 1.0.0, 1.0.1 out of removed')],
    [undefined, ['1.0.1'], refusal('removed in its index.md on the main branch cannot be read')],
  ])('%j, then %j', (before, after, verdict) => {
    expect(of(before, after)).toEqual(verdict)
  })
})
