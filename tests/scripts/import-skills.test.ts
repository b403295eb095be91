// Tests that a skill is imported and exported as a folder, whole or not at all, whatever is in the folder.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseVersionFile } from '../../src/domain/content/prompt-file.ts'
import { writeFiles } from '../write-files.ts'
import { type ImportFolder, makeImportFolder } from './importing.ts'

let folder: ImportFolder
let dir: string
beforeEach(() => {
  folder = makeImportFolder()
  dir = folder.dir
})

const SKILL = '---\nname: pdf\ndescription: Fills in PDF forms.\n---\nRun `scripts/fill.py`.\n'
type Files = Readonly<Record<string, string | Uint8Array>>
const BINARY = Uint8Array.from({ length: 256 }, (_, at) => at)
const FILES: Files = {
  'scripts/fill.py': 'print("é")\r\n',
  'scripts/__init__.py': '',
  'references/README.md': '# Not a prompt\n',
  'assets/form.pdf': BINARY,
  'assets/deep/er/a.prompt.md': '---\nmode: agent\n---\nNot a prompt either.\n',
  'prompts/review.prompty': '---\nname: Neither\n---\nsystem:\nHi\n',
}

/** Writes a skill to `given/{name}`. */
function give(files: Files = {}, text = SKILL, name = 'pdf'): string {
  const root = join(dir, 'given', name)
  writeFiles(root, { 'SKILL.md': text, ...files })
  return root
}
const importAll = () => folder.importAll(join(dir, 'given'))

/** Reads all files below a folder, as Latin-1 by path. */
function readAll(root: string): Record<string, string> {
  if (!existsSync(root)) return {}
  const entries = readdirSync(root, { withFileTypes: true, recursive: true })
  const paths = entries.flatMap((one) => (one.isDirectory() ? [] : [join(one.parentPath, one.name)]))
  return Object.fromEntries(paths.map((path) => [path.slice(root.length + 1), readFileSync(path, 'latin1')]).sort())
}
const latin1 = (files: Files) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [path, Buffer.from(content).toString('latin1')]))
const versionFolder = (version: string, name = 'pdf') => join(dir, 'content/acme', name, 'versions', version)
const exportTo = (out: string) => folder.run('export-prompts', '--format', 'skill', '--out', join(dir, out))

