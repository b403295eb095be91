// Tests version arithmetic: numeric order, the latest version, and the next number. See docs/contract.md sections 2 and
// 7.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BUMPS, compareVersions, nextVersion, resolveLatest, sortVersions } from './versions.ts'

const version = fc.tuple(fc.nat(99_999), fc.nat(99_999), fc.nat(99_999)).map((parts) => parts.join('.'))
const bump = fc.constantFrom('major' as const, 'minor' as const, 'patch' as const)

test('offers the bumps major, minor and patch', () => {
  expect(BUMPS).toEqual(['major', 'minor', 'patch'])
})

describe('the next version', () => {
  //  case                                       used                           bump     next
  test.each([
    ['the first version, major', [], 'major', '1.0.0'],
    ['the first version, minor', [], 'minor', '1.0.0'],
    ['the first version, patch', [], 'patch', '1.0.0'],
    ['the next patch version', ['1.0.0'], 'patch', '1.0.1'],
    ['the next minor version', ['1.0.0'], 'minor', '1.1.0'],
    ['the next major version', ['1.0.0'], 'major', '2.0.0'],
    ['a minor bump resets the patch number', ['1.2.3'], 'minor', '1.3.0'],
    ['a major bump resets both', ['1.2.3'], 'major', '2.0.0'],
    ['a used number is not reused', ['1.0.0', '1.0.1'], 'patch', '1.0.2'],
    ['the highest version counts, whatever the order', ['1.0.1', '2.0.0', '1.1.0'], 'patch', '2.0.1'],
    ['versions are compared as numbers', ['1.9.0', '1.10.0'], 'minor', '1.11.0'],
    ['numbers of several digits', ['9.99.999', '10.0.0'], 'patch', '10.0.1'],
    ['from a version below 1.0.0', ['0.1.0'], 'patch', '0.1.1'],
    ['a major bump from a version below 1.0.0', ['0.9.9'], 'major', '1.0.0'],
    ['gaps are not filled', ['1.0.0', '1.0.7'], 'patch', '1.0.8'],
  ] as const)('%s', (_, used, by, next) => expect(nextVersion(used, by)).toBe(next))

  test('is always higher than every used version', () => {
    fc.assert(
      fc.property(fc.array(version, { minLength: 1, maxLength: 20 }), bump, (used, by) => {
        const next = nextVersion(used, by)
        expect(used).not.toContain(next)
        expect(sortVersions([...used, next])[0]).toBe(next)
      }),
    )
  })
})

describe('version order', () => {
  test('sorts the highest version first, numerically', () => {
    const given = ['1.0.0', '1.10.0', '1.9.0', '0.0.1', '10.0.0', '2.0.0', '1.0.10', '1.0.9']
    expect(sortVersions(given)).toEqual(['10.0.0', '2.0.0', '1.10.0', '1.9.0', '1.0.10', '1.0.9', '1.0.0', '0.0.1'])
    expect(given[0]).toBe('1.0.0')
  })

  test('compares major, then minor, then patch', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        const [left, right] = [a, b].map((text) => text.split('.').map(Number)) as [number[], number[]]
        const difference = [0, 1, 2].map((part) => right[part]! - left[part]!).find((part) => part !== 0) ?? 0
        expect(Math.sign(compareVersions(a, b))).toBe(Math.sign(difference))
      }),
    )
  })
})

describe('the latest version', () => {
  test.each([
    ['no versions', [], [], undefined],
    ['the highest version', ['1.0.0', '1.10.0', '1.9.0'], [], '1.10.0'],
    ['not a yanked version', ['1.0.0', '1.1.0'], ['1.1.0'], '1.0.0'],
    ['a lower yanked version does not matter', ['1.0.0', '1.1.0'], ['1.0.0'], '1.1.0'],
    ['no latest version if all are yanked', ['1.0.0', '1.1.0'], ['1.0.0', '1.1.0'], undefined],
  ])('%s', (_, versions, yanked, latest) => {
    expect(resolveLatest(versions, (one) => (yanked as string[]).includes(one))).toBe(latest)
  })
})
