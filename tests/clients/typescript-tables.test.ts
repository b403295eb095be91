// Pins that the TypeScript client means by ranges and by filling what every client means: the shared tables, case by case.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type FillableVariable, fillContent, type Values } from '../../clients/typescript/source/filling.ts'
import { highestIn, isRange, readWish } from '../../clients/typescript/source/ranges.ts'
import { PromptHubError } from '../../clients/typescript/source/trouble.ts'

interface Published {
  versions: string[]
  yanked: string[]
  labels: Record<string, string>
}

const ranges = JSON.parse(readFileSync('tests/fixtures/ranges.json', 'utf8')) as {
  repositories: Record<string, Published>
  cases: [written: string, repository: string, expected: string | null][]
}

function resolve(written: string, { versions, yanked, labels }: Published): string | null {
  const wish = readWish(written)
  if (!wish) return 'malformed'
  if (wish.kind === 'label') return Object.hasOwn(labels, wish.label) ? labels[wish.label]! : null
  const active = versions.filter((version) => !yanked.includes(version))
  return highestIn(active, written) ?? null
}

describe('ranges and labels', () => {
  test('there are at least 300 cases', () => expect(ranges.cases.length).toBeGreaterThanOrEqual(300))

  test.each(ranges.cases)('%s in %s is %s', (written, repository, expected) => {
    expect(resolve(written, ranges.repositories[repository]!)).toBe(expected)
  })

  test.each(['', ' 1', '1 ', 'v1', '=1', '>=1', '1||2', '1.2.3-rc', '01', '1.2.3.4', '^*.1', '1234567'])(
    '%j is no range',
    (text) => expect(isRange(text)).toBe(false),
  )
})

interface FillingCase {
  name: string
  content: string
  variables: FillableVariable[]
  values: Values
  strict: { content: string } | Record<'missing' | 'unknown' | 'invalid', string[]>
}

const filling = JSON.parse(readFileSync('tests/fixtures/filling-cases.json', 'utf8')) as { cases: FillingCase[] }

describe('filling', () => {
  test('there are enough cases', () => expect(filling.cases.length).toBeGreaterThan(90))

  test.each(filling.cases)('$name', ({ content, variables, values, strict }) => {
    const fill = () => fillContent(content, variables, values)
    if ('content' in strict) return expect(fill()).toBe(strict.content)
    try {
      expect(fill()).toBe('an error')
    } catch (error) {
      if (!(error instanceof PromptHubError)) throw error
      const named = (kind: string) => error.problems.filter((problem) => problem.kind === kind).map(({ name }) => name)
      expect({ missing: named('missing'), unknown: named('unknown'), invalid: named('invalid') }).toEqual(strict)
    }
  })
})