describe('a skill is imported whole', () => {
  test('with all its files, byte for byte, and nothing else becomes a prompt', async () => {
    give(FILES)
    expect(importAll()).toMatchObject([{ name: 'pdf', status: 'new', version: '1.0.0', lost: [], reasons: [] }])
    expect(readAll(versionFolder('1.0.0'))).toEqual(latin1(FILES))
    expect(readdirSync(join(dir, 'content/acme'))).toEqual(['pdf'])
    expect((await folder.run('check-content')).status).toBe(0)
  })

  test.each([
    ['a file changed', { 'scripts/fill.py': 'print(2)\n' }],
    ['a file added', { 'scripts/more.py': 'print(3)\n' }],
  ])('twice is unchanged, and with %s is a new version', (_what, change) => {
    const root = give(FILES)
    importAll()
    expect(importAll()).toMatchObject([{ status: 'unchanged', version: '1.0.0', lost: [] }])
    give(change)
    expect(importAll()).toMatchObject([{ status: 'changed', version: '1.1.0', lost: [] }])
    expect(readAll(versionFolder('1.1.0'))).toEqual(latin1({ ...FILES, ...change }))
    expect(readAll(versionFolder('1.0.0'))).toEqual(latin1(FILES))
    rmSync(join(root, 'assets'), { recursive: true })
    expect(importAll()).toMatchObject([{ status: 'changed', version: '1.2.0' }])
    expect(Object.keys(readAll(versionFolder('1.2.0'))).filter((path) => path.startsWith('assets'))).toEqual([])
    expect(importAll()).toMatchObject([{ status: 'unchanged', version: '1.2.0' }])
  })

  test('and exported and imported again, it is unchanged, with compatibility and metadata', async () => {
    const front = 'compatibility: Needs Python 3.12\nmetadata:\n  author: Åse\n  retries: 3\n  version: "9"'
    give(FILES, `---\nname: pdf\ndescription: Fills in PDF forms.\n${front}\n---\n\nRun {{it}}.\r\n`)
    expect(importAll()).toMatchObject([{ status: 'new', lost: ['line 5: metadata.version: the hub writes its own'] }])
    expect(await exportTo('out')).toMatchObject({ status: 0, stdout: expect.stringContaining('Written 1\nRefused 0') })
    const { 'SKILL.md': text = '', ...others } = readAll(join(dir, 'out/acme/pdf'))
    expect(others).toEqual(latin1(FILES))
    expect(text).toMatch(/\ncompatibility: "Needs Python 3\.12"\nmetadata:\n {2}author: .*\n {2}retries: "3"\n/)
    expect(text).toMatch(/\n---\n\nRun \{\{it\}\}\.\r\n$/)
    expect(folder.importAll(join(dir, 'out'))).toMatchObject([{ name: 'pdf', status: 'unchanged', lost: [] }])
    rmSync(join(dir, 'content'), { recursive: true })
    mkdirSync(join(dir, 'content'))
    expect(folder.importAll(join(dir, 'out'))).toMatchObject([{ name: 'pdf', status: 'new', lost: [] }])
    expect((await exportTo('again')).status).toBe(0)
    expect(readAll(join(dir, 'again/acme/pdf'))).toEqual(readAll(join(dir, 'out/acme/pdf')))
  })

  test.each([
    ['its folder', 'given/pdf'],
    ['its SKILL.md', 'given/pdf/SKILL.md'],
  ])('if %s is given', (_what, path) => {
    give({ ...FILES, '.git/config': 'x', 'README.md': 'x' })
    expect(folder.importAll(join(dir, path))).toMatchObject([
      {
        name: 'pdf',
        status: 'new',
        lost: ['files: .git/: left out, because systems and programs leave this in a folder'],
      },
    ])
    expect(readAll(versionFolder('1.0.0'))).toEqual(latin1({ ...FILES, 'README.md': 'x' }))
  })

  test('and another folder with the same text and other files does not change it', () => {
    give(FILES)
    importAll()
    renameSync(join(dir, 'given'), join(dir, 'other'))
    writeFileSync(join(dir, 'other/pdf/scripts/fill.py'), 'print(0)\n')
    expect(folder.importAll(join(dir, 'other'))).toMatchObject([
      { status: 'refused', reasons: [expect.stringContaining('another text or other files')] },
    ])
    expect(readAll(versionFolder('1.0.0'))).toEqual(latin1(FILES))
  })

  test('whatever its files contain', () => {
    const segment = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,5}$/)
    const bytes = fc.uint8Array({ maxLength: 300 })
    let count = 0
    fc.assert(
      fc.property(fc.dictionary(segment, bytes, { maxKeys: 6 }), fc.string(), (given, body) => {
        // Below a folder, no name is one of a device, and none differs from another in case alone.
        const files = Object.fromEntries(Object.entries(given).map(([name, one], at) => [`f${at}/x-${name}`, one]))
        const name = `s${count++}`
        rmSync(join(dir, 'given'), { recursive: true, force: true })
        give(files, `---\nname: ${name}\ndescription: x\n---\n${JSON.stringify(body)}\n`, name)
        const [line] = importAll()
        if (line?.status !== 'new') return
        expect(readAll(versionFolder('1.0.0', name))).toEqual(latin1(files))
        expect(importAll()).toMatchObject([{ status: 'unchanged' }])
      }),
      { numRuns: 12 },
    )
    expect(readdirSync(join(dir, 'content/acme')).length).toBeGreaterThan(6)
  })
})

