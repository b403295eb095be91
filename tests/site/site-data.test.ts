// Tests how a host processes its content: an invalid file affects only itself, only changed files are read, and an
// incomplete build is never used.

import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { restoreRepository } from '../../src/build/recorded-entry.ts'
import type { MadeBuild } from '../../src/build/site-data.ts'
import { openSiteDatabase } from '../../src/built/site-database.ts'
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import { makeEntry } from '../../src/catalogue/entry.ts'
import { groupProblems } from '../../src/catalogue/last-good.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import type { ContentReader } from '../../src/content/content-files.ts'
import { pointing } from '../fixtures/labels.ts'
import { versionFile } from '../fixtures/prompt-files.ts'
import { openHostSite } from '../hubs/host-site.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

let dir = ''
let contentDir = ''
const open: ReturnType<typeof openHostSite>[] = []
beforeEach(() => {
  dir = temporaryFolder('prompt-hub-kept-')
  contentDir = join(dir, 'content')
  put('acme/index.md', '---\nname: Acme\n---\n')
  put('acme/a/versions/1.0.0.md', versionFile('One'))
  put('acme/b/index.md', '---\ntitle: Before\n---\n')
  put('acme/b/versions/1.0.0.md', versionFile('Two'))
})
afterEach(() => {
  for (const site of open.splice(0)) site.close()
})

const put = (path: string, text: string) => writeFiles(dir, { [`content/${path}`]: text })
const path = () => join(dir, 'hub/site.db')

function openSite(code?: string) {
  const site = openHostSite(path(), { contentDir, baseUrl: 'https://hub.test' }, code)
  open.push(site)
  const read = (added?: ReadonlyMap<string, string>) => site.makeBuild('2026-11-20', added)
  return { ...site, read }
}

/** Simulates a new process that uses the data of the previous one. */
function restart(code?: string) {
  for (const site of open.splice(0)) site.close()
  return openSite(code)
}

const entryOf = ({ catalogue }: MadeBuild, name: string) => catalogue.entries.get(name)
const titleOf = (state: MadeBuild, name: string) => entryOf(state, name)?.repository.title
const versionsOf = (state: MadeBuild, name: string) =>
  entryOf(state, name)
    ?.versions.map(({ record }) => record.version)
    .toSorted()

test('a broken file keeps its last good state; everything else is updated', async () => {
  const site = openSite()
  expect((await site.read()).catalogue.entries.size).toBe(2)
  put('acme/b/index.md', '---\ntitel: Wrong\n---\n')
  put('acme/b/versions/1.1.0.md', versionFile('Three'))
  put('acme/b/versions/1.2.0.md', 'no front matter')
  put('acme/c/versions/1.0.0.md', versionFile('\0'))
  put('acme/a/versions/1.1.0.md', versionFile('Four'))
  const state = await site.read()
  expect(titleOf(state, 'acme/b')).toBe('Before')
  expect(versionsOf(state, 'acme/b')).toEqual(['1.0.0', '1.1.0'])
  expect(versionsOf(state, 'acme/a')).toEqual(['1.0.0', '1.1.0'])
  expect(entryOf(state, 'acme/c')).toBe(undefined)
  const groups = groupProblems(state.problems)
  expect([...groups.keys()].toSorted()).toEqual(['acme/b', 'acme/c'])
  expect(groups.get('acme/b')?.join('\n')).toMatch(/titel[\s\S]*1\.2\.0\.md/)
})

