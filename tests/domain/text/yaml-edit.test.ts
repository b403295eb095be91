// Checks that managing a prompt changes only one key in index.md and keeps every other byte as the author wrote it. See
// docs/contract.md section 7.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editKeys, parseRepositoryFile, replaceBody } from '../../../src/domain/content/prompt-file.ts'
import type { KeyChange } from '../../../src/domain/text/yaml-edit.ts'
import { anyText } from '../fixtures.ts'

const label = (name: string, value: string | undefined): KeyChange => ({ path: ['labels', name], value })

describe('editing one key of index.md', () => {
  //  case                                   before                                                     change                                     after
  test.each<[string, string, KeyChange, string]>([
    ['a value', 'title: Old # why\n', { path: ['title'], value: 'New' }, 'title: New # why\n'],
    ['a quoted value', 'title: "Old"\n', { path: ['title'], value: 'New: a' }, 'title: "New: a"\n'],
    [
      'a folded block scalar',
      'title: >-\n  Old\n  text\n# next\nlicense: MIT\n',
      { path: ['title'], value: 'New' },
      'title: New\n# next\nlicense: MIT\n',
    ],
    [
      'a block list',
      'tags: # ours\n  - a\n  - b\nlicense: MIT\n',
      { path: ['tags'], value: ['c', 'd'] },
      'tags: [c, d] # ours\nlicense: MIT\n',
    ],
    [
      'an empty value',
      'license: # none\ntitle: A\n',
      { path: ['license'], value: 'MIT' },
      'license: MIT # none\ntitle: A\n',
    ],
    [
      'a new key',
      '# head\ntitle: A\n# end\n',
      { path: ['license'], value: 'MIT' },
      '# head\ntitle: A\n# end\nlicense: MIT\n',
    ],
    [
      'removing a key',
      '# one\ntitle: A\n# two\nlicense: MIT # why\n# three\n',
      { path: ['license'], value: undefined },
      '# one\ntitle: A\n# two\n# three\n',
    ],
    ['the first label', 'title: A\n', label('production', '1.2.0'), 'title: A\nlabels:\n  production: "1.2.0"\n'],
    [
      'moving a label',
      'labels:\n  # live\n  production: 1.0.0 # since May\n  next: "2.0.0"\n',
      label('production', '1.2.0'),
      'labels:\n  # live\n  production: "1.2.0" # since May\n  next: "2.0.0"\n',
    ],
    [
      'adding a label',
      'labels:\n    production: "1.0.0"\n    # more\ntitle: A\n',
      label('next', '1.2.0'),
      'labels:\n    production: "1.0.0"\n    next: "1.2.0"\n    # more\ntitle: A\n',
    ],
    [
      'a flow mapping with a label',
      'labels: {production: 1.0.0} # x\n',
      label('next', '1.2.0'),
      'labels: {production: 1.0.0, next: "1.2.0"} # x\n',
    ],
    ['an empty flow mapping', 'labels: {}\n', label('next', '1.2.0'), 'labels: { next: "1.2.0" }\n'],
    [
      'removing the last label',
      'labels:\n  # live\n  production: "1.0.0"\ntitle: A\n',
      label('production', undefined),
      'labels: {}\n  # live\ntitle: A\n',
    ],
    [
      'removing one of two labels',
      'labels:\n  production: "1.0.0"\n  next: "2.0.0"\n',
      label('production', undefined),
      'labels:\n  next: "2.0.0"\n',
    ],
    [
      'removing the first label of a flow mapping',
      'labels: {a: 1.0.0, b: 2.0.0}\n',
      label('a', undefined),
      'labels: {b: 2.0.0}\n',
    ],
    [
      'removing the last label of a flow mapping',
      'labels: {a: 1.0.0, b: 2.0.0}\n',
      label('b', undefined),
      'labels: {a: 1.0.0}\n',
    ],
    [
      'a whole file in flow style',
      '{title: A, tags: [a]}\n',
      label('next', '1.2.0'),
      '{title: A, tags: [a], labels: { next: "1.2.0" }}\n',
    ],
    [
      'CRLF',
      'title: A\r\ntags:\r\n  - a\r\n',
      label('next', '1.2.0'),
      'title: A\r\ntags:\r\n  - a\r\nlabels:\r\n  next: "1.2.0"\r\n',
    ],
    [
      'yanking a version',
      'yanked:\n  1.0.0: Wrong\n',
      { path: ['yanked', '1.0.1'], value: 'No: "x" # y' },
      'yanked:\n  1.0.0: Wrong\n  "1.0.1": "No: \\"x\\" # y"\n',
    ],
    ['an empty file', '', { path: ['title'], value: 'A' }, 'title: A\n'],
  ])('%s', (_, before, change, after) => {
    const body = '---\n\n# Notes\r\n---\n'
    expect(editKeys(`---\n${before}${body}`, [change])).toBe(`---\n${after}${body}`)
  })

  //  case              file                              readme        after
  test.each([
    ['replacing a readme', '---\ntitle: A\n---\n\nOld\n\n', 'New\n\nb', '---\ntitle: A\n---\n\nNew\n\nb\n\n'],
    ['adding the first readme', '---\ntitle: A\n---', 'New', '---\ntitle: A\n---\nNew\n'],
    ['removing the readme', '---\ntitle: A\n---\nOld', '', '---\ntitle: A\n---\n'],
  ])('%s', (_, file, readme, after) => {
    expect(replaceBody(file, readme)).toBe(after)
  })
})