describe('a folder with a prompt file of a skill', () => {
  const VERSION =
    '---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\nvariables:\n  - name: form\n    type: enum\n    options: [a, b]\nskill: {description: Fills in forms., license: MIT, metadata: {author: x}}\n---\nFill in {{form}} with `fill.py`.\n'
  /** Publishes skills: `pdf` with files, and `prompt`, whose name is that of the file, without any. */
  const publish = () => {
    for (const name of ['pdf', 'prompt']) {
      folder.give(`content/acme/${name}/index.md`, `---\ntitle: My ${name}\ntags: [forms]\nlicense: MIT\n---\n`)
      folder.give(`content/acme/${name}/versions/1.0.0.md`, VERSION)
    }
    writeFiles(versionFolder('1.0.0'), FILES)
    folder.give('content/acme/plain/versions/1.0.0.md', VERSION.replace(/^skill:.*\n/m, ''))
  }
  const exportMarkdown = () => folder.run('export-prompts', '--format', 'markdown', '--out', join(dir, 'out'))

  test('is what an export as Markdown writes, and its import is the same version with all files and fields', async () => {
    publish()
    expect(await exportMarkdown()).toMatchObject({ status: 0, stdout: '\nWritten 3\nRefused 0\n' })
    expect(readdirSync(join(dir, 'out/acme')).sort()).toEqual(['pdf', 'plain.md', 'prompt'])
    const { 'prompt.md': text = '', ...others } = readAll(join(dir, 'out/acme/pdf'))
    expect(others).toEqual(latin1(FILES))
    expect(text).toMatch(/^---\ntitle: "?My pdf"?\ntags:/)
    rmSync(join(dir, 'content'), { recursive: true })
    mkdirSync(join(dir, 'content'))
    const lines = folder.importAll(join(dir, 'out/acme'))
    expect(lines.map(({ name, status, lost, reasons }) => [name, status, lost, reasons])).toEqual([
      ['pdf', 'new', [], []],
      ['plain', 'new', [], []],
      ['prompt', 'new', [], []],
    ])
    expect(readAll(versionFolder('1.0.0'))).toEqual(latin1(FILES))
    const imported = parseVersionFile(folder.read('content/acme/pdf/versions/1.0.0.md')).value!
    const { content, skill, variables } = parseVersionFile(VERSION).value!
    expect(imported).toMatchObject({ content, skill, variables })
    expect(folder.read('content/acme/pdf/index.md')).toContain('My pdf')
    expect(folder.importAll(join(dir, 'out/acme')).map(({ status }) => status)).toEqual(Array(3).fill('unchanged'))
    writeFileSync(join(dir, 'out/acme/pdf/scripts/fill.py'), 'print(2)\n')
    expect(folder.importAll(join(dir, 'out/acme'))[0]).toMatchObject({ name: 'pdf', status: 'changed', lost: [] })
    expect(readAll(versionFolder('1.1.0'))['scripts/fill.py']).toBe('print(2)\n')
  })

  test('is refused as a whole if the prompt file is, and is ordinary without the field `skill`', () => {
    folder.give('given/pdf/prompt.md', '---\nskill: {}\n---\nText\n')
    folder.give('given/pdf/guide.md', 'A guide\n')
    expect(importAll()).toEqual([
      expect.objectContaining({
        name: null,
        status: 'refused',
        reasons: [expect.stringMatching(/^line 2: skill\.desc/)],
      }),
    ])
    folder.give('given/pdf/prompt.md', '---\ntitle: A\nparameters: {a: 1}\n---\nText\n')
    expect(importAll().map(({ name, status }) => [name, status])).toEqual([
      ['guide', 'new'],
      ['pdf', 'new'],
    ])
  })

  test('of its files, a link is named, and one that has the name of the prompt file refuses its export', async () => {
    folder.give('given/pdf/prompt.md', '---\nskill: {description: x}\n---\nRun `run.sh`.\n')
    symlinkSync('/etc/passwd', join(dir, 'given/pdf/run.sh'))
    folder.give('given/pdf/Prompt.MD', 'x')
    expect(importAll()).toMatchObject([
      { name: 'pdf', status: 'new', lost: [expect.stringMatching(/^files: run\.sh: .* or correct prompt\.md$/)] },
    ])
    expect(await exportMarkdown()).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('refused  files: a file of the skill has the name of its prompt file, prompt.md'),
    })
    expect(readAll(join(dir, 'out'))).toEqual({})
  })
})

