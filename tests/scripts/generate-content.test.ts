// Tests `npm run generate`: the content satisfies every rule, and the same seed produces the same bytes.
import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generateContent } from '../../scripts/content/generate-content.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const dir = temporaryFolder('generate-content-')

const generate = (name: string, seed: number, repositories = 40) =>
  generateContent({ repositories, versions: 3, seed, dir: join(dir, name) })

/** Returns a single digest of all paths and bytes below a folder. */
function digest(name: string): string {
  const entries = readdirSync(join(dir, name), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return hash(
    'sha256',
    paths
      .sort()
      .map((path) => [path.slice(join(dir, name).length), readFileSync(path, 'utf8')])
      .join('\n'),
  )
}

test('the same seed generates the same bytes, another seed different ones', () => {
  generate('first', 1)
  generate('again', 1)
  generate('other', 2)
  expect(digest('again')).toBe(digest('first'))
  expect(digest('other')).not.toBe(digest('first'))
})

test('generated content is valid, has the requested counts and includes some much larger prompts', () => {
  const made = generate('valid', 3, 120)
  const { tree, problems, filesRead } = readContentDir(join(dir, 'valid'))
  expect(problems).toEqual([])
  const repositories = [...tree.repositories.values()]
  expect(repositories).toHaveLength(120)
  expect(repositories.filter(({ versions }) => versions.length !== 3)).toEqual([])
  expect(tree.owners.size).toBe(made.owners)
  expect(filesRead).toBe(made.files)
  const statuses = new Set(repositories.map(({ file }) => file?.status))
  expect(statuses).toEqual(new Set(['active', 'deprecated', 'archived']))
  for (const key of ['yanked', 'labels'] as const) {
    expect(repositories.some(({ file }) => Object.keys(file?.[key] ?? {}).length > 0)).toBe(true)
  }
  expect(repositories.some(({ versions }) => versions.some(({ variables }) => variables.length > 0))).toBe(true)
  const sizes = repositories.map(({ versions }) => versions[0]!.size_bytes).sort((a, b) => a - b)
  expect(sizes.at(-1)!).toBeGreaterThan(5 * sizes[60]!)
})

test('replaces a folder it generated and leaves any other folder alone', () => {
  generate('replaced', 5, 20)
  generate('replaced', 5, 10)
  expect(readContentDir(join(dir, 'replaced')).tree.repositories.size).toBe(10)
  mkdirSync(join(dir, 'mine'))
  writeFileSync(join(dir, 'mine/notes.md'), 'mine')
  expect(() => generate('mine', 5)).toThrow('did not create')
  expect(readdirSync(join(dir, 'mine'))).toEqual(['notes.md'])
  const advice = 'No folder can be created there. Choose a new or empty folder.'
  for (const taken of ['mine/notes.md', 'mine/notes.md/below'])
    expect(() => generate(taken, 5)).toThrow(`${join(dir, taken)}: ${advice}`)
})
