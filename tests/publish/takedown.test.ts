// Checks that a takedown works: a published prompt that is removed from git disappears from every URL with the next
// build. This is true on each host and store, even after a restart and even if another prompt is invalid.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openClient, poll } from '../e2e/client.ts'
import { type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { plainEnvironment, type Run, startProcess } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WITHIN = 120_000
/** Text that appears only in the content that is taken down. */
const SECRET = 'zanzibarword'
const version = (text: string) =>
  `---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\nchangelog: First\n---\n${text}\n`
/** Owners have unique names, because the hubs of several tests keep their fresh copies in one folder. */
const owner = `acme-${process.pid}`
const FIRST = {
  'README.md': '# Prompts\n',
  [`content/${owner}/kept/versions/1.0.0.md`]: version('Plain'),
  [`content/${owner}/other/versions/1.0.0.md`]: version('Other'),
}
const BROKEN = { [`content/${owner}/other/index.md`]: '---\ntitel: Broken\n---\n' }
const removed = (number: string) => `---\nremoved: {"${number}": Taken down}\n---\n`
const TAKEN = {
  [`content/${owner}/kept/versions/1.0.1.md`]: null,
  [`content/${owner}/kept/index.md`]: removed('1.0.1'),
  [`content/${owner}/whole/versions/1.0.0.md`]: null,
  [`content/${owner}/whole/index.md`]: removed('1.0.0'),
}

const api = `/api/v1/repos/${owner}`
const data = `/data/v1/repos/${owner}`
//  path                                      status before      status after the takedown
const ADDRESSES: readonly (readonly [string, number, number])[] = [
  [`${api}/kept`, 200, 200],
  [`${api}/kept/versions`, 200, 200],
  [`${api}/kept/versions/1.0.1`, 200, 404],
  [`${api}/kept/raw`, 200, 200],
  [`${api}/kept/raw?version=1.0.1`, 200, 404],
  [`${api}/whole`, 200, 404],
  [`${api}/whole/versions`, 200, 404],
  [`${api}/whole/versions/1.0.0`, 200, 404],
  [`${api}/whole/raw`, 200, 404],
  [`/${owner}/whole`, 200, 404],
  [`/${owner}/kept/v/1.0.1`, 200, 404],
]
/**
 * Paths of files that only a build writes. They may be missing before the next build, and must not contain the text
 * afterwards.
 */
const BUILT: readonly (readonly [string, number])[] = [
  [`${data}/kept.json`, 200],
  [`${data}/kept/versions/1.0.1.json`, 404],
  [`${data}/kept/raw/1.0.1.txt`, 404],
  [`${data}/kept/changes.json`, 200],
  [`${data}/whole.json`, 404],
  [`${data}/whole/raw.txt`, 404],
  ['/data/v1/index.json', 200],
  [`/data/v1/users/${owner}.json`, 200],
  [`/${owner}/kept`, 200],
  [`/${owner}/kept/compare/1.0.0...1.0.1`, 404],
  ['/feed.xml', 200],
  [`/${owner}/feed.xml`, 200],
  [`/${owner}/kept/feed.xml`, 200],
  [`/${owner}/whole/feed.xml`, 404],
  [`/api/v1/repos?sort=new`, 200],
]

/** A hub that can be restarted with its stored data. */
interface Scene {
  start(): Promise<{ base: string; run: Run }>
  token(run: Run): string
  /** Updates the hub from git and builds, unless the hub does this automatically. */
  build(): Promise<{ base: string; run: Run } | undefined>
  change(files: Readonly<Record<string, string | null>>): Promise<void>
}

const root = temporaryFolder('hub-takedown-')
const github = await startGitHubStandIn()
afterAll(() => github.close())

const mcp = async (base: string, name: string, given: object) => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  return (await fetch(`${base}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) })).text()
}

async function publish(base: string, token: string, name: string, tags: string[]): Promise<void> {
  const answer = await fetch(`${base}${api}/${name}/versions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ content: `${SECRET}\n`, changelog: SECRET, tags }),
  })
  expect([answer.status, await answer.text()]).toEqual([201, expect.anything()])
}

/** Returns what is still visible of the removed content, one line per URL. */
async function findShown(base: string): Promise<string[]> {
  const ask = openClient(base)
  const shown: string[] = []
  const look = async (path: string, status: number) => {
    const answer = await ask(path)
    if (answer.status !== status || answer.text.includes(SECRET))
      shown.push(`${path}: ${answer.status}${answer.text.includes(SECRET) ? ' with the text' : ''}`)
  }
  for (const [path, , after] of ADDRESSES) await look(path, after)
  for (const [path, status] of BUILT) await look(path, status)
  const found = (await ask(`/api/v1/repos?q=${SECRET}`)).json().meta
  if (!JSON.stringify(found).includes('"total":0')) shown.push('search')
  if ((await ask(`/search?q=${SECRET}`)).text.includes(`/${owner}/`)) shown.push('/search')
  for (const given of [
    { owner, name: 'kept' },
    { owner, name: 'kept', version: '1.0.1' },
    { owner, name: 'whole' },
  ])
    if ((await mcp(base, 'get_prompt', given)).includes(SECRET)) shown.push(`get_prompt ${JSON.stringify(given)}`)
  if ((await mcp(base, 'list_versions', { owner, name: 'kept' })).includes(SECRET)) shown.push('list_versions')
  if ((await mcp(base, 'search_prompts', { q: SECRET })).includes(`${owner}/`)) shown.push('search_prompts')
  return shown
}