describe('what is left out is named', () => {
  test('what systems and programs leave, as the clients leave it out', () => {
    const { junk } = JSON.parse(readFileSync('tests/fixtures/paths.json', 'utf8')) as { junk: string[] }
    give(Object.fromEntries([['a.md', 'x'], ...junk.map((path) => [path, 'x'])]))
    const [line] = importAll()
    expect(line).toMatchObject({ status: 'new', reasons: [] })
    expect(line!.lost).toHaveLength(junk.length)
    for (const each of line!.lost)
      expect(each).toMatch(/: left out, because systems and programs leave this in a folder$/)
    expect(readAll(versionFolder('1.0.0'))).toEqual({ 'a.md': 'x' })
  })

  test('links, dot files, and folders that programs fill', () => {
    const root = give({ '.env': 'x', 'node_modules/a/index.js': 'x', 'scripts/.cache/x': 'x', 'scripts/fill.py': 'x' })
    symlinkSync('/etc/passwd', join(root, 'scripts/run.sh'))
    symlinkSync('..', join(root, 'scripts/loop'))
    symlinkSync('nowhere', join(root, 'broken'))
    writeFileSync(join(root, 'SKILL.md'), SKILL.replace('fill.py', 'run.sh'))
    const [line] = importAll()
    expect(line).toMatchObject({ status: 'new', reasons: [] })
    expect(line!.lost).toEqual([
      'files: .env: left out, because its name begins with a dot',
      'files: broken: left out, because it is a link',
      'files: node_modules/: left out, because systems and programs leave this in a folder',
      'files: scripts/.cache/: left out, because its name begins with a dot',
      'files: scripts/loop: left out, because it is a link',
      'files: scripts/run.sh: left out, because it is a link. SKILL.md names it: replace it with an ordinary file, or correct SKILL.md',
    ])
    expect(readAll(versionFolder('1.0.0'))).toEqual({ 'scripts/fill.py': 'x' })
  })

  test('FIFOs and sockets, without waiting for them', () => {
    const root = give({ 'a.txt': 'x' })
    expect(spawnSync('mkfifo', [join(root, 'pipe')]).status).toBe(0)
    expect(spawnSync('mknod', [join(root, 'zero'), 'c', '1', '5']).status).toBe(0)
    const [line] = importAll()
    expect(line).toMatchObject({ status: 'new' })
    expect(line!.lost).toEqual([
      'files: pipe: left out, because it is not an ordinary file',
      'files: zero: left out, because it is not an ordinary file',
    ])
  })
})

describe('what exceeds a limit is named, with the way out, and nothing is written', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f/${String(at).padStart(5, '0')}`, 'x']))
  const big = (length: number) => Buffer.alloc(length, 'x')
  test.each<[string, Files, RegExp]>([
    ['501 files', many(501), /^files: expected at most 500 files beside SKILL\.md; the next one is f\/00500\. Remove/],
    [
      'a large file',
      { 'a.bin': big(2_000_001) },
      /^files: a\.bin: expected at most 2000000 bytes, got 2000001\. Make it smaller/,
    ],
    [
      'large files together',
      Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`${at}.bin`, big(1_600_000 + at)])),
      /^files: expected files of at most 8000000 bytes together, got 8000015\. The largest is 5\.bin with 1600005 bytes\./,
    ],
    ['a deep path', { 'a/b/c/d/e/f/g/h/i': 'x' }, /^files: a\/b\/c\/d\/e\/f\/g\/h\/: expected at most 8 parts/],
    [
      'names that differ in case',
      { 'a/Run.sh': 'x', 'a/run.sh': 'x' },
      /^files: a\/run\.sh: .*in more than case\. Rename it/,
    ],
    ['a name in another script', { 'å.txt': 'x' }, /^files: .*\.txt: expected a relative path of .* Rename it/],
    ['two ways to write one name', { 'e\u0301.txt': 'x', 'é.txt': 'y' }, /Rename it/],
    ['a device', { 'a/aux.txt': 'x' }, /^files: a\/aux\.txt: .*Windows.*Rename it/],
    ['a skill in a skill', { 'b/SKILL.md': SKILL }, /^files: b\/SKILL\.md: .*import that folder by itself/],
    ['a control character', { 'a\u001b[31m.txt': 'x' }, /^files: a[^\u001b]*\.txt: expected/],
    [
      'a private key',
      {
        'key.pem': `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA7'.repeat(20)}\n-----END RSA PRIVATE KEY-----\n`,
      },
      /^files: key\.pem: line 1: .*Remove it/,
    ],
  ])('%s', (_what, files, says) => {
    give(files)
    const [line, ...more] = importAll()
    expect(more).toEqual([])
    expect(line).toMatchObject({ status: 'refused', name: null })
    expect(line!.reasons[0]).toMatch(says)
    expect(readdirSync(join(dir, 'content'))).toEqual([])
  })

  test('a file of several gigabytes is not read', () => {
    const root = give()
    writeFileSync(join(root, 'huge'), '')
    truncateSync(join(root, 'huge'), 8_589_934_592)
    expect(importAll()).toMatchObject([{ status: 'refused' }])
  })

  test('files of a SKILL.md that cannot be a skill', () => {
    give(FILES, SKILL.replace('Fills in', 'Fills <in>'))
    const [line] = importAll()
    expect(line).toMatchObject({ status: 'refused', name: null })
    expect(line!.lost).toEqual(['line 3: skill: a skill description must not contain <'])
    expect(line!.reasons).toEqual(['files: only a skill has files. Change in SKILL.md what is named above'])
  })

  test('and other skills are imported all the same', () => {
    give(many(501), SKILL, 'large')
    give(FILES, SKILL, 'small')
    expect(importAll().map(({ status }) => status)).toEqual(['refused', 'new'])
  })
})

