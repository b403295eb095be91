// Checks the TypeScript client against the tables that all clients share: it resolves ranges and fills prompts exactly
// as specified there.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fillChat, forAnthropic, forGemini, splitChat } from '../../clients/typescript/source/chat.ts'
import { type FillableVariable, fillContent, type Values } from '../../clients/typescript/source/filling.ts'
import { isSafePath } from '../../clients/typescript/source/lock.ts'
import { highestIn, isRange, readWish } from '../../clients/typescript/source/ranges.ts'
import { findClash } from '../../clients/typescript/source/skills.ts'
import { PromptHubError } from '../../clients/typescript/source/trouble.ts'

interface Published {
  versions: string[]
  yanked: string[]
  labels: Record<string, string>
}

const ranges = JSON.parse(readFileSync('tests/fixtures/ranges.json', 'utf8')) as {
  repositories: Record<string, Published>
  cases: [written: string, expected: Record<string, string | null>][]
}
const resolved = ranges.cases.flatMap(([written, expected]) =>
  Object.entries(expected).map(([repository, version]) => [written, repository, version] as const),
)

function resolve(written: string, { versions, yanked, labels }: Published): string | null {
  const wish = readWish(written)
  if (!wish) return 'malformed'
  if (wish.kind === 'label') return Object.hasOwn(labels, wish.label) ? labels[wish.label]! : null
  const active = versions.filter((version) => !yanked.includes(version))
  return highestIn(active, written) ?? null
}

describe('ranges and labels', () => {
  test('has at least 300 test cases', () => expect(resolved.length).toBeGreaterThanOrEqual(300))

  test.each(resolved)('%s in %s is %s', (written, repository, expected) => {
    expect(resolve(written, ranges.repositories[repository]!)).toBe(expected)
  })

  test.each(['', ' 1', '1 ', 'v1', '=1', '>=1', '1||2', '1.2.3-rc', '01', '1.2.3.4', '^*.1', '1234567'])(
    'rejects %j as a range',
    (text) => expect(isRange(text)).toBe(false),
  )
})

test('judges every path as the table does', () => {
  const { valid, invalid, clashing, apart } = JSON.parse(readFileSync('tests/fixtures/paths.json', 'utf8'))
  expect([valid.filter(isSafePath), invalid.filter(isSafePath)]).toEqual([valid, []])
  expect([clashing.filter(findClash), apart.filter(findClash)]).toEqual([clashing, []])
})

interface FillingCase {
  name: string
  content: string
  variables: FillableVariable[]
  values: Values
  strict: { content: string } | Record<'missing' | 'unknown' | 'invalid', string[]>
}

interface ChatCase {
  name: string
  content: string
  problems?: number[]
  messages: unknown[]
  variables: FillableVariable[]
  values: Values
  history?: object[]
  filled: unknown
}

const chat = JSON.parse(readFileSync('tests/fixtures/chat-cases.json', 'utf8')) as { cases: ChatCase[] }

describe('chat prompts', () => {
  test.each(chat.cases.filter(({ problems }) => !problems))('$name', (given) => {
    const { content, messages, variables, values, history, filled } = given
    expect(splitChat(content)).toEqual(messages)
    const fill = () => fillChat(content, variables, values, history)
    if (Array.isArray(filled)) return expect(fill()).toEqual(filled)
    try {
      expect(fill()).toBe('an error')
    } catch (error) {
      if (!(error instanceof PromptHubError)) throw error
      const named = Object.fromEntries(error.problems.map(({ kind, name }) => [kind, [name]]))
      expect(
        error.message.startsWith('history: this prompt has no {{history}} line') ? { history: 'refused' } : named,
      ).toEqual(filled)
    }
  })

  test('rejects a text prompt without roles', () =>
    expect(() => fillChat('Hello\n{{role "user"}}\nx', [], {})).toThrow('this prompt is a text without roles'))

  test('separates the system text for the Anthropic and Gemini SDKs', () => {
    const messages = fillChat(
      '{{role "system"}}\na\n{{role "system"}}\nb\n{{role "user"}}\nc\n{{role "assistant"}}\nd',
      [],
      {},
    )
    expect(forAnthropic(messages)).toEqual({
      system: 'a\n\nb',
      messages: [
        { role: 'user', content: 'c' },
        { role: 'assistant', content: 'd' },
      ],
    })
    expect(forGemini(messages)).toEqual({
      systemInstruction: { parts: [{ text: 'a\n\nb' }] },
      contents: [
        { role: 'user', parts: [{ text: 'c' }] },
        { role: 'model', parts: [{ text: 'd' }] },
      ],
    })
    expect(forAnthropic([{ role: 'user', content: 'c' }])).toEqual({ messages: [{ role: 'user', content: 'c' }] })
    expect(forGemini([{ role: 'user', content: 'c' }])).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'c' }] }],
    })
  })
})

const filling = JSON.parse(readFileSync('tests/fixtures/filling-cases.json', 'utf8')) as { cases: FillingCase[] }

describe('filling variables', () => {
  test('has more than 90 test cases', () => expect(filling.cases.length).toBeGreaterThan(90))

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
