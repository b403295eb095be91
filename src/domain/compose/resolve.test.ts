// Tests which version an include line includes.

import { describe, expect, test } from 'vitest'
import { pointing } from '../../../tests/fixtures/labels.ts'
import { DEFAULT_REPOSITORY_FILE } from '../content/prompt-file.ts'
import { resolveIncludes } from './resolve.ts'

describe('a range', () => {
  const known = {
    owner: 'acme',
    name: 'part',
    versions: ['2.0.0', '1.2.0', '1.1.0', '1.0.0'],
    file: {
      ...DEFAULT_REPOSITORY_FILE,
      yanked: { '1.2.0': 'Wrong.' },
      labels: pointing({ production: '1.0.0' }),
      removed: { '0.9.0': 'Gone.' },
    },
  }
  const resolve = (range: string, file = {}, self = 'acme/whole') => {
    const line = { repository: 'acme/part', range, offset: 0, length: 1 }
    const { value, problems } = resolveIncludes(self, [line], [{ ...known, file: { ...known.file, ...file } }])
    return value ? value[0]!.version : problems![0]!.message
  }

  test.each([
    ['*', '2.0.0'],
    ['^1', '1.1.0'],
    ['1.0.0', '1.0.0'],
    ['production', '1.0.0'],
    ['1.2.0', 'acme/part@1.2.0 was yanked (Wrong.). Include another version'],
    ['0.9.0', 'acme/part@0.9.0 was taken down. Include another version'],
    ['3.0.0', 'acme/part has no version 3.0.0. Include one that exists, or write a range'],
    ['^3', 'acme/part has 3 active versions, but none in ^3. Change the range, or publish such a version'],
    ['staging', 'acme/part has no label staging. Set it first, or write a range'],
  ])('%s gives %s', (range, expected) => {
    expect(resolve(range)).toBe(expected)
  })

  // 1.2.0 is yanked; 1.1.0 and 2.0.0 may be too new.
  test.each([
    ['*', '1.0.0', ['2.0.0', '1.0.0'], '2.0.0'],
    ['*', '1.0.0', ['1.1.0', '1.0.0'], '1.1.0'],
    ['*', '1.0.0', ['1.0.0'], '1.0.0'],
    ['*', '1.0.0', [], '1.0.0'],
    ['*', '1.1.0', ['1.0.0'], '1.1.0'],
    ['^1', '1.0.0', ['2.0.0', '1.2.0', '1.0.0'], '1.0.0'],
    ['1.0.0', '1.0.0', [], '1.0.0'],
    ['production', '1.0.0', [], '1.0.0'],
    ['production', '1.1.0', ['1.1.0'], '1.0.0'],
    ['newest', '1.0.0', ['1.1.0', '1.0.0'], '1.0.0'],
    ['newest', '1.0.0', ['2.0.0'], '2.0.0'],
    ['*', '1.2.0', ['1.1.0', '1.0.0'], expect.stringContaining('available for 7 days')],
    ['*', '1.2.0', ['2.0.0', '1.1.0'], '2.0.0'],
    ['*', undefined, ['1.0.0'], '1.0.0'],
    ['*', undefined, [], expect.stringContaining('available for 7 days')],
    [
      'newest',
      undefined,
      [],
      'acme/part@2.0.0, which newest names, has not been available for 7 days. Wait, or compose with a lower minimum age',
    ],
  ])('%s from %s, if %j are old enough, gives %s', (range, held, oldEnough, expected) => {
    const line = { repository: 'acme/part', range, held, offset: 0, length: 1 }
    const file = { ...known.file, labels: { ...known.file.labels, newest: { version: '2.0.0', split: null } } }
    const minAge = { days: 7, oldEnough: new Map([['acme/part', new Set(oldEnough)]]) }
    const { value, problems } = resolveIncludes('acme/whole', [line], [{ ...known, file }], minAge)
    expect(value ? value[0]!.version : problems![0]!.message).toEqual(expected)
  })

  test('of the prompt itself, of a prompt that has moved and of no prompt is refused', () => {
    expect(resolve('*', {}, 'acme/part')).toContain('a prompt cannot include itself')
    expect(resolve('*', { moved_to: 'acme/new' })).toBe('acme/part has moved. Include acme/new instead')
    const line = { repository: 'acme/none', range: '*', offset: 0, length: 1 }
    expect(resolveIncludes('acme/whole', [line], []).problems![0]!.message).toContain('is not a prompt on this hub')
  })
})
