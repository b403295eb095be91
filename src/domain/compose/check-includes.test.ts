// Tests the rule for the includes in a version file.
import { describe, expect, test } from 'vitest'
import { compose, LINE, partOf } from '../../../tests/fixtures/compose-parts.ts'
import { measure } from '../../files/measure.ts'
import { checkIncludes } from './check-includes.ts'

describe('the rule for includes in a file', () => {
  const { value } = compose(`a\n${LINE}\nb\n`, partOf('part {{x}}\n'))
  const version = { ...value!, includes: value!.includes }
  const check = (change: object, content = version.content, self = 'acme/whole') =>
    checkIncludes(self, { ...version, content, includes: [{ ...version.includes[0]!, ...change }] }, measure).map(
      ({ key, message }) => `${key}: ${message}`,
    )

  test('accepts what composing writes', () => {
    expect(check({})).toEqual([])
  })

  test.each<[string, object, string?, string?]>([
    ['a wrong digest', { content_sha256: '0'.repeat(64) }],
    ['another text', {}, 'a\npart {{y}}\nb\n'],
    ['a position within a line', { start: 3, length: 9 }],
    ['a position after the end', { start: 300 }],
    ['a length over the end', { length: 300 }],
    ['a position within a character', { start: 1, length: 1 }, 'é\n'],
    ['itself', {}, undefined, 'acme/part'],
    ['another include line', {}, `${version.content}${LINE}\n`],
    ['an unknown variable', { variables: ['y'] }],
    ['a variable twice', { variables: ['x', 'x'] }],
    ['another range that is none', { range: 'latest' }],
  ])('refuses %s', (_, change, content, self) => {
    expect(check(change, content, self)).not.toEqual([])
  })
})
