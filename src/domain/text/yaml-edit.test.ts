// Checks that managing a prompt writes only the lines of one key in index.md, keeps their comments, and leaves every
// other byte as the author wrote it. See docs/contract.md section 7.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Lexer } from 'yaml'
import { anyText } from '../../../tests/fixtures/records.ts'
import { editKeys, parseRepositoryFile, replaceBody } from '../content/prompt-file.ts'
import type { KeyChange } from './yaml-edit.ts'

const label = (name: string, value: string | undefined): KeyChange => ({ path: ['labels', name], value })

describe('editing one key of index.md', () => {
  const live = label('production', '1.2.0')
  const next = label('next', '1.2.0')
  const titled = (value: string): KeyChange => ({ path: ['title'], value })
  const licensed = (value: string | undefined): KeyChange => ({ path: ['license'], value })
  const yank: KeyChange = { path: ['yanked', '1.0.1'], value: 'No: "x" # y' }
  //  case, change, and the lines before and after it
  test.each<[string, KeyChange, string, string]>([
    ['a value', titled('New'), 'title: Old # why\n', 'title: New # why\n'],
    ['a quoted value', titled('New: a'), 'title: "Old"\n', 'title: "New: a"\n'],
    [
      'a block scalar',
      titled('New'),
      'title: >-\n  Old\n  text\n# next\nlicense: MIT\n',
      'title: New\n# next\nlicense: MIT\n',
    ],
    [
      'a block list',
      { path: ['tags'], value: ['c', 'd'] },
      'tags: # ours\n  - a\n  - b\nlicense: MIT\n',
      'tags:\n  # ours\n  - c\n  - d\nlicense: MIT\n',
    ],
    ['an empty value', licensed('MIT'), 'license: # none\ntitle: A\n', 'license: MIT # none\ntitle: A\n'],
    ['a new key', licensed('MIT'), '# head\ntitle: A\n# end\n', '# head\ntitle: A\n# end\nlicense: MIT\n'],
    [
      'removing a key',
      licensed(undefined),
      '# one\ntitle: A\n# two\nlicense: MIT # why\n# three\n',
      '# one\ntitle: A\n# two\n# three\n',
    ],
    ['the first label', live, 'title: A\n', 'title: A\nlabels:\n  production: "1.2.0"\n'],
    [
      'moving a label',
      live,
      'labels:\n  # live\n  production: 1.0.0 # since May\n  next: "2.0.0"\n',
      'labels:\n  # live\n  production: "1.2.0" # since May\n  next: "2.0.0"\n',
    ],
    [
      'adding a label',
      next,
      'labels:\n    production: "1.0.0"\n    # more\ntitle: A\n',
      'labels:\n  production: "1.0.0"\n  next: "1.2.0"\n    # more\ntitle: A\n',
    ],
    ['a flow mapping', next, 'labels: {production: 1.0.0} # x\n', 'labels: {production: 1.0.0, next: "1.2.0"} # x\n'],
    ['an empty flow mapping', next, 'labels: {}\n', 'labels: {next: "1.2.0"}\n'],
    [
      'removing the last label',
      label('production', undefined),
      'labels:\n  # live\n  production: "1.0.0"\ntitle: A\n',
      'labels:\n  # live\n  {}\ntitle: A\n',
    ],
    [
      'removing one of two labels',
      label('production', undefined),
      'labels:\n  production: "1.0.0"\n  next: "2.0.0"\n',
      'labels:\n  next: "2.0.0"\n',
    ],
    ['the first of a flow mapping', label('a', undefined), 'labels: {a: 1.0.0, b: 2.0.0}\n', 'labels: {b: 2.0.0}\n'],
    ['the last of a flow mapping', label('b', undefined), 'labels: {a: 1.0.0, b: 2.0.0}\n', 'labels: {a: 1.0.0}\n'],
    ['flow style', next, '{title: A, tags: [a]}\n', '{title: A, tags: [a], labels: {next: "1.2.0"}}\n'],
    ['CRLF', next, 'title: A\r\ntags: [a]\r\n', 'title: A\r\ntags: [a]\r\nlabels:\r\n  next: "1.2.0"\r\n'],
    ['yanking', yank, 'yanked:\n  1.0.0: Wrong\n', 'yanked:\n  1.0.0: Wrong\n  "1.0.1": \'No: "x" # y\'\n'],
    ['an empty file', titled('A'), '', 'title: A\n'],
    ['a key on a line of its own', titled('B'), '? tags # ours\n: [a]\n', 'tags:\n  # ours\n  [a]\ntitle: B\n'],
    ['what the package would write otherwise', titled('B'), '? a\n: |- # why\nb: 1\n', 'a: ""\nb: 1\ntitle: B\n'],
  ])('%s', (_, change, before, after) => {
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

/** Returns the comments of a file's front matter. */
const commentsIn = (file: string) =>
  [...new Lexer().lex(file.slice(3).split('\n---')[0]!)]
    .filter((token) => token.startsWith('#'))
    .map((token) => token.trim())

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
      // Comments in a list that is replaced, and behind a key that is removed, go with it.
      const lost = given.path[0] === 'tags' ? 2 : given.value === undefined ? 1 : 0
      const kept = commentsIn(edited)
      const missing = commentsIn(text).filter((comment) => !kept.splice(kept.indexOf(comment) >>> 0, 1).length)
      expect(missing.length, `${text}=>${edited}`).toBeLessThanOrEqual(lost)
      // Empty lines after a block scalar belong to the scalar.
      expect(edited.startsWith(before.trimEnd())).toBe(true)
      expect(edited.endsWith(after)).toBe(true)
      const was = parseRepositoryFile(text).value as unknown as Record<string, unknown>
      const is = parseRepositoryFile(edited).value as unknown as Record<string, unknown>
      const old = was[key] as Record<string, unknown> | undefined
      if (below === undefined) {
        expect(is).toEqual({ ...was, [key]: given.value ?? (key === 'license' ? null : undefined) })
      } else {
        // A label without a split is written as its version.
        const value =
          key === 'labels' && given.value !== undefined ? { version: given.value, split: null } : given.value
        const rest = Object.fromEntries(Object.entries(old ?? {}).filter(([name]) => name !== below))
        expect(is).toEqual({ ...was, [key]: value === undefined ? rest : { ...rest, [below]: value } })
      }
    }),
    { numRuns: 60 },
  )
})