test.each([
  ['a RangeError', () => new RangeError('Invalid string length'), 'RangeError: Invalid string length'],
  ['a file system error', () => Object.assign(new Error('EIO: /srv/secret'), { code: 'EIO' }), 'EIO'],
  ['what is no error', () => undefined, 'Error: '],
])(
  'a prompt whose data cannot be made because of %s keeps its last valid data; all others are updated',
  async (_, made, named) => {
    let broken: string | undefined
    const wrap = (folder: ContentReader): ContentReader => ({
      read(file, maxBytes) {
        if (broken !== undefined && file.startsWith(broken)) throw made()
        return folder.read(file, maxBytes)
      },
    })
    const site = openHostSite(path(), { contentDir, baseUrl: 'https://hub.test', wrap })
    open.push(site)
    const update = () => site.makeBuild('2026-11-20')
    await update()
    broken = 'acme/b/'
    put('acme/b/versions/1.1.0.md', versionFile('Three'))
    put('acme/a/versions/1.1.0.md', versionFile('Four'))
    put('acme/b2/versions/1.0.0.md', versionFile('Five'))
    const state = await update()
    expect(versionsOf(state, 'acme/b')).toEqual(['1.0.0'])
    expect(versionsOf(state, 'acme/a')).toEqual(['1.0.0', '1.1.0'])
    expect(versionsOf(state, 'acme/b2')).toEqual(['1.0.0'])
    const said = `expected content from which the hub can make its data, got ${named}`
    expect(groupProblems(state.problems)).toEqual(new Map([['acme/b', [`content/acme/b/index.md: ${said}`]]]))
    // It is tried again, and a new prompt that fails is simply not there.
    broken = 'acme/c/'
    put('acme/c/versions/1.0.0.md', versionFile('Six'))
    const next = await update()
    expect(versionsOf(next, 'acme/b')).toEqual(['1.0.0', '1.1.0'])
    expect(entryOf(next, 'acme/c')).toBe(undefined)
    expect([...site.readAll().keys()].filter((file) => file.includes('/acme/c'))).toEqual([])
  },
)

test('a half-made update of a prompt is not served', async () => {
  // The digest of a skill's file is compared when its bytes are copied, after everything else.
  let isWrong = false
  const wrap = (folder: ContentReader): ContentReader => ({
    read(file, maxBytes) {
      const opened = folder.read(file, maxBytes)
      const isCopied = isWrong && file.endsWith('run.py') && ++reads > 1
      return isCopied ? { value: Buffer.from('other bytes') } : opened
    },
  })
  let reads = 0
  const skill = (text: string) => versionFile(text).replace('\n---\n', '\nskill: {description: Does it.}\n---\n')
  put('acme/s/versions/1.0.0.md', skill('One'))
  const site = openHostSite(path(), { contentDir, baseUrl: 'https://hub.test', wrap })
  open.push(site)
  const update = () => site.makeBuild('2026-11-20')
  await update()
  const before = site.readAll()
  isWrong = true
  put('acme/s/versions/1.1.0.md', skill('Two'))
  put('acme/s/versions/1.1.0/run.py', 'print(1)\n')
  const state = await update()
  expect(groupProblems(state.problems).get('acme/s')?.[0]).toContain('got Error: content/acme/s/versions/1.1.0/run.py')
  expect(site.readAll()).toEqual(before)
})

test('serves the last good content of a broken published version, also after a restart', async () => {
  await openSite().read()
  put('acme/b/versions/1.0.0.md', 'no front matter')
  put('acme/index.md', 'broken')
  put('acme/b/versions/1.1.0.md', versionFile('Three'))
  const state = await restart().read()
  expect(entryOf(state, 'acme/b')?.versions.map(({ record }) => record.content)).toEqual(['Three\n', 'Two\n'])
  expect(state.catalogue.users.get('acme')?.name).toBe('Acme')
  put('acme/b/versions/1.0.0.md', versionFile('Mended'))
  expect(entryOf(await restart().read(), 'acme/b')?.versions.at(-1)?.record.content).toBe('Mended\n')
})

test('a broken index.md without a last valid one hides the prompt, because it may yank a version', async () => {
  put('acme/b/versions/1.1.0.md', versionFile('Yanked'))
  put('acme/b/index.md', '---\nyanked: {"1.1.0": "leaks"}\ntitel: Wrong\n---\n')
  expect(entryOf(await openSite().read(), 'acme/b')).toBeUndefined()
})

test('a link in place of index.md or of a version keeps the last valid one', async () => {
  put('acme/b/versions/1.1.0.md', versionFile('Yanked'))
  put('acme/b/index.md', '---\nyanked: {"1.1.0": "leaks"}\n---\n')
  const site = openSite()
  expect(entryOf(await site.read(), 'acme/b')?.repository.latest_version).toBe('1.0.0')
  for (const path of ['acme/b/index.md', 'acme/b/versions/1.0.0.md']) {
    rmSync(join(contentDir, path))
    symlinkSync('/etc/hostname', join(contentDir, path))
  }
  put('acme/b/versions/1.2.0.md', versionFile('New'))
  const state = await site.read()
  expect(versionsOf(state, 'acme/b')).toEqual(['1.0.0', '1.1.0', '1.2.0'])
  expect(entryOf(state, 'acme/b')?.repository).toMatchObject({ latest_version: '1.2.0', content: 'New\n' })
  rmSync(join(contentDir, 'acme/b/versions/1.2.0.md'))
  expect(entryOf(await site.read(), 'acme/b')?.repository.latest_version).toBe('1.0.0')
  expect(entryOf(await restart('other code').read(), 'acme/b')).toBeUndefined()
})

