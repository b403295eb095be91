// Tests that no example of this project names a model that has an announced end.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { words } from '../../../tests/words.ts'
import { parseModelsFile } from '../../catalogue/models-file.ts'
import { EXAMPLE_MODELS, nameModels } from './example-models.ts'

const { value: models } = parseModelsFile(readFileSync('content/models.yml', 'utf8'))

/** A model in YAML, JSON or code: `model: x`, `"model": "x"`, `model="x"`, `openai('x')`. */
const NAMED = /\b(?:model["']?\s*[:=]\s*|openai\()["'`]?((?:\w+\/)?[a-z][\w.]*-[\w.-]+)/gi

function namesIn(text: string): string[] {
  return [...text.matchAll(NAMED)].map(([, name]) => name!.replace(/^\w+\//, ''))
}

test('reads names of models from examples', () => {
  expect(namesIn('model: gpt-5\n{"model": "o3-mini"}\nmodel="openai/gpt-4o", openai(\'gpt-5.1\')')).toEqual([
    ...['gpt-5', 'o3-mini', 'gpt-4o', 'gpt-5.1'],
  ])
})

test('the list of models is valid, and has what ended all our examples', () => {
  expect(models?.get('gpt-5')).toEqual({
    model: 'gpt-5',
    retires_at: '2026-12-11',
    replaced_by: 'gpt-6.1-sol',
    source: 'https://developers.openai.com/api/docs/deprecations',
  })
})

test('the models of the examples have no announced end', () => {
  expect(Object.values(EXAMPLE_MODELS).filter((model) => models?.has(model))).toEqual([])
  expect(nameModels("model: 'OPENAI_MODEL'")).toBe(`model: '${EXAMPLE_MODELS.OPENAI_MODEL}'`)
})

test('no example names a model with an announced end', () => {
  const files = execFileSync(
    'git',
    words`
    ls-files -- .github README.md clients content docs packages src tests
  `,
  )
    .toString()
    .split('\n')
    .filter((file) => /\.(?:astro|json|md|py|sh|ts|ya?ml)$/.test(file))
    // These tests are about models that retire.
    .filter((file) => !/^content\/models\.yml$|^tests\/models\/|\/example-models\.test\.ts$/.test(file))
  const found = files.flatMap((file) => namesIn(readFileSync(file, 'utf8')).map((name) => ({ file, name })))
  expect(found.length).toBeGreaterThan(20)
  expect(found.filter(({ name }) => models?.has(name))).toEqual([])
})