describe('an import that was killed', () => {
  /** The states that a killed import leaves, from the earliest. */
  test.each([
    ['in the folder of the files', () => renameSync(versionFolder('1.0.0'), versionFolder('1.0.0.tmp'))],
    ['before the version file', () => {}],
    ['in the version file', () => writeFileSync(`${versionFolder('1.0.0')}.md.tmp`, '---\npubl')],
  ])('%s is finished by the next one', async (_when, leave) => {
    give(FILES)
    importAll()
    const wanted = readAll(join(dir, 'content'))
    rmSync(`${versionFolder('1.0.0')}.md`)
    rmSync(join(dir, 'content/acme/pdf/index.md'))
    leave()
    expect(importAll()).toMatchObject([{ status: 'new', version: '1.0.0', lost: [], reasons: [] }])
    expect(Object.keys(readAll(join(dir, 'content')))).toEqual(Object.keys(wanted))
    expect(readAll(versionFolder('1.0.0'))).toEqual(latin1(FILES))
    expect((await folder.run('check-content')).status).toBe(0)
  })

  test('before index.md is finished by the next one', () => {
    give(FILES)
    importAll()
    const index = folder.read('content/acme/pdf/index.md')
    rmSync(join(dir, 'content/acme/pdf/index.md'))
    expect(importAll()).toMatchObject([{ version: '1.0.0', lost: [], reasons: [] }])
    expect(folder.read('content/acme/pdf/index.md')).toBe(index)
    expect(importAll()).toMatchObject([{ status: 'unchanged' }])
  })

  test('leaves a folder with other files alone', async () => {
    give(FILES)
    mkdirSync(versionFolder('1.0.0'), { recursive: true })
    writeFileSync(join(versionFolder('1.0.0'), 'mine.txt'), 'mine')
    const { status, stderr } = await folder.run('import-prompts', join(dir, 'given'), '--owner', 'acme')
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/expected no folder without its version file/),
    })
    expect(readAll(versionFolder('1.0.0'))).toEqual({ 'mine.txt': 'mine' })
    expect(existsSync(`${versionFolder('1.0.0')}.md`)).toBe(false)
  })
})

describe('an export', () => {
  test('refuses a folder with other files, which would become part of the skill', async () => {
    give(FILES)
    importAll()
    mkdirSync(join(dir, 'out/acme/pdf/scripts'), { recursive: true })
    writeFileSync(join(dir, 'out/acme/pdf/scripts/old.py'), 'x')
    expect((await exportTo('out')).stdout).toMatch(
      /acme\/pdf\n {2}refused {2}files: its folder has 1 other file: scripts\/old\.py\./,
    )
    expect(readAll(join(dir, 'out'))).toEqual({ 'acme/pdf/scripts/old.py': 'x' })
    rmSync(join(dir, 'out/acme/pdf/scripts/old.py'))
    expect((await exportTo('out')).stdout).toContain('Written 1\nRefused 0')
    expect((await exportTo('out')).stdout).toContain('Written 1\nRefused 0')
  })

  test('follows no link in its folder', async () => {
    give(FILES)
    importAll()
    mkdirSync(join(dir, 'out'))
    mkdirSync(join(dir, 'elsewhere'))
    symlinkSync('../elsewhere', join(dir, 'out/acme'))
    expect(await exportTo('out')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('expected no symbolic link'),
    })
    expect(readdirSync(join(dir, 'elsewhere'))).toEqual([])
  })

  test('of a skill in a format of one file says that its files are lost', async () => {
    give(FILES)
    importAll()
    const { stdout } = await folder.run('export-prompts', '--format', 'prompty', '--out', join(dir, 'out'))
    expect(stdout).toMatch(/acme\/pdf\n {2}lost {5}files\n/)
  })
})