test('nobody is a member of an owner whose file cannot be read', async () => {
  put('acme/index.md', '---\nmembers: [octocat]\n---\n')
  const site = openSite()
  const actsOf = ({ catalogue }: MadeBuild) => [catalogue.memberships.get('octocat'), catalogue.memberships.get('acme')]
  expect(actsOf(await site.read())).toEqual([['acme', 'octocat'], []])
  put('acme/index.md', '---\nmember: [octocat]\n---\n')
  expect(actsOf(await site.read())).toEqual([undefined, []])
  expect(actsOf(await restart('other code').read())).toEqual([undefined, []])
  rmSync(join(contentDir, 'acme/index.md'))
  symlinkSync('/etc/hostname', join(contentDir, 'acme/index.md'))
  expect(actsOf(await restart().read())).toEqual([undefined, []])
})

test('inconsistent files keep the old repository metadata, but new versions are added', async () => {
  const site = openSite()
  await site.read()
  put('acme/b/index.md', '---\ntitle: After\nlabels: {production: 9.9.9}\n---\n')
  put('acme/b/versions/1.1.0.md', versionFile('Three'))
  const state = await site.read()
  expect(titleOf(state, 'acme/b')).toBe('Before')
  expect(versionsOf(state, 'acme/b')).toEqual(['1.0.0', '1.1.0'])
  put('acme/b/versions/9.9.9.md', versionFile('Nine'))
  expect(titleOf(await site.read(), 'acme/b')).toBe('After')
})

test('reports references to a removed repository and keeps serving the referrers', async () => {
  put('acme/c/versions/1.0.0.md', versionFile('Five'))
  put('acme/b/index.md', '---\nmoved_to: acme/c\n---\n')
  put('acme/a/index.md', '---\nstatus: deprecated\nreplaced_by: acme/c\n---\n')
  const site = openSite()
  expect((await site.read()).problems).toEqual([])
  await site.read()
  rmSync(join(contentDir, 'acme/c'), { recursive: true })
  const state = await site.read()
  expect(state.problems.map(({ file, key }) => [file, key])).toEqual([
    ['content/acme/a/index.md', 'replaced_by'],
    ['content/acme/b/index.md', 'moved_to'],
  ])
  expect([...state.catalogue.entries.keys()]).toEqual(['acme/a', 'acme/b'])
  const fresh = await restart('other code').read()
  expect(fresh.problems).toEqual(state.problems)
  expect(versionsOf(fresh, 'acme/b')).toEqual(['1.0.0'])
  expect(entryOf(fresh, 'acme/b')?.repository.moved_to).toBe('acme/c')
  put('acme/c/versions/1.0.0.md', versionFile('Back'))
  expect((await restart('third code').read()).problems).toEqual([])
})

test('serves the valid versions when labels and yanks name invalid or missing ones, although nothing was served before', async () => {
  put('acme/a/versions/1.1.0.md', versionFile('Yanked'))
  put('acme/a/versions/1.2.0.md', 'no front matter')
  put(
    'acme/a/index.md',
    '---\ntitle: Kept\nyanked: {"1.1.0": "Wrong", "1.2.0": "Wrong", "9.0.0": "Gone"}\nlabels: {beta: 1.2.0, old: 1.1.0, stable: 1.0.0}\n---\n',
  )
  const state = await openSite().read()
  expect(state.problems.map(({ file, key }) => [file, key])).toEqual([
    ['content/acme/a/index.md', 'yanked.1.2.0'],
    ['content/acme/a/index.md', 'yanked.9.0.0'],
    ['content/acme/a/index.md', 'labels.beta'],
    ['content/acme/a/index.md', 'labels.old'],
    ['content/acme/a/versions/1.2.0.md', ''],
  ])
  expect(versionsOf(state, 'acme/a')).toEqual(['1.0.0', '1.1.0'])
  expect(entryOf(state, 'acme/a')?.repository).toMatchObject({
    title: 'Kept',
    latest_version: '1.0.0',
    versions: ['1.0.0'],
    labels: pointing({ stable: '1.0.0' }),
  })
})

