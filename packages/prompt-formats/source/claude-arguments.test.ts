// Tests the arguments of Claude Code commands: which of them become placeholders, and that an export restores every byte.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Variable } from '../../../src/domain/api/schema.ts'
import { READERS, WRITERS } from './formats.ts'
import type { ExportedVersion, PortablePrompt } from './portable.ts'

function importCommand(front: string, text: string) {
  const { prompts, findings } = READERS['claude-command'](`---\n${front}\n---\n${text}`, 'fix')
  const [prompt] = prompts
  return { prompt, lost: findings.map(({ field, line, message }) => `line ${line}: ${field}: ${message}`) }
}

const exported = (prompt: PortablePrompt): ExportedVersion => ({
  ...prompt,
  version: '1.0.0',
  full_name: 'acme/fix',
  content: '',
  content_sha256: '0'.repeat(64),
})
const write = (prompt: PortablePrompt) => WRITERS['claude-command'](exported(prompt))
const bodyOf = (file: string) => file.slice(file.indexOf('\n---\n') + 5)
const textOf = (prompt: PortablePrompt | undefined) => (prompt?.body.format === 'text' ? prompt.body.text : undefined)
const namesOf = (prompt: PortablePrompt | undefined) => prompt?.variables.map(({ name }) => name)

const PRICES = 'Between $5 and $1M, $12, $1.50 or $1,000. SQL: `$1`.\n\n```sh\nawk "{print $1}" $0\n```\n'

describe('reading', () => {
  //  front matter                          text                               on the hub                            variables
  test.each([
    ['a: 1', 'Fix $ARGUMENTS.', 'Fix {{arguments}}.', ['arguments']],
    ['a: 1', '$ARGUMENTS[1], $ARGUMENTS', '{{ argument_1 }}, {{arguments}}', ['argument_1', 'arguments']],
    [
      'argument-hint: [a] [b]',
      '$0 or $1, not $2',
      '{{argument_0}} or {{argument_1}}, not $2',
      ['argument_0', 'argument_1'],
    ],
    [
      'argument-hint: [a] [b]',
      '$1 or $2, not $3',
      '{{argument_1}} or {{argument_2}}, not $3',
      ['argument_1', 'argument_2'],
    ],
    ['argument-hint: "<a file> [line]"', '$0 $1 $2', '{{argument_0}} {{argument_1}} $2', ['argument_0', 'argument_1']],
    ['argument-hint: [a]', 'At \\$1.00, $1.', 'At \\$1.00, {{argument_1}}.', ['argument_1']],
    ['argument-hint: [a]', 'Two: \\\\$0.', 'Two: \\\\{{argument_0}}.', ['argument_0']],
    ['arguments: [b, a]', '$a, $b, $c, $ab', '{{a}}, {{b}}, $c, $ab', ['b', 'a']],
    ['arguments: issue', 'Fix $issue for $5.', 'Fix {{ issue }} for $5.', ['issue']],
    [
      'arguments: issue branch',
      'Fix $issue on $branch: `$issue`',
      'Fix {{issue}} on {{branch}}: `$issue`',
      ['issue', 'branch'],
    ],
    ['a: 1', 'Move $ARGUMENTS[2] to $2.', 'Move {{ argument_2 }} to {{argument_2}}.', ['argument_2']],
    ['a: 1', '$ARGUMENTS[1] for $5, or $1.', '{{ argument_1 }} for $5, or {{argument_1}}.', ['argument_1']],
    ['a: 1', PRICES, PRICES, []],
    ['argument-hint: [price]', PRICES, PRICES, []],
    ['a: 1', `$ARGUMENTS. ${PRICES}`, `{{arguments}}. ${PRICES}`, ['arguments']],
    ['a: 1', 'Keep {{x}} and $HOME.', 'Keep {{x}} and $HOME.', []],
  ])('%s | %s', (front, text, content, variables) => {
    const { prompt } = importCommand(front, text)
    expect([textOf(prompt), namesOf(prompt)]).toEqual([content, variables])
    const { file } = write(prompt!)
    expect(bodyOf(file!.text)).toBe(text)
  })

  //  front matter          text                          what is said
  test.each([
    ['a: 1', 'One\nCompare $1 with $2.', 'line 5: arguments: $1 stays text; an argument-hint would show'],
    [
      'a: 1',
      'Fix $ARGUMENTS:\n`gh view $ARGUMENTS`',
      'line 5: arguments: $ARGUMENTS stays text, because it is in code',
    ],
    ['a: 1', 'Fix $ARGUMENTS in {{arguments}}.', 'line 4: arguments: $ARGUMENTS and all arguments stay text'],
    ['arguments: [a, b]', 'Fix $b.', 'line 4: arguments: $b and all arguments stay text'],
    ['arguments: [a-b]', 'Fix $ARGUMENTS[0].', undefined],
  ])('says what stays text: %s | %s', (front, text, said) => {
    const { prompt, lost } = importCommand(front, text)
    expect(lost.filter((one) => one.includes('arguments: $'))).toEqual(
      said === undefined ? [] : [expect.stringContaining(said)],
    )
    if (said?.includes('all arguments')) expect([textOf(prompt), namesOf(prompt)]).toEqual([text, []])
  })

  test('an export restores every byte of any text, or is refused with its line', () => {
    const piece = fc.constantFrom(
      ...[
        '$ARGUMENTS',
        '$ARGUMENTS[0]',
        '$ARGUMENTS[12]',
        '$ARGUMENTS[2]',
        '$2.',
        '$0',
        '$1',
        '$2',
        '$5',
        '$1M',
        '$00',
        '$a',
        '$b',
        '$$',
        '\\',
        '\\\\',
      ],
      ...[
        '{',
        '}',
        '{{a}}',
        '{{ a }}',
        '{{arguments}}',
        '{{argument_0}}',
        '{{ argument_0 }}',
        '[0]',
        'x',
        ' ',
        '.5',
        '\n',
        '`',
        '\n```\n',
      ],
    )
    const front = fc.constantFrom(
      'x: 1',
      'argument-hint: [a] [b]',
      'arguments: a',
      'arguments: [a, b]',
      'arguments: [b, a]',
    )
    let restored = 0
    fc.assert(
      fc.property(front, fc.array(piece, { maxLength: 12 }), (given, pieces) => {
        const text = pieces.join('')
        const { prompt } = importCommand(given, text)
        if (!prompt) return
        const { file, refused } = write(prompt)
        if (refused) {
          expect(textOf(prompt)).toBe(text)
          return
        }
        expect(bodyOf(file.text)).toBe(text)
        const again = importCommand(file.text.slice(4, file.text.indexOf('\n---\n')), text).prompt
        expect(bodyOf(write(again!).file!.text)).toBe(text)
        restored++
      }),
      { numRuns: 300 },
    )
    expect(restored).toBeGreaterThan(150)
  })
})

