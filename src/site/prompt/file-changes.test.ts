// Tests how a comparison shows the files of a skill: which differ, and the lines of short texts.
import { expect, test } from 'vitest'
import type { VersionRecord } from '../../domain/api/schema.ts'
import { measureFile } from '../../files/measure.ts'
import { renderComparison } from './render-difference.ts'
import { readComparedFiles } from './skill-files.ts'

type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>

/** A version with files, and the function that reads them. */
function versionOf(version: string, files: Files) {
  const measured = Object.entries(files).map(([path, content]) =>
    measureFile(path, typeof content === 'string' ? new TextEncoder().encode(content) : content),
  )
  const record = {
    owner: 'acme',
    name: 'forms',
    version,
    content: 'x',
    variables: [],
    parameters: {},
    raw_url: '',
    files: measured.map(({ bytes: _bytes, ...file }) => ({
      ...file,
      url: `https://hub.example/${version}/${file.path}`,
    })),
  }
  return { record: record as unknown as VersionRecord, measured }
}

async function compare(before: Files, after: Files) {
  const [from, to] = [versionOf('1.0.0', before), versionOf('1.1.0', after)]
  const read: string[] = []
  const findFile = async (_owner: string, _name: string, version: string, path: string) => {
    read.push(`${version} ${path}`)
    return [from, to].find(({ record }) => record.version === version)?.measured.find((file) => file.path === path)
      ?.bytes
  }
  const texts = await readComparedFiles({ findFile }, from.record, to.record)
  const { files } = renderComparison(from.record, to.record, texts)
  return { files, texts, read }
}

test('added, removed and changed files, with the lines of texts', async () => {
  const { files, read } = await compare(
    { 'a.md': 'one\ntwo\n', 'gone.sh': 'rm\n', 'same.md': 'x', 'logo.bin': new Uint8Array([0, 1]) },
    { 'a.md': 'one\n<b>three</b>\u202e\n', 'new.py': 'print()\n', 'same.md': 'x', 'logo.bin': new Uint8Array([0, 2]) },
  )
  expect(read).toEqual(['1.0.0 a.md', '1.0.0 gone.sh', '1.1.0 a.md', '1.1.0 new.py'])
  const words = files.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  expect(words).toContain('+ Added new.py')
  expect(words).toContain('− Removed gone.sh')
  expect(words).toContain('· Changed a.md ( before )')
  expect(words).toContain('· Changed logo.bin ( before )')
  expect(words).toContain('a.md 1 added, 1 removed one Removed: two Added: &lt;b&gt;three&lt;/b&gt;')
  expect(words).toContain('gone.sh 0 added, 1 removed Removed: rm')
  expect(words).toContain('new.py 1 added, 0 removed Added: print()')
  expect(files).toContain('data-code="U+202E"')
  expect(files.match(/<details/g)).toHaveLength(3)
  expect(files).not.toMatch(/<b>|logo\.bin<\/code>/)
})

test('texts beyond the limit are only listed, and a text is never compared with half a pair', async () => {
  const long = 'x\n'.repeat(32_000)
  const { texts, files } = await compare(
    { 'a.md': long, 'b.md': 'b'.repeat(2_000), 'c.md': 'c' },
    { 'a.md': `${long}y`, 'b.md': 'B', 'c.md': 'C' },
  )
  expect(texts.map(({ path }) => path)).toEqual(['a.md', 'c.md'])
  expect(files).toContain('Changed <a href="https://hub.example/1.1.0/b.md">b.md</a>')
  // 32,000 lines are too many to compare.
  expect(files.match(/<summary><code>[^<]*/g)).toEqual(['<summary><code>c.md'])
})

test('no files, no section', async () => {
  expect((await compare({ 'a.md': 'x' }, { 'a.md': 'x' })).files).toBe('')
})