test('rereads only changed files, also after a restart; a new mtime alone is no change', async () => {
  await openSite().read()
  const site = restart()
  await site.read()
  expect(await restart().read()).toMatchObject({ filesRead: 0, isDifferent: false })
  put('acme/a/versions/1.1.0.md', versionFile('Four'))
  const last = restart()
  expect(await last.read()).toMatchObject({ filesRead: 2, isDifferent: true, changed: ['acme/a'] })
  const touched = join(contentDir, 'acme/b/index.md')
  utimesSync(touched, new Date(), new Date())
  expect(await last.read()).toMatchObject({ isDifferent: false, changed: [] })
  put('usage.json', '{"acme/b": {"downloads_7d": 3, "downloads_90d": 40}}')
  const counted = await last.read()
  expect(counted.changed).toEqual(['acme/b'])
  expect(entryOf(counted, 'acme/b')?.repository.stats).toEqual({ downloads_7d: 3, downloads_90d: 40 })
  // A commit of files that were there already.
  const committed = await last.read(new Map([['acme/a', '{"1.1.0":"2026-11-26T10:00:00Z"}']]))
  expect(committed.changed).toEqual(['acme/a'])
  expect(entryOf(committed, 'acme/a')?.versions.map(({ summary }) => summary.available_at)).toEqual([
    '2026-11-26T10:00:00Z',
    '2025-03-01T00:00:00Z',
  ])
})

test('a new version costs the reading of its own files, however many versions there are', async () => {
  for (const patch of [1, 2, 3, 4]) put(`acme/a/versions/1.0.${patch}.md`, versionFile(`Text ${patch}`))
  const skill = versionFile('Skill').replace(
    'by: tester\n',
    'by: tester\nskill: {description: Reviews. Use it before a merge.}\n',
  )
  put('acme/a/versions/1.1.0.md', skill)
  put('acme/a/versions/1.1.0/scripts/run.sh', 'echo 1\n')
  put('acme/a/index.md', '---\ntitle: Before\n---\n')
  let asked: string[] = []
  const wrap = (folder: ContentReader): ContentReader => ({
    read(name, maxBytes) {
      asked.push(name)
      return folder.read(name, maxBytes)
    },
  })
  const site = openHostSite(path(), { contentDir, baseUrl: 'https://hub.test', wrap })
  open.push(site)
  const read = async () => {
    asked = []
    const { catalogue, problems } = await site.makeBuild('2026-11-20')
    expect(problems).toEqual([])
    const texts = catalogue.entries.get('acme/a')?.versions.map(({ record }) => record.content.trim())
    return { texts, asked: asked.filter((name) => name.startsWith('acme/a/')).toSorted() }
  }
  await read()
  const before = ['Skill', 'Text 4', 'Text 3', 'Text 2', 'Text 1', 'One']
  put('acme/a/versions/1.2.0.md', versionFile('Newest'))
  expect(await read()).toEqual({ texts: ['Newest', ...before], asked: ['acme/a/index.md', 'acme/a/versions/1.2.0.md'] })
  put('acme/a/versions/1.2.1.md', versionFile('Last'))
  expect(await read()).toEqual({
    texts: ['Last', 'Newest', ...before],
    asked: ['acme/a/index.md', 'acme/a/versions/1.2.1.md'],
  })
  // A file beside a version, and a version file, are read again with what belongs to the same version.
  put('acme/a/versions/1.1.0/scripts/run.sh', 'echo 2\n')
  put('acme/a/versions/1.0.2.md', versionFile('Changed'))
  const changed = await read()
  expect(changed.texts).toEqual(['Last', 'Newest', 'Skill', 'Text 4', 'Text 3', 'Changed', 'Text 1', 'One'])
  expect(changed.asked).toEqual(expect.arrayContaining(['acme/a/versions/1.1.0.md', 'acme/a/versions/1.0.2.md']))
  expect(changed.asked).not.toContain('acme/a/versions/1.0.1.md')
  rmSync(join(contentDir, 'acme/a/versions/1.1.0/scripts/run.sh'))
  rmSync(join(contentDir, 'acme/a/versions/1.0.3.md'))
  const last = await site.makeBuild('2026-11-20')
  expect(
    last.catalogue.entries.get('acme/a')?.versions.find(({ record }) => record.version === '1.1.0')?.record.files,
  ).toEqual([])
  expect(versionsOf(last, 'acme/a')).not.toContain('1.0.3')
})