const variable = (name: string, required = true): Variable => ({
  name,
  description: '',
  type: 'string',
  required,
  default: null,
  options: [],
  example: null,
})

describe('writing a prompt of the hub', () => {
  const write = (text: string, names: string[]) => {
    const prompt: PortablePrompt = {
      name: 'fix',
      title: 'Fix it',
      description: '',
      tags: [],
      license: null,
      changelog: '',
      parameters: {},
      body: { format: 'text', text },
      variables: names.map((name) => variable(name, name !== 'b')),
    }
    return WRITERS['claude-command'](exported(prompt))
  }

  test.each([
    ['Fix {{code}}.', ['code'], '---\ndescription: "Fix it"\nargument-hint: "<code>"\n---\nFix $ARGUMENTS.'],
    [
      'Fix {{a}} as {{ b }} for $5.',
      ['a', 'b'],
      '---\ndescription: "Fix it"\nargument-hint: "<a> [b]"\narguments: "a b"\n---\nFix $a as $b for $5.',
    ],
    [
      '{{a}}s and {{b}}[0]',
      ['a', 'b'],
      '---\ndescription: "Fix it"\nargument-hint: "<a> [b]"\narguments: "a b"\n---\n$ARGUMENTS[0]s and $ARGUMENTS[1][0]',
    ],
    ['Print $1.', [], '---\ndescription: "Fix it"\n---\nPrint $1.'],
  ])('%s', (text, names, file) => expect(write(text, names).file?.text).toBe(file))

  test.each([
    ['One\n{{code}} for $5', ['code'], 'line 2: $5 would be an argument'],
    ['{{a}} {{b}}\n```\nawk $1\n```', ['a', 'b'], 'line 3: $1 would be an argument'],
    ['{{a}} {{b}} for $1.50', ['a', 'b'], 'line 1: $1 would be an argument'],
    ['{{a}} {{b}} $a', ['a', 'b'], 'line 1: $a would be an argument'],
    [
      '{{arguments}}\n\n\n$2 {{argument_0}} {{argument_1}}',
      ['arguments', 'argument_0', 'argument_1'],
      'line 4: $2 would be an argument',
    ],
    ['Say $ARGUMENTS.', [], 'line 1: $ARGUMENTS would be an argument'],
    ['{{code}}s', ['code'], 'line 1: a command needs a space after {{code}}'],
    ['\\{{code}}', ['code'], 'line 1: a backslash before {{code}} would keep Claude Code from filling it in'],
  ])('refuses %j', (text, names, reason) => {
    const refused = write(text, names).refused?.map(({ line, message }) => `line ${line}: ${message}`)
    expect(refused).toEqual([reason])
  })
})
