// Tests the page bundle: it depends on the code alone, is made once, opened by any user, and made again if it is incomplete.
// Before it is there, downloads are served.
import { hash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { serveLook } from '../../src/build/hub-look.ts'
import { bundlePlaceOf, ensureBundle, findBundle } from '../../src/hosts/node/builds/pages-bundle.ts'
import { openBundle } from '../../src/hosts/node/pages.ts'
import { versionFile } from '../doctor/setups.ts'
import { poll } from '../e2e/client.ts'
import { makeSiteFolder } from '../hubs/build-site.ts'
import { freePort, launch, signalGroup } from '../hubs/processes.ts'
import { makeProfile } from '../hubs/profile.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WITHIN = 120_000

// This folder is outside the project, because the bundle needs no installed packages.
const keptDir = temporaryFolder('bundles-')
const place = { root: process.cwd(), keptDir, key: 'one' }

beforeAll(async () => {
  // The bundle is the same for every key, so the one of this checkout is given this one.
  await ensureBundle(bundlePlaceOf(process.cwd()))
  const { server } = findBundle(bundlePlaceOf(process.cwd()))!
  cpSync(dirname(server), join(keptDir, hash('sha256', place.key).slice(0, 16)), { recursive: true })
})

const bundles = () => readdirSync(keptDir)
const digest = () => readFileSync(join(keptDir, bundles()[0]!, 'digest'), 'utf8')

test('one bundle shows each hub its own name, look, limit and addresses', async () => {
  const acme = serveLook({
    name: 'Acme Prompts',
    tagline: 'All of ours',
    language: 'de',
    accent: '#0b6e4f',
    examples: [],
    tasks: [],
    footer: [{ text: 'Imprint', url: 'https://acme.example/imprint' }],
    logo: { name: 'logo.svg', data: Buffer.from('<svg/>').toString('base64') },
  })
  const bundle = (await findBundle(place))!
  const profile = { ...makeProfile('https://acme.example', acme.shown), rateLimitPerMinute: 77 }
  const sourceHost = {
    repository: 'acme/ours',
    web: 'https://github.com/acme/ours',
    branch: 'main',
    content: 'content',
  }
  const code = { repository: 'acme/hub-code', commit: '1'.repeat(40) }
  const one = await openBundle(bundle, { ...profile, sourceHost, code }, acme.files)
  const other = await openBundle(bundle, makeProfile('https://other.example'), new Map())
  const read = async ({ files }: typeof one, path: string) => Buffer.from((await files.read(path)) ?? '').toString()

  const api = await read(one, '/docs/api/index.html')
  expect(api).toContain('<html lang="de">')
  expect(api).toContain('<code>https://acme.example</code>')
  expect(api).toContain('Acme Prompts')
  expect(api).toContain('<a href="https://acme.example/imprint">Imprint</a>')
  expect(api).toContain('<td>77</td>')
  expect(await read(one, '/docs/hosting-netlify/index.html')).toContain('acme/ours')
  const [, logo = ''] = /<img class="logo" src="([^"]+)"/.exec(api) ?? []
  expect(await read(one, logo)).toBe('<svg/>')
  const [, style = ''] = /href="(\/assets\/hub\/look-[^"]+\.css)"/.exec(api) ?? []
  expect(await read(one, style)).toContain('--accent: light-dark(')

  for (const [guide, action] of [
    ['updates', 'update'],
    ['publishing', 'publish'],
    ['results', 'result'],
  ] as const) {
    const [ours, theirs] = [
      await read(one, `/docs/${guide}/index.html`),
      await read(other, `/docs/${guide}/index.html`),
    ]
    expect([guide, ours]).toEqual([
      guide,
      expect.stringContaining(`uses: acme/hub-code/.github/actions/${action}@${'1'.repeat(40)}`),
    ])
    expect([guide, ours]).toEqual([guide, expect.not.stringMatching(/OWNER\/|@COMMIT/)])
    expect([guide, theirs]).toEqual([
      guide,
      expect.stringContaining(`uses: OWNER/prompt-hub/.github/actions/${action}@COMMIT`),
    ])
  }
  for (const guide of ['hosting-machine', 'hosting-netlify'])
    expect(await read(one, `/docs/${guide}/index.html`)).toContain('https://github.com/acme/hub-code')

  const plain = await read(other, '/docs/api/index.html')
  expect(plain).toContain('<code>https://other.example</code>')
  expect(plain).not.toMatch(/acme\.example|Acme Prompts|\/assets\/hub\//)
  expect(await read(other, '/robots.txt')).toContain('Sitemap: https://other.example/sitemap.xml')
  expect(await read(other, '/docs/mcp/server.json')).toContain('https://other.example/mcp')
})

test('has the documents, styles and the 404 page, but no content and no downloads', async () => {
  const { files } = await openBundle(findBundle(place)!, makeProfile('https://hub.example'), new Map())
  const missing = Buffer.from((await files.read('/404.html')) ?? '').toString()
  expect(missing).toContain('There is no <span class="chip">{{page}}</span> here')
  for (const path of ['/docs/index.html', '/_headers', '/favicon.svg'])
    expect((await files.read(path))?.length, path).toBeGreaterThan(0)
  for (const path of ['/index.html', '/cli/hubcli', '/data/v1/tags.json', '/docs/nothing/index.html'])
    expect(await files.read(path), path).toBeUndefined()
})

