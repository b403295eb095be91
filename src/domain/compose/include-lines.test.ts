// Tests which lines are include lines, and how many there may be.
import { describe, expect, test } from 'vitest'
import { findIncludeLines } from './include-lines.ts'

describe('include lines', () => {
  test.each([
    ['{{include "acme/part@^1.2"}}', ['acme/part@^1.2']],
    ['a\n{{include "acme/part"}}\r\nb', ['acme/part@*']],
    ['\uFEFF{{include "acme/part@production"}}', ['acme/part@production']],
    ['```\n{{include "acme/part@1.x"}}\n```', ['acme/part@1.x']],
    [' {{include "acme/part"}}', []],
    ['a {{include "acme/part"}}', []],
    ['{{{include "acme/part"}}}', []],
    ['\\{{include "acme/part"}}', []],
    ['{{include}}', []],
    ['{{ include "acme/part" }}', []],
    ['a\r{{include "acme/part"}}', []],
  ])('%j', (source, expected) => {
    const { value } = findIncludeLines(source)
    expect(value?.map(({ repository, range }) => `${repository}@${range}`)).toEqual(expected)
  })

  test.each([
    ['{{include "acme/part"}} ', 'alone on its line'],
    ['{{include "acme/part"}} and more', 'alone on its line'],
    ["{{include 'acme/part'}}", 'alone on its line'],
    ['{{include acme/part}}', 'alone on its line'],
    ['{{include "acme"}}', 'expected owner/name of a prompt, got acme'],
    ['{{include "Acme/part"}}', 'expected owner/name of a prompt'],
    // A Cyrillic а, a full-width slash, a soft hyphen, and a path.
    ['{{include "аcme/part"}}', 'expected owner/name of a prompt'],
    ['{{include "acme／part"}}', 'expected owner/name of a prompt'],
    ['{{include "acme/pa\u00ADrt"}}', 'expected owner/name of a prompt, got acme/pa?rt'],
    ['{{include "acme/../other"}}', 'expected owner/name of a prompt'],
    ['{{include "acme/part@"}}', 'got nothing'],
    ['{{include "acme/part@*"}}', 'without @*, which means the same'],
    ['{{include "acme/part@latest"}}', 'Leave out @latest'],
    ['{{include "acme/part@>=1"}}', 'expected a range such as ^1.2.0, a version or a label'],
    ['{{include "acme/part@1.0.0@2"}}', 'expected a range such as ^1.2.0, a version or a label'],
    [`{{include "acme/part@${'1'.repeat(1_000_000)}"}}`, 'alone on its line'],
  ])('%#: what is no complete line is refused', (source, message) => {
    const { problems } = findIncludeLines(`a\n${source}\nb`)
    expect(problems).toEqual([{ key: 'content', message: expect.stringContaining(message), offset: 2 }])
    expect(problems![0]!.message.length).toBeLessThan(300)
  })

  test('are limited in number, and so are the prompts that they name', () => {
    const lines = (count: number, name = (_: number) => 'part') =>
      Array.from({ length: count }, (_, at) => `{{include "acme/${name(at)}"}}\n`).join('')
    expect(findIncludeLines(lines(32)).value).toHaveLength(32)
    expect(findIncludeLines(lines(33)).problems![0]!.message).toBe('expected at most 32 include lines')
    expect(findIncludeLines(lines(10_000)).problems).toHaveLength(1)
    expect(findIncludeLines(lines(16, (at) => `part-${at}`)).value).toHaveLength(16)
    expect(findIncludeLines(lines(17, (at) => `part-${at}`)).problems![0]!.message).toBe(
      'expected includes of at most 16 prompts, got 17',
    )
  })
})