/** One key with all its lines, as a person might write it. */
const sentence = anyText.filter(
  (text) => !/[\p{Cc}\ufffe\uffff]/u.test(text) && text.trim() !== '' && [...text].length <= 60,
)
const plain = fc.constantFrom('Old', 'A b c', 'naïve', 'it’s (here)')
const comment = fc.constantFrom('', ' # why', '\t# "two": {x', ' # it: is')
const ownLine = fc.constantFrom('', '# a comment\n', '\n', '  # indented: "\n', '#\n\n')
const scalar = fc.oneof(
  fc.tuple(plain, comment).map(([text, said]) => ` ${text}${said}\n`),
  fc.tuple(sentence, comment).map(([text, said]) => ` ${JSON.stringify(text)}${said}\n`),
  fc.tuple(plain, comment).map(([text, said]) => ` '${text.replaceAll("'", "''")}'${said}\n`),
  fc.tuple(plain, comment).map(([text, said]) => `${said}\n  ${text}\n`),
  plain.map((text) => ` >-\n  ${text}\n  more\n\n`),
  plain.map((text) => ` |- # block\n    ${text}\n`),
)
const entries = (inner: fc.Arbitrary<string>, key: (index: number) => string) =>
  fc.array(fc.tuple(inner, comment, ownLine), { minLength: 1, maxLength: 3 }).map((all) =>
    all.map(([value, said, above], index) => ({
      name: key(index),
      text: `${above.replaceAll(/^(?=#)/gm, '  ')}  ${JSON.stringify(key(index))}: ${value}${said}\n`,
    })),
  )
const version = fc.constantFrom('1.0.0', '"1.0.0"', "'1.2.0'")
const labels = fc.oneof(
  entries(version, (index) => ['production', 'next', 'old-one'][index]!).map(
    (all) => `\n${all.map(({ text }) => text).join('')}`,
  ),
  fc
    .tuple(
      fc.constantFrom(
        ' {}',
        ' { production: "1.0.0" }',
        ' {production: 1.0.0,  next: "1.2.0", }',
        '\n  {\n  production: 1.0.0, # first\n  next: 1.2.0\n  }',
      ),
      comment,
    )
    .map(([text, said]) => `${text}${said}\n`),
  comment.map((said) => `${said}\n`),
)
const keys = {
  title: scalar,
  description: scalar,
  tags: fc.oneof(
    fc.constantFrom(' [a, b-c]\n', ' [ a,  # first\n  b ]\n', '\n- a\n- b # last\n', ' # ours\n    - a\n', ' []\n'),
  ),
  license: fc.constantFrom(' MIT\n', ' null # none\n', '\n', ' ~\n'),
  status: fc.constantFrom(' active\n', ' "deprecated" # now\n'),
  labels: labels.filter((text) => text.trim() !== ''),
  yanked: fc.constantFrom(' {}\n', '\n  "1.0.0": Wrong # see\n', ' { "1.0.0": "Wrong, too" }\n'),
} as const
type Key = keyof typeof keys
const quotedKey = (key: string) => fc.constantFrom(key, `"${key}"`, `'${key}'`, `${key} `)
const segments = fc
  .shuffledSubarray(Object.keys(keys) as Key[])
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((key) =>
        fc
          .tuple(ownLine, quotedKey(key), keys[key])
          .map(([above, name, value]) => ({ key, above, text: `${name}:${value}` })),
      ),
    ),
  )
