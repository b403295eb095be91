// Checks that hostile files below content/ are reported as problems, and that nothing in them is executed. See
// docs/contract.md section 2.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { HEAD, problemsOf } from '../../../tests/fixtures/prompt-files.ts'
import { anyText } from '../../../tests/fixtures/records.ts'
import { words } from '../../../tests/words.ts'
import { formatVersionFile, parseOwnerFile, parseRepositoryFile, parseVersionFile } from './prompt-file.ts'

describe('hostile files', () => {
  const marked = globalThis as { hostile?: unknown; polluted?: unknown }
  afterEach(() => {
    const { hostile } = marked
    delete marked.hostile
    expect(hostile).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  const run = '(globalThis.hostile = true)'
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...[...'bcdefghi'].map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[at]}`)}]`),
  ].join('\n')
  const hostile: [string, string][] = [
    ...[
      ...words`js javascript JavaScript JS json coffee toml toString constructor __proto__ valueOf hasOwnProperty yaml`,
      ...[' js', 'js ', '\tjs'],
    ].map((language): [string, string] => [
      `front matter in ${JSON.stringify(language)}`,
      `---${language}\n${run}\n---\n`,
    ]),
    ['JavaScript that is only an object', `---js\n{ published_by: ${run} }\n---\n`],
    ['JavaScript after a BOM', `\ufeff---js\n${run}\n---\n`],
    ['JavaScript with CRLF', `---js\r\n${run}\r\n---\r\n`],
    ['JavaScript that is never closed', `---js\n${run}`],
    ['JSON', `---json\n{"__proto__": {"polluted": 1}}\n---\n`],
    ['an alias bomb', `${HEAD}parameters:\n${bomb.replaceAll(/^/gm, '  ')}\n---\n`],
    ['one alias', `${HEAD}parameters:\n  a: &a 1\n  b: *a\n---\n`],
    ['an alias of itself', `${HEAD}parameters: &a\n  b: *a\n---\n`],
    ['an alias without an anchor', `${HEAD}parameters: *nothing\n---\n`],
    ['an alias as a key', `${HEAD}parameters:\n  a: &a x\n  *a : 1\n---\n`],
    ['a merged alias', `${HEAD}parameters:\n  a: &a {b: 1}\n  c:\n    <<: *a\n---\n`],
    ['500 levels of nesting', `${HEAD}parameters: ${'{a: '.repeat(500)}1${'}'.repeat(500)}\n---\n`],
    ['500 levels of nesting under an unknown key', `${HEAD}other: ${'{a: '.repeat(500)}1${'}'.repeat(500)}\n---\n`],
    ['33 levels of nesting', `${HEAD}parameters: ${'{a: '.repeat(33)}1${'}'.repeat(33)}\n---\n`],
    ['a duplicate key', `${HEAD}published_by: someone\n---\n`],
    ['a duplicate nested key', `${HEAD}parameters: {a: 1, a: 2}\n---\n`],
    ['a duplicate key, once in quotes', `${HEAD}parameters: {1: 1, "1": 2}\n---\n`],
    ['a key that is a list', `${HEAD}parameters: {[a]: 1}\n---\n`],
    ...[
      'binary aGk=',
      'js/function "function () {}"',
      'js/regexp /a/',
      'js/undefined ""',
      'set {a}',
      'omap [a: 1]',
      'pairs [a: 1]',
      'timestamp 2026-01-01',
      'python/object:os.system x',
      'merge <<',
    ].map((tag): [string, string] => [`the tag !!${tag}`, `${HEAD}parameters: {a: !!${tag}}\n---\n`]),
    ['a custom tag', `${HEAD}parameters: {a: !mine x}\n---\n`],
    ['a tag by its URI', `${HEAD}parameters: {a: !<tag:yaml.org,2002:binary> aGk=}\n---\n`],
    ['__proto__ at the top level', `${HEAD}__proto__: {polluted: 1}\n---\n`],
    ['__proto__ in quotes', `${HEAD}"__proto__": {polluted: 1}\n---\n`],
    ['__proto__ in the parameters', `${HEAD}parameters: {__proto__: {polluted: 1}}\n---\n`],
    ['a string __proto__ in the parameters', `${HEAD}parameters: {__proto__: x}\n---\n`],
    ['a nested __proto__', `${HEAD}parameters: {a: [{"__proto__": {polluted: 1}}]}\n---\n`],
    ['__proto__ in a variable', `${HEAD}variables: [{name: a, __proto__: {polluted: 1}}]\n---\n`],
    ['__proto__ in the provenance', `${HEAD}provenance: {__proto__: {polluted: 1}}\n---\n`],
    ['constructor at the top level', `${HEAD}constructor: {prototype: {polluted: 1}}\n---\n`],
    ['two documents', `${HEAD}...\npublished_by: someone\n---\n`],
    ['a directive', `---\n%YAML 1.1\n${HEAD.slice(4)}---\n`],
    ['a number that JSON cannot represent', `${HEAD}parameters: {a: .inf}\n---\n`],
    ['NaN', `${HEAD}parameters: {a: [.nan]}\n---\n`],
    ['a lone surrogate in a value', `${HEAD}parameters: {a: "\\ud800"}\n---\n`],
    ['a lone surrogate in a key', `${HEAD}parameters: {"\\ud800": 1}\n---\n`],
    ['a lone surrogate in the changelog', `${HEAD}changelog: "\\ud800"\n---\n`],
    ['a date that is not a string', '---\npublished_at: 2026-11-20\npublished_by: octocat\n---\n'],
    ['a handle that is a number', '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: 007\n---\n'],
    ['tabs instead of spaces', `${HEAD}parameters:\n\ta: 1\n---\n`],
  ]

  const deep: [string, string][] = [
    ['20,000 opening brackets', `${HEAD}parameters: ${'['.repeat(20_000)}\n---\n`],
    ['20,000 brackets', `${HEAD}parameters: {a: ${'['.repeat(20_000)}${']'.repeat(20_000)}}\n---\n`],
    ['20,000 braces', `${HEAD}parameters: ${'{a: '.repeat(20_000)}\n---\n`],
    ['20,000 list markers', `${HEAD}parameters:\n  a: ${'- '.repeat(20_000)}\n---\n`],
  ]

  test.each(deep)('reports %s as problems and does not throw', (_, text) => {
    const problems = problemsOf(parseVersionFile(text))
    expect(problems).not.toEqual([])
    expect(problems.join('')).not.toMatch(/\n|\.ts:|node_modules/)
  })

  test.each(hostile)('reports %s as problems and does not throw', (_, text) => {
    for (const parse of [parseVersionFile, parseRepositoryFile, parseOwnerFile]) {
      const problems = problemsOf(parse(text))
      expect(problems).not.toEqual([])
      for (const problem of problems) expect(problem).not.toMatch(/[\p{Cc}\p{Cf}]|\.ts:|node_modules/u)
      expect(marked.hostile).toBeUndefined()
    }
  })

  test.each(hostile)('treats %s as plain text in the prompt content', (_, content) => {
    const text = formatVersionFile({ published_at: '2026-11-20T10:00:00Z', published_by: 'octocat', content })
    expect(parseVersionFile(text).value?.content).toBe(content)
    expect(marked.hostile).toBeUndefined()
  })

  test('returns a value or printable problems for any input', () => {
    const file = fc.oneof(
      anyText,
      anyText.map((text) => `---\n${text}\n---\n`),
      anyText.map((text) => `${HEAD}${text}\n---\n${text}`),
    )
    fc.assert(
      fc.property(file, (text) => {
        for (const parse of [parseVersionFile, parseRepositoryFile, parseOwnerFile]) {
          const { value, problems } = parse(text)
          expect(value === undefined).toBe(problems !== undefined && problems.length > 0)
          for (const { key, message } of problems ?? []) expect(`${key}${message}`).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('shortens long values in messages and replaces control characters', () => {
    expect(problemsOf(parseRepositoryFile('---\nstatus: "\\u009b31m\\u202e"\n---\n'))).toEqual([
      'status: expected "active" or "deprecated" or "archived", got "?31m?"',
    ])
    const long = `${HEAD}variables: [{name: a, type: enum, options: [x], default: "${'z'.repeat(5000)}"}]\n---\n`
    expect(problemsOf(parseVersionFile(long))).toEqual([
      'variables.0.default: expected one of the options, got a long string',
    ])
  })
})
