// Tests which prompts are easily taken for one another.
import { expect, test } from 'vitest'
import { splitFullName } from '../values/names.ts'
import { isTakenFor } from './near-names.ts'

test.each([
  ['acme/code-review', 'evil/code-reviev', true],
  ['acme/code-review', 'evil/codereview', true],
  ['acme/code-review', 'acme/code-reviews', true],
  ['acme/code-review', 'acrne/code-review', true],
  ['acme/summary', 'evil/surnmary', true],
  ['google/translate', 'g00gle/translate', true],
  ['acme/code-review', 'other/code-review', false],
  ['acme/code-review', 'acme/code-review', false],
  ['acme/for-gpt-4', 'acme/for-gpt-5', false],
  ['acme/chat', 'acme/char', false],
  ['acme/code-review', 'acme/code-rewrite', false],
])('%s and %s: %s', (one, other, expected) => {
  const places = [splitFullName(one)!, splitFullName(other)!] as const
  expect([isTakenFor(...places), isTakenFor(places[1], places[0])]).toEqual([expected, expected])
})