test('what is wrong with a version is found once, and said by every build until it is gone', async () => {
  let asked: string[] = []
  const wrap = (folder: ContentReader): ContentReader => ({
    read(name, maxBytes) {
      asked.push(name)
      return folder.read(name, maxBytes)
    },
  })
  const site = openHostSite(path(), { contentDir, baseUrl: 'https://hub.test', wrap })
  open.push(site)
  const read = async () => {
    asked = []
    const state = await site.makeBuild('2026-11-20')
    const said = groupProblems(state.problems).get('acme/b')?.join('\n') ?? ''
    return { state, said, asked: asked.filter((name) => name.startsWith('acme/b/')).toSorted() }
  }
  const contentOf = ({ state }: Awaited<ReturnType<typeof read>>) =>
    entryOf(state, 'acme/b')?.versions.map(({ record }) => record.content)
  await read()
  put('acme/b/versions/1.1.0.md', 'no front matter')
  put('acme/b/versions/1.2.0.md', versionFile('Three'))
  const first = await read()
  expect(first.said).toContain('1.1.0.md: ')
  const again = await read()
  expect(again).toMatchObject({ said: first.said, asked: ['acme/b/index.md'] })
  expect(contentOf(again)).toEqual(['Three\n', 'Two\n'])
  // While the last valid state is served as a whole, nothing newer is taken for it.
  put('acme/b/index.md', '---\nlabels: {stable: 9.0.0}\n---\n')
  put('acme/b/versions/1.2.0.md', versionFile('Four'))
  for (const _ of [1, 2]) expect((await read()).said).toContain('9.0.0')
  put('acme/b/index.md', '---\ntitle: Mended\n---\n')
  put('acme/b/versions/1.1.0.md', versionFile('Between'))
  const mended = await read()
  expect(mended.said).toBe('')
  expect(contentOf(mended)).toEqual(['Four\n', 'Between\n', 'Two\n'])
  expect((await read()).asked).toEqual([])
})

test('serves a very large repository in full, and drops versions that are deleted', async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => `1.0.${index + 1}`)
  // In JSON, a quotation mark takes two characters, so each text takes half a megabyte.
  for (const number of numbers) put(`acme/a/versions/${number}.md`, versionFile('"'.repeat(260_000) + number))
  const site = openSite()
  expect(entryOf(await site.read(), 'acme/a')?.versions).toHaveLength(41)
  for (const number of numbers.slice(1)) rmSync(join(contentDir, `acme/a/versions/${number}.md`))
  expect(versionsOf(await site.read(), 'acme/a')).toEqual(['1.0.0', '1.0.1'])
  expect([...site.readAll().keys()].filter((path) => path.includes('1.0.2'))).toEqual([])
})

test('keeps the stored state while the content folder is missing', async () => {
  await openSite().read()
  const site = restart()
  await site.read()
  renameSync(contentDir, join(dir, 'away'))
  await expect(restart().read()).rejects.toThrow('content: not found: ')
  renameSync(join(dir, 'away'), contentDir)
  expect(await restart().read()).toMatchObject({ filesRead: 0, isDifferent: false })
})

test('ignores an aborted update; rebuilds after a code change or database corruption', async () => {
  const files = async (site: ReturnType<typeof openSite>) => {
    await site.read()
    return [...site.readAll()]
  }
  const first = await files(openSite())
  for (const site of open.splice(0)) site.close()
  const database = openSiteDatabase(path(), '1')
  database.begin(2)
  database.write('/data/v1/tags.json', 'half')
  database.remove('/data/v1/index.json')
  database.storePart('acme/b/', undefined)
  database.close()
  expect(await files(openSite())).toEqual(first)
  expect(await files(restart('2'))).toEqual(first)
  for (const site of open.splice(0)) site.close()
  for (const suffix of ['', '-wal', '-shm']) rmSync(path() + suffix, { force: true })
  writeFileSync(path(), 'no database, but long enough to look at '.repeat(1_000))
  expect(await files(openSite('2'))).toEqual(first)
})

test('source files recreated from catalogue records produce the same records', () => {
  const { tree } = readContentDir('content')
  const { entries } = buildCatalogue(tree, { baseUrl: 'https://hub.test', day: '2026-11-20' })
  for (const { repository, versions } of entries.values()) {
    const again = makeEntry(restoreRepository({ repository, versions }), {
      baseUrl: 'https://hub.test',
      stats: repository.stats,
      models: tree.models,
    })
    expect(again.repository).toEqual(repository)
    expect(again.versions).toEqual(versions)
  }
})
