// Tests which descriptions of skills cause a warning.
import { expect, test } from 'vitest'
import { findWeakDescription } from './skill-descriptions.ts'

const REVIEW = 'Reviews a pull request and lists bugs. Use it before a change is merged.'
const others = (description: string) => [{ name: 'acme/other', description }]

test.each([
  ['alone', REVIEW, [], []],
  ['beside another', REVIEW, others('Writes release notes from commits.'), []],
  [
    'with the same words',
    REVIEW,
    others('Use before the change is merged: review pull requests, list a bug.'),
    ['acme/other'],
  ],
  ['with a part of the words', REVIEW, others('Reviews a design document and lists open questions.'), []],
  ['of 512 characters', 'x'.repeat(512), [], []],
  ['of 513 characters', 'x'.repeat(513), [], ['has 513 characters']],
])('a description %s', (_, description, given, said) => {
  const found = findWeakDescription({ name: 'review', description }, given)
  expect(found.map(({ message }) => message)).toEqual(said.map((part) => expect.stringContaining(part)))
})