const file = fc
  .tuple(segments, fc.boolean(), fc.constantFrom('---\n', '---', '---\n# Readme\r\n\n---\nend', '---\n\n text'))
  .map(([parts, isCrlf, tail]) => {
    const ends = (text: string) => (isCrlf ? text.replaceAll('\n', '\r\n') : text)
    return {
      parts: parts.map((part) => ({ ...part, above: ends(part.above), text: ends(part.text) })),
      head: ends('---\n'),
      tail,
    }
  })
  .filter(
    ({ parts, head, tail }) =>
      parseRepositoryFile(head + parts.map(({ above, text }) => above + text).join('') + tail).value !== undefined,
  )
const change = fc.oneof(
  fc
    .tuple(fc.constantFrom('title', 'description'), sentence)
    .map(([key, value]): KeyChange => ({ path: [key], value })),
  fc.constantFrom<KeyChange>(
    { path: ['tags'], value: ['x', 'yes'] },
    { path: ['tags'], value: [] },
    { path: ['license'], value: 'MIT' },
    { path: ['license'], value: undefined },
    { path: ['status'], value: 'archived' },
  ),
  fc
    .tuple(fc.constantFrom('production', 'next', 'other'), fc.constantFrom('2.0.0', '1.0.0', undefined))
    .map(([name, value]) => label(name, value)),
  fc
    .tuple(fc.constantFrom('1.0.0', '1.1.0'), fc.option(sentence, { nil: undefined }))
    .map(([name, value]): KeyChange => ({ path: ['yanked', name], value })),
)

test('keeps an indented comment below a removed key out of the block text above it', () => {
  const text = '---\ndescription: >-\n  Old\n  more\nlicense: MIT\n  # why\nstatus: active\n---\n'
  expect(editKeys(text, [{ path: ['license'], value: undefined }])).toBe(text.replace('license: MIT', '#'))
})

test('changes only the given key and keeps every other byte', () => {
  fc.assert(
    fc.property(file, change, ({ parts, head, tail }, given) => {
      const whole = parts.map(({ above, text }) => above + text)
      const text = head + whole.join('') + tail
      const edited = editKeys(text, [given])
      const [key, below] = given.path
      const place = parts.findIndex((part) => part.key === key)
      const before = place === -1 ? head + whole.join('') : head + whole.slice(0, place).join('') + parts[place]!.above
      const after = place === -1 ? tail : whole.slice(place + 1).join('') + tail
      // Empty lines after a block scalar belong to the scalar.
      expect(edited.startsWith(before.trimEnd())).toBe(true)
      expect(edited.endsWith(after)).toBe(true)
      const was = parseRepositoryFile(text).value as unknown as Record<string, unknown>
      const is = parseRepositoryFile(edited).value as unknown as Record<string, unknown>
      const old = was[key] as Record<string, unknown> | undefined
      if (below === undefined) {
        expect(is).toEqual({ ...was, [key]: given.value ?? (key === 'license' ? null : undefined) })
      } else {
        const rest = Object.fromEntries(Object.entries(old ?? {}).filter(([name]) => name !== below))
        expect(is).toEqual({ ...was, [key]: given.value === undefined ? rest : { ...rest, [below]: given.value } })
      }
    }),
    { numRuns: 1_000 },
  )
})