async function takeDown(scene: Scene, isBroken: boolean): Promise<void> {
  let { base, run } = await scene.start()
  try {
    const token = scene.token(run)
    await publish(base, token, 'kept', ['zanzibar-tag'])
    await publish(base, token, 'whole', [])
    const ask = openClient(base)
    for (const [path, status] of ADDRESSES) expect([path, (await ask(path)).status]).toEqual([path, status])
    expect(await mcp(base, 'get_prompt', { owner, name: 'whole' })).toContain(SECRET)
    // Git timestamps have a resolution of one second, and a shallow clone does not show which of two commits in the
    // same second came later.
    const published = Date.now()
    await poll('a later second', WITHIN, async () => (Date.now() - published > 1_000 ? true : undefined))
    if (isBroken) await scene.change(BROKEN)
    await scene.change(TAKEN)
    const next = await scene.build()
    if (next) ({ base, run } = next)
    let shown: string[] = []
    const gone = async () => {
      shown = await findShown(base)
      return shown.length === 0 ? true : undefined
    }
    await poll('gone', WITHIN, gone).catch(() => expect(shown).toEqual([]))
    // A deploy has started it anew.
    if (next) return
    await run.end()
    ;({ base, run } = await scene.start())
    expect(await findShown(base)).toEqual([])
  } finally {
    await run.end()
  }
}

const gitIn = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: folder, stdio: 'pipe' })

function put(folder: string, files: Readonly<Record<string, string | null>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    if (text === null) rmSync(join(folder, path))
    else writeFileSync(join(folder, path), text)
  }
}

interface Store {
  /** Returns the folder around `content`. */
  folder: string
  settings: Record<string, string>
  change: Scene['change']
  /** Updates the folder to the branch head. */
  pull(): Promise<void>
}

async function openLocal(name: string): Promise<Store> {
  const folder = join(root, name)
  mkdirSync(folder)
  gitIn(folder, 'init', '-q', '-b', 'main')
  const change: Store['change'] = async (files) => {
    put(folder, files)
    gitIn(folder, 'add', '-A')
    gitIn(folder, 'commit', '-q', '-m', 'Somebody else')
  }
  await change(FIRST)
  return { folder, settings: {}, change, pull: async () => {} }
}

async function openGitHub(name: string): Promise<Store> {
  const place: StandInRepository = await github.createRepository()
  await github.commitOutside(place, FIRST)
  const folder = join(root, name)
  mkdirSync(folder)
  gitIn(folder, 'init', '-q', '-b', 'main')
  let pulled = 0
  const pull = async () => {
    const git = join(root, `${name}-${++pulled}.git`)
    await github.exportTo(place, git)
    // A shallow clone, as on Netlify and in CI, contains only the newest commit.
    gitIn(folder, 'fetch', '-q', '--depth=1', `file://${git}`, 'main')
    gitIn(folder, 'reset', '-q', '--hard', 'FETCH_HEAD')
  }
  await pull()
  const settings = { GITHUB_REPOSITORY: place.repository, GITHUB_TOKEN: place.token, GITHUB_API_URL: github.url }
  return { folder, settings, pull, change: async (files) => void (await github.commitOutside(place, files)) }
}

const settingsOf = ({ folder, settings }: Store) => ({
  CONTENT_DIR: join(folder, 'content'),
  SITE_URL: 'http://localhost',
  RATE_LIMIT_PER_MINUTE: '0',
  ...settings,
})

const hasPages = async (base: string) => (await fetch(`${base}/`)).ok

/** Runs `npm start` in this project, so that the page bundle is kept. */
async function openFollowing(store: Store): Promise<Scene> {
  return {
    ...store,
    // The page bundle is ready only after the API responds.
    start: () =>
      startProcess({ command: ['node', 'scripts/start.ts'], settings: settingsOf(store), isReady: hasPages }),
    token: () => execFileSync(process.execPath, ['scripts/token.ts', owner], { encoding: 'utf8' }).trim(),
    async build() {
      await store.pull()
      return undefined
    },
  }
}

/** Runs `npm run build` with a separate output folder. */
function build(store: Store, out: string): void {
  execFileSync(process.execPath, ['scripts/build.ts', '--out', out], {
    stdio: 'pipe',
    env: { ...plainEnvironment(), ...settingsOf(store) },
  })
}

/** Simulates a deploy, with the output of a build and with the functions connected as on Netlify. */
async function openDeployed(store: Store): Promise<Scene> {
  let deploys = 0
  let out = ''
  const deploy = async () => {
    await store.pull()
    out = `${store.folder}-deploy-${++deploys}`
    build(store, out)
  }
  await deploy()
  let running: { base: string; run: Run } | undefined
  const start = async () => {
    const settings = { ...settingsOf(store), LAMBDA_TASK_ROOT: out }
    running = await startProcess({
      command: ['node', resolve('tests/hubs/netlify-host.ts'), out, `${store.folder}-state`, owner],
      settings,
    })
    return running
  }
  return {
    ...store,
    start,
    token: (run) => /Token: (\S+)/.exec(run.log())?.[1] ?? '',
    async build() {
      await deploy()
      await running?.run.end()
      return start()
    },
  }
}

describe('a takedown removes content from every URL', () => {
  //  host                store               opened                                         next to an invalid prompt
  test.each([
    ['npm start', 'git on this machine', async () => openFollowing(await openLocal('following')), true],
    ['Netlify', 'GitHub', async () => openDeployed(await openGitHub('deployed')), false],
  ])('%s, %s', { timeout: 400_000 }, async (_host, _store, open, isBroken) => takeDown(await open(), isBroken))
})