test('the key is the same in every folder with the same code', () => {
  const rooms = ['packages/prompt-formats/source', 'src']
  const copy = temporaryFolder('same-code-')
  for (const name of ['package-lock.json', 'astro.config.mjs', 'tsconfig.json']) writeFileSync(join(copy, name), '')
  for (const room of rooms) mkdirSync(join(copy, room), { recursive: true })
  writeFileSync(join(copy, 'src/a.ts'), 'a')
  const before = bundlePlaceOf(copy)
  expect(before.key).toMatch(/^[0-9a-f]{64}$/)
  const moved = `${copy}-moved`
  for (const room of rooms) mkdirSync(join(moved, room), { recursive: true })
  for (const name of ['package-lock.json', 'astro.config.mjs', 'tsconfig.json']) writeFileSync(join(moved, name), '')
  writeFileSync(join(moved, 'src/a.ts'), 'a')
  expect(bundlePlaceOf(moved).key).toBe(before.key)
  writeFileSync(join(moved, 'src/a.ts'), 'b')
  expect(bundlePlaceOf(moved).key).not.toBe(before.key)
  for (const dir of [copy, moved]) rmSync(dir, { recursive: true })
})

test('the next start reuses the bundle', async () => {
  const made = digest()
  await ensureBundle(place)
  expect([bundles().length, digest()]).toEqual([1, made])
})

test('rebuilds a modified bundle, and keeps the two newest others and recent partial ones', async () => {
  const at = (name: string, hoursAgo: number) => {
    const dir = join(keptDir, name)
    mkdirSync(dir, { recursive: true })
    const time = new Date(Date.now() - hoursAgo * 3_600_000)
    utimesSync(dir, time, time)
    return dir
  }
  const [changed] = bundles() as [string]
  const entry = join(keptDir, changed, 'server/entry.mjs')
  appendFileSync(entry, '\n// changed')
  expect(findBundle(place)).toBeUndefined()
  const others = [at('older', 1), at('oldest', 2), at('busy.part', 0), at('left.part', 1)]
  // One page takes a quarter of the time of all. Astro finds its packages only inside the project.
  const root = makeSiteFolder('one-page')
  mkdirSync(join(root, 'src/pages'), { recursive: true })
  writeFileSync(join(root, 'src/pages/index.astro'), '<p>Rebuilt</p>\n')
  await ensureBundle({ ...place, root })
  rmSync(root, { recursive: true })
  expect(findBundle(place)).toBeDefined()
  expect(readFileSync(entry, 'utf8')).not.toContain('// changed')
  expect(others.map((dir) => existsSync(dir))).toEqual([true, false, true, false])
  expect(bundles().sort()).toEqual([changed, 'busy.part', 'older'].sort())
})

test('fails when the pages cannot be bundled, and leaves no files behind', async () => {
  const broken = temporaryFolder('broken-project-')
  const kept = join(broken, 'kept')
  // The folder that the bundler writes to is a file.
  writeFileSync(join(broken, '.astro'), '')
  await expect(ensureBundle({ root: broken, keptDir: kept, key: 'one' })).rejects.toThrow(
    'The pages could not be bundled: exit code 1.',
  )
  expect(readdirSync(kept)).toEqual([])
})

test('downloads are served before the content and the pages', { timeout: 2 * WITHIN }, async () => {
  const repository = makeRepository()
  repository.commit({ 'content/acme/one/versions/1.0.0.md': versionFile('One.\n') })
  // The code without the bundle of its pages. The compiled library is there, because compiling it takes ten times as long.
  const folder = temporaryFolder('first-seconds-')
  mkdirSync(join(folder, '.hub'))
  for (const name of readdirSync('.'))
    if (!name.startsWith('.') || name === '.clients') symlinkSync(resolve(name), join(folder, name))
  const port = await freePort()
  const settings = { PORT: String(port), CONTENT_DIR: join(repository.folder, 'content'), LOG_REQUESTS: 'off' }
  const run = launch(process.execPath, ['scripts/start.ts'], settings, folder)
  try {
    const ask = async (path: string) => {
      const answer = await fetch(`http://localhost:${port}${path}`)
      return { path, status: answer.status, text: await answer.text() }
    }
    const first = await poll('the first response', WITHIN, () => ask('/cli/hubcli').catch(() => undefined))
    expect([first.status, first.text.slice(0, 9)]).toEqual([200, '#!/bin/sh'])
    expect(first.text).toContain(`HUB_DEFAULT_URL='http://localhost:${port}'`)
    const others = ['/cli/releases/1.0.0/hubcli.sha256', '/clients/releases/1.0.0/prompt-hub-client-1.0.0.tgz', '/']
    const answers = await Promise.all(others.map(ask))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 503])
  } finally {
    // It would bundle the pages first.
    signalGroup(run.child, 'SIGKILL')
    await run.end()
  }
})
