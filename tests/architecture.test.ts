// Checks what no other tool says: every file begins with what it does, Netlify's functions decide nothing, and the table
// in docs/architecture.md has every folder. `.dependency-cruiser.mjs`, `knip.jsonc` and `.biome.json` have all other rules.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const sources = execFileSync('git', ['ls-files', '*.ts', '*.mts', '*.mjs', '*.astro'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

test('every file starts with a comment sentence', () => {
  expect(sources.length).toBeGreaterThan(800)
  const wrong = sources.filter(({ text }) => !/^(?:---\n|#!.*\n)?(?:\/\/|\/\*\*?) ?[A-Z`].*[.:!]/.test(text))
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('every file in netlify has at most 30 lines, no branch and no JSON', () => {
  const functions = sources.filter(({ path }) => path.startsWith('netlify/'))
  expect(functions.length).toBeGreaterThan(5)
  for (const { path, text } of functions) {
    expect(text.trimEnd().split('\n').length, path).toBeLessThanOrEqual(30)
    expect(text, path).not.toMatch(/\bif\s*\(|\btry\b|JSON\./)
  }
})

test('docs/architecture.md names every folder of src, and no other', () => {
  const table = readFileSync('docs/architecture.md', 'utf8').split(/^## /m)[2]!
  const named = [...table.matchAll(/`(src\/\w+)\/(?:\w+\/)*`/g)].map(([, path]) => path!)
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const aside = ['src/public']
  expect([...new Set(named), ...aside].sort()).toEqual(folders.map(({ name }) => `src/${name}`).sort())
})
