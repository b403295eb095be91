// Tests that `npm run import` writes nothing that a build cannot read, and destroys nothing that is there.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parseRepositoryFile } from '../../src/domain/content/prompt-file.ts'
import { type ImportFolder, makeImportFolder } from './importing.ts'

let folder: ImportFolder
beforeEach(() => {
  folder = makeImportFolder()
})

const give = (path: string, text: string) => folder.give(path, text)
const importAll = () => folder.importAll(join(folder.dir, 'given'))
const isThere = (path: string) => existsSync(join(folder.dir, 'content/acme', path))

test('a version whose file would be too long for a build is refused, whatever the format', () => {
  const deep = `${'{"a": '.repeat(30)}[${Array(17_000).fill(1)}]${'}'.repeat(30)}`
  give('given/file.md', `---\nparameters: ${deep}\n---\nHi\n`)
  give('given/other.json', `{"name": "other", "type": "text", "prompt": "Hi", "config": ${deep}}`)
  const reason = /^parameters: expected a version file of at most 1048576 bytes, got 1\d{6}; shorten the parameters/
  const refused = { status: 'refused', reasons: [expect.stringMatching(reason)] }
  expect(importAll()).toMatchObject([refused, refused])
  expect(isThere('')).toBe(false)
})

test('more versions than a prompt may have are refused', () => {
  const all = Array.from({ length: 1_001 }, (_, at) => ({ name: 'many', version: at + 1, prompt: `Hi ${at}` }))
  give('given/many.json', JSON.stringify(all))
  expect(importAll()).toMatchObject([
    { status: 'refused', reasons: ['versions: expected at most 1000. Import the newer ones under another name'] },
  ])
  expect(isThere('many')).toBe(false)
})

test('a prompt whose latest version cannot be read is refused with its path, and all others are imported', () => {
  give('given/broken.md', 'Hi.\n')
  give('given/fine.md', 'Hi.\n')
  give('content/acme/broken/versions/2.0.0.md', 'no front matter')
  expect(importAll()).toMatchObject([
    {
      name: 'broken',
      status: 'refused',
      reasons: [
        expect.stringMatching(
          /^version: content\/acme\/broken\/versions\/2\.0\.0\.md cannot be read: line 1: .*\. Mend/,
        ),
      ],
    },
    { name: 'fine', status: 'new' },
  ])
  expect(isThere('broken/versions/1.0.0.md')).toBe(false)
  expect(folder.read('content/acme/broken/versions/2.0.0.md')).toBe('no front matter')
})

test('an index.md without versions is kept: a broken one is refused, and numbers that were taken down stay unused', () => {
  give('given/broken.md', 'Hi.\n')
  give('given/gone.md', 'Hi.\n')
  give('content/acme/broken/index.md', 'no front matter')
  give(
    'content/acme/gone/index.md',
    '---\ntitle: Gone\nremoved: {"1.0.0": "A key", "1.1.0": "It again"}\n---\nNotes.\n',
  )
  expect(importAll()).toMatchObject([
    { name: 'broken', status: 'refused', reasons: [expect.stringContaining('line 1: expected a first line')] },
    { name: 'gone', status: 'new', version: '1.2.0' },
  ])
  expect(folder.read('content/acme/broken/index.md')).toBe('no front matter')
  expect(parseRepositoryFile(folder.read('content/acme/gone/index.md')).value).toMatchObject({
    title: 'Gone',
    removed: { '1.0.0': 'A key', '1.1.0': 'It again' },
    readme: 'Notes.',
  })
})

test('no control character of a name or a key reaches the terminal', async () => {
  give('given/\u001b[31mred.md', 'Hi.\n')
  give('given/\u009b2Jkey.md', 'Hi.\n')
  give('given/front.md', '---\n"\\e[31mred": 1\n---\nHi.\n')
  give('given/two\nlines.txt', 'Hi.\n')
  give('given/\u202eexe.py', 'x')
  const { status, stdout, stderr } = await folder.run('import-prompts', join(folder.dir, 'given'), '--owner', 'acme')
  expect(status).toBe(1)
  expect(stdout + stderr).not.toMatch(/[^\P{C}\n]/u)
  expect(stdout).toContain('lost     ?[31mred: Prompt Hub does not support it\n')
  expect(stdout).toContain(
    'given/two?lines.txt\n  refused  file: expected a path without control characters. Rename it\n',
  )
  expect(stdout).toMatch(/Refused +3\n/)
  const listed = await folder.run('import-prompts', join(folder.dir, 'given'), '--owner', 'acme', '--json')
  expect(listed.stdout + listed.stderr).not.toMatch(/[^\P{C}\n]/u)
  rmSync(join(folder.dir, 'given'), { recursive: true })
})
