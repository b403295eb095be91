// Tests the rule that says what is served of a version whose files changed.
import { expect, test } from 'vitest'
import { judgeVersion } from './first-files.ts'

const FILE = 'acme/a/versions/1.0.0.md'
const NOTES = 'acme/a/versions/1.0.0/notes.txt'
const first = { [FILE]: 'a1', [NOTES]: 'b1' }
const mapOf = (files: Record<string, string>) => new Map(Object.entries(files))

//  the files now, whether a commit since then named it in removed, whether removed names it now, what is served, the file of the problem
test.each<[string, Record<string, string>, boolean, boolean, string, string | undefined]>([
  ['the same', first, false, false, 'found', undefined],
  ['other bytes', { ...first, [FILE]: 'a2' }, false, false, 'first', FILE],
  ['another file of a skill', { ...first, [NOTES]: 'b2' }, false, false, 'first', NOTES],
  ['a file that was added', { ...first, [`${NOTES}.sh`]: 'c' }, false, false, 'first', `${NOTES}.sh`],
  ['a file that is gone', { [FILE]: 'a1' }, false, false, 'first', NOTES],
  ['all files gone', {}, false, false, 'first', FILE],
  ['taken down', {}, true, true, 'nothing', undefined],
  ['taken down, with its file', first, true, true, 'nothing', FILE],
  ['taken down, and forgotten', {}, true, false, 'nothing', FILE],
  ['taken down, and put back', first, true, false, 'found', undefined],
  ['taken down, and replaced', { [FILE]: 'a2' }, true, false, 'nothing', FILE],
])('%s', (_, now, wasRemoved, isRemoved, serve, path) => {
  const past = { first: mapOf(first), commit: 'c'.repeat(40), wasRemoved }
  const verdict = judgeVersion(FILE, mapOf(now), past, isRemoved)
  expect([verdict.serve, verdict.path]).toEqual([serve, path])
})

test('a version that is not on the branch is served as it is', () => {
  expect(judgeVersion(FILE, mapOf(first), undefined, false)).toEqual({ serve: 'found' })
})
