// Tests which keys of other services cause a warning: every format of the rule set, the formats of well-known vendors
// one by one, and none of the sample prompts.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KEYS } from '../../../tests/fixtures/secret-keys.ts'
import { listContentFiles } from '../../content/content-files.ts'
import { SECRET_RULES } from './secret-rules.ts'
import { findSecrets } from './secrets.ts'

test.each(KEYS)('warns of a key of %s, wherever it stands', (_, key) => {
  for (const text of [key, `Use ${key}.`, `key: "${key}"`, `(${key})`, `a\n\n${key}\nb`, `\`${key}\`, please`]) {
    const found = findSecrets(text)
    expect(found.length, text).toBeGreaterThan(0)
    for (const { message } of found) expect(message).not.toContain(key.slice(8, 24))
  }
})

test.each(SECRET_RULES.map((rule) => [rule.id, rule] as const))('finds the format %s', (_, { pattern }) => {
  // The generator knows no assertions about the text around a key, and a dot in these formats means a dot.
  const source = pattern.source
    .replaceAll(/\\b|\(\?<?!(?:\[(?:\\.|[^\]])*\])\)/g, '')
    .replaceAll(/(?<!\\)\.(?![^[]*\])/g, String.raw`\.`)
  const keys = fc.sample(fc.stringMatching(new RegExp(`^(?:${source})$`)), { numRuns: 100, seed: 1 })
  expect(keys.some((key) => findSecrets(`Use "${key}" here`).length > 0)).toBe(true)
})

test('warns of no sample prompt, and of no placeholder', () => {
  const files = [...listContentFiles('content', { problems: [], ignored: [] })]
  expect(files.length).toBeGreaterThan(50)
  for (const path of files) expect(findSecrets(readFileSync(`content/${path}`, 'utf8')), path).toEqual([])
  for (const text of [
    `sk_${'live'}_${'x'.repeat(24)}`,
    `AK${'IA'}${'X'.repeat(16)}`,
    'https://user:{{password}}@host.example',
    'https://<user>:<password>@host.example',
    'https://user:$PASSWORD@host.example',
    'postgres://user:xxxx@host/db',
    'https://host.example:8080/path@2x.png',
    'Set OPENAI_API_KEY to sk-proj-… first.',
    'The commit is 3f786850e387550fdab836ed7e6dc881de23001b.',
  ])
    expect(findSecrets(text), text).toEqual([])
})
