// Checks the code in the filling guide: for every starter prompt, it gives the same result as the hub.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import { fillContent } from '../../src/domain/content/filling.ts'

const guide = readFileSync('src/pages/docs/filling.md', 'utf8')

function linesOf(language: string): string {
  const [, code = ''] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(guide) ?? []
  expect(code.trim().split('\n')).toHaveLength(3)
  return code
}

/**
 * Every starter prompt, first with only its required values, which are full of strings that break naive
 * implementations, and then with each of these values omitted.
 */
const catalogue = buildCatalogue(readContentDir('content').tree, { baseUrl: 'https://hub.test', day: '2026-11-20' })
const prompts = [...catalogue.entries.values()].flatMap(({ repository }) => {
  const { content, variables } = repository
  if (content === null) return []
  const hostile = 'a <b> & "c" $& {{d}} {e} \\1 %s'
  const values = Object.fromEntries(
    variables
      .filter((variable) => variable.required && variable.default === null)
      .map(({ name, type, options }, at) => [
        name,
        options[0] ?? { string: hostile, number: 0.5, integer: at, boolean: true, enum: '' }[type],
      ]),
  )
  const { value } = fillContent({ content, variables }, values, 'strict')
  const [needed] = Object.keys(values)
  return [
    { prompt: repository, values, filled: value!.content },
    ...(needed === undefined ? [] : [{ prompt: repository, values: { ...values, [needed]: null }, filled: null }]),
  ]
})

const cases = JSON.stringify(prompts.map(({ prompt, values }) => ({ prompt, values })))
const expected = prompts.map(({ filled }) => filled)

test('the starter prompts give enough cases to test the guide', () => {
  expect(expected.filter((filled) => filled !== null).length).toBeGreaterThan(30)
  expect(expected.filter((filled) => filled === null).length).toBeGreaterThan(20)
})

test('the TypeScript code in the guide fills every starter prompt as the hub does', () => {
  const program = `const fill = ({ prompt, values }) => { try { ${linesOf('ts')}; return filled } catch (error) { if (!/^missing: /.test(error.message)) throw error; return null } }
    process.stdout.write(JSON.stringify(JSON.parse(require('node:fs').readFileSync(0, 'utf8')).map(fill)))`
  expect(JSON.parse(execFileSync(process.execPath, ['--eval', program], { input: cases, encoding: 'utf8' }))).toEqual(
    expected,
  )
})

test('the Python code in the guide fills every starter prompt as the hub does', () => {
  const body = linesOf('python')
    .trim()
    .split('\n')
    .map((line) => `        ${line}`)
    .join('\n')
  const program = `import json, re, sys\ndef fill(case):\n    prompt, values = case["prompt"], case["values"]\n    try:\n${body}\n        return filled\n    except ValueError as error:\n        if not str(error).startswith("missing: "): raise\n        return None\nsys.stdout.write(json.dumps([fill(case) for case in json.load(sys.stdin)]))`
  const options = { input: cases, encoding: 'utf8', env: { ...process.env, PYTHONIOENCODING: 'utf-8' } } as const
  expect(JSON.parse(execFileSync('python3', ['-c', program], options))).toEqual(expected)
})
