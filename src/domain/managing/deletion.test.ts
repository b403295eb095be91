// Tests who is refused a deletion, and what is left in `index.md`.
import { expect, test } from 'vitest'
import { HubError } from '../api/errors.ts'
import { readRepositoryState } from '../publishing/repository-state.ts'
import { decideDeletion } from './deletion.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const hoursAgo = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString()
const index = (...lines: string[]) => ['---', 'title: Review # ours', ...lines, '---', 'Notes', ''].join('\n')

interface Case {
  version?: string | undefined
  index?: string
  versions?: string[]
  hours?: Record<string, number>
  including?: string[]
  nowMs?: number
}

function decide(given: Case) {
  const { version, versions = ['1.0.0', '1.1.0'], hours = { '1.0.0': 80, '1.1.0': 1 }, including = [] } = given
  const state = readRepositoryState({ owner: 'acme', name: 'review', versions, index: given.index ?? index() })
  const rows = Object.entries(hours).map(([number, ago]) => ({ version: number, available_at: hoursAgo(ago) }))
  const standing = { rows, including, nowMs: given.nowMs ?? NOW }
  return decideDeletion({ version, reason: 'Wrong file' }, state, standing)
}

function refusalOf(given: Case): { code?: string; message?: string } {
  try {
    decide(given)
    return {}
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    return error
  }
}

const FRESH = { '1.0.0': 2, '1.1.0': 1 }
test.each<[string, Case, string | undefined, string]>([
  ['a fresh version', { version: '1.1.0' }, undefined, ''],
  ['a version in its last hour', { version: '1.1.0', hours: { '1.1.0': 71.9 } }, undefined, ''],
  ['a version of 72 hours', { version: '1.1.0', hours: { '1.1.0': 72 } }, 'too_late', 'Yank it'],
  ['an old version', { version: '1.0.0' }, 'too_late', 'operator of this hub'],
  [
    'an old version, after the clock was set back',
    { version: '1.0.0', nowMs: NOW - 30 * 3_600_000 },
    'too_late',
    '79 hours',
  ],
  ['a version that no build and no copy has', { version: '1.1.0', hours: {} }, 'unavailable', 'not served yet'],
  ['a missing version', { version: '3.0.0' }, 'not_found', 'no version 3.0.0'],
  ['the only version', { version: '1.1.0', versions: ['1.1.0'] }, 'validation_failed', 'whole prompt'],
  ['a label at it', { version: '1.1.0', index: index('labels: {next: 1.1.0}') }, 'validation_failed', 'next at 1.1.0'],
  ['a label elsewhere', { version: '1.1.0', index: index('labels: {next: 1.0.0}') }, undefined, ''],
  ['an include', { version: '1.1.0', including: ['zoe/all@1.0.0'] }, 'validation_failed', 'zoe/all@1.0.0'],
  ['an archived prompt', { version: '1.1.0', index: index('status: archived') }, 'repo_archived', 'archived'],
  ['a fresh prompt', { hours: FRESH }, undefined, ''],
  ['a prompt with an old version', {}, 'too_late', 'acme/review@1.0.0'],
  [
    'a prompt with a label',
    { hours: FRESH, index: index('labels: {next: 1.0.0}') },
    'validation_failed',
    'next at 1.0.0',
  ],
  ['a missing prompt', { versions: [] }, 'not_found', 'acme/review'],
])('%s', (_, given, code, said) => {
  const { code: got, message = '' } = refusalOf(given)
  expect(got).toBe(code)
  expect(message).toContain(said)
})

test('keeps the rest of index.md, and drops the yank of what is deleted', () => {
  const { indexText } = decide({ version: '1.1.0', index: index('yanked: {"1.1.0": bad}') })
  expect(indexText).toBe(index('yanked: {}', 'removed:', '  "1.1.0": Wrong file'))
})

test('leaves only the numbers of a whole prompt', () => {
  const { indexText, deleted } = decide({ hours: FRESH, index: index('removed: {"0.9.0": old}') })
  expect(deleted).toEqual(['1.1.0', '1.0.0'])
  expect(readRepositoryState({ owner: 'acme', name: 'review', versions: [], index: indexText }).file).toMatchObject({
    readme: '',
    removed: { '0.9.0': 'old', '1.0.0': 'Wrong file', '1.1.0': 'Wrong file' },
  })
})

test('a repeated deletion changes nothing', () => {
  const gone = index('removed: {"1.1.0": x}')
  expect(decide({ version: '1.1.0', versions: ['1.0.0'], index: gone })).toMatchObject({ indexText: undefined })
  expect(decide({ versions: [], index: gone })).toMatchObject({ deleted: ['1.1.0'], indexText: undefined })
})
