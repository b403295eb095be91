// Checks builds from a fresh clone with converted files: a build publishes exactly the bytes in git, or it fails.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { writeData } from '../../packages/build/write-data.ts'
import { findConverted } from '../../packages/stores/content/converted-files.ts'
import { readConfig } from '../../src/config.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const PATH = 'content/acme/a/versions/1.0.0.md'
const TEXT = '---\npublished_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\n---\nOne $Id$\n'
let root = ''
let count = 0
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd, encoding: 'utf8' })
const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
beforeAll(() => {
  root = temporaryFolder('prompt-hub-converted-')
})

/** Creates a repository with additional files, and a fresh clone of it. */
function clone(more: Record<string, string>, settings: readonly string[] = [], attributes?: string): string {
  const [from, to] = [join(root, `from-${count}`), join(root, `to-${count++}`)]
  put(join(from, PATH), TEXT)
  git(from, 'init', '-q', '-b', 'main')
  git(from, 'add', '.')
  for (const [path, text] of Object.entries(more)) put(join(from, path), text)
  git(from, 'add', '.')
  git(from, 'commit', '-qm', 'all')
  git(root, 'clone', '-q', '--no-checkout', from, to)
  for (const setting of settings) git(to, 'config', ...setting.split(' ', 1), setting.slice(setting.indexOf(' ') + 1))
  if (attributes !== undefined) writeFileSync(join(to, '.git/info/attributes'), attributes)
  git(to, 'checkout', '-q', 'main')
  return to
}

function build(folder: string) {
  const config = readConfig({ CONTENT_DIR: join(folder, 'content'), SITE_URL: 'https://hub.test' })
  const siteDir = mkdtempSync(join(root, 'site-'))
  return writeData(config, { siteDir, indexPath: join(siteDir, 'search.db') })
}

const CONVERTED =
  'expected the bytes stored in git, got different bytes that git considers unchanged: the file was converted'
const REFUSED = `2 problems in the content:\n  ${PATH}: ${CONVERTED}\n  content: git check-attr -a FILE names the attribute: remove it, or set core.autocrlf to false, then check the files out again`

describe('building from a fresh clone', () => {
  //  case                               files                               git configuration  attributes of this clone
  test.each<[string, Record<string, string>, string[], string?]>([
    ['a line ending attribute', { '.gitattributes': 'content/** text eol=crlf\n' }, []],
    ['an attribute for one prompt', { '.gitattributes': 'content/acme/** text eol=crlf\ncontent/ -text\n' }, []],
    ['ident', { '.gitattributes': 'content/** -text ident\n' }, []],
    ['working-tree-encoding', { '.gitattributes': 'content/** -text working-tree-encoding=UTF-16LE-BOM\n' }, []],
    ['core.autocrlf', {}, ['core.autocrlf true']],
    [
      'a filter',
      { '.gitattributes': '*.md filter=up\n' },
      ['filter.up.smudge tr A-Za-z N-ZA-Mn-za-m', 'filter.up.clean tr A-Za-z N-ZA-Mn-za-m'],
    ],
    ['attributes in .git/info', {}, [], '*.md text eol=crlf\n'],
  ])('fails when git converted files because of %s', async (_, files, settings, attributes) => {
    const folder = clone(files, settings, attributes)
    expect(git(folder, 'status', '--porcelain')).toBe('')
    await expect(build(folder)).rejects.toThrow(REFUSED)
  })

  test('succeeds once the files are checked out again without conversion', async () => {
    const folder = clone({ '.gitattributes': 'content/** text\n' }, ['core.autocrlf true'])
    await expect(build(folder)).rejects.toThrow(REFUSED)
    git(folder, 'config', 'core.autocrlf', 'false')
    rmSync(join(folder, PATH))
    git(folder, 'checkout', '-q', '.')
    expect((await build(folder)).repositories).toBe(1)
  })

  test('succeeds with the .gitattributes of this project, whatever core.autocrlf and core.eol say', async () => {
    const folder = clone({ '.gitattributes': readFileSync('.gitattributes', 'utf8') }, [
      'core.autocrlf true',
      'core.eol crlf',
    ])
    expect((await build(folder)).repositories).toBe(1)
  })

  test.each([
    ['that convert files', '*.md text eol=crlf\n', REFUSED],
    [
      'that convert no files yet',
      '*.txt ident\n',
      'content/acme/.gitattributes: expected no .gitattributes below content',
    ],
  ])('fails on .gitattributes rules below content %s', async (_, text, message) => {
    const folder = clone({ '.gitattributes': 'content/** -text\n', 'content/acme/.gitattributes': text })
    await expect(build(folder)).rejects.toThrow(message)
  })

  test('does not report files that the user edited or added', async () => {
    const folder = clone({})
    put(join(folder, PATH), `${TEXT}edited\r\n`)
    put(join(folder, 'content/acme/b/versions/1.0.0.md'), TEXT)
    expect(await findConverted(join(folder, 'content'), process.env)).toEqual([])
  })
})

test('reports no converted files outside git, in a missing folder, or without git installed', async () => {
  const folder = temporaryFolder('prompt-hub-plain-')
  put(join(folder, PATH), TEXT)
  expect(await findConverted(join(folder, 'content'), process.env)).toEqual([])
  expect(await findConverted(join(folder, 'none'), process.env)).toEqual([])
  expect(await findConverted(join(folder, 'content'), { ...process.env, PATH: '' })).toEqual([])
})
