// Checks that `npm run serve` serves only finished builds: while another build is running, after a build was killed,
// and after a restart.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, openClient, poll } from '../e2e/client.ts'
import { launch, plainEnvironment, type Run, startProcess } from '../hubs/processes.ts'

const WITHIN = 120_000
const PROMPTS = 30
const root = mkdtempSync(join(tmpdir(), 'hub-serve-'))
const out = join(root, 'out')
const record = join(out, 'build/complete.json')
const settings = { CONTENT_DIR: join(root, 'content'), SITE_URL: 'http://localhost', RATE_LIMIT_PER_MINUTE: '0' }
let hub: { base: string; run: Run }
let asked = 0

function write(title: string): void {
  for (let number = 0; number < PROMPTS; number++) {
    const dir = join(root, `content/acme/prompt-${number}`)
    mkdirSync(join(dir, 'versions'), { recursive: true })
    writeFileSync(join(dir, 'index.md'), `---\ntitle: ${title}\n---\n`)
    writeFileSync(
      join(dir, 'versions/1.0.0.md'),
      '---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\n---\nText\n',
    )
  }
}
const BUILD = [resolve('scripts/build.ts'), '--out', out]
const build = () =>
  execFileSync(process.execPath, BUILD, { stdio: 'pipe', env: { ...plainEnvironment(), ...settings } })
const serve = () =>
  startProcess({
    command: ['node', resolve('scripts/serve.ts')],
    settings,
    cwd: out,
    isReady: async (base) => (await fetch(`${base}/readyz`)).ok,
  })
const healthOf = async () => (await fetch(`${hub.base}/healthz`)).json()
const titleOf = ({ text }: Answer) => /Title \d/.exec(text)?.[0]

/**
 * Requests every prompt, including uncached data, until it is stopped. @returns the responses that contain neither of
 * the two titles
 */
async function askAll(titles: readonly string[], isOver: () => boolean): Promise<string[]> {
  const ask = openClient(hub.base)
  const wrong: string[] = []
  while (!isOver()) {
    const place = `acme/prompt-${asked++ % PROMPTS}`
    for (const path of [`/api/v1/repos/${place}`, `/data/v1/repos/${place}.json`, `/${place}`, '/data/v1/index.json']) {
      const answer = await ask(path)
      if (answer.status !== 200 || !titles.includes(titleOf(answer) ?? ''))
        wrong.push(`${path}: ${answer.status}, ${answer.bytes.length} bytes, ${titleOf(answer)}`)
    }
  }
  return wrong
}

/** Makes dist/ differ from the output of the last build, so that the next build rebuilds everything. */
const touch = () => writeFileSync(join(out, 'dist/by-hand.txt'), 'x')

beforeAll(async () => {
  write('Title 1')
  build()
  symlinkSync(resolve('netlify'), join(out, 'netlify'))
  hub = await serve()
}, WITHIN)
afterAll(async () => {
  await hub?.run.end()
  rmSync(root, { recursive: true, force: true })
})

test.each([
  ['of the changes', () => {}, 'Title 1', 'Title 2'],
  ['of everything', touch, 'Title 2', 'Title 3'],
])(
  'a build %s is served only once finished; until then the previous build is served',
  {
    timeout: WITHIN,
  },
  async (_, prepare, before, after) => {
    prepare()
    write(after)
    const { closed, log } = launch('node', BUILD, settings)
    let code: number | null | undefined
    const ended = closed.then((end) => (code = end.code))
    expect(await askAll([before, after], () => code !== undefined)).toEqual([])
    await ended
    expect([code, log()]).toEqual([0, expect.anything()])
    const ask = openClient(hub.base)
    for (let number = 0; number < PROMPTS; number++)
      for (const path of [`/api/v1/repos/acme/prompt-${number}`, `/acme/prompt-${number}`])
        expect([path, titleOf(await ask(path))]).toEqual([path, after])
    expect(titleOf(await ask('/api/v1/repos?q=title'))).toBe(after)
    expect(await healthOf()).toMatchObject({ status: 'ok' })
  },
)

test('a killed build changes nothing, and a restart serves the previous build', { timeout: WITHIN }, async () => {
  touch()
  write('Title 4')
  const killed = launch('node', BUILD, settings)
  const next = join(out, 'dist.next')
  const isWriting = async () => (existsSync(next) && readdirSync(next).length > 0 ? true : undefined)
  await poll('it writes', WITHIN, isWriting)
  killed.child.kill('SIGKILL')
  await killed.closed
  await killed.end()
  let rounds = 0
  expect(await askAll(['Title 3'], () => rounds++ > PROMPTS)).toEqual([])
  expect(await healthOf()).toMatchObject({ status: 'ok' })
  await hub.run.end()
  hub = await serve()
  rounds = 0
  expect(await askAll(['Title 3'], () => rounds++ > PROMPTS)).toEqual([])
  build()
  expect(titleOf(await openClient(hub.base)('/api/v1/repos/acme/prompt-1'))).toBe('Title 4')
  expect(readdirSync(out).filter((name) => name.startsWith('dist'))).toEqual(['dist'])
})

test('with an unfinished build, a running hub keeps serving and a new one refuses to start', {
  timeout: WITHIN,
}, async () => {
  // A build without build/complete.json is unfinished.
  rmSync(record)
  const ask = openClient(hub.base)
  expect(titleOf(await ask('/api/v1/repos/acme/prompt-2'))).toBe('Title 4')
  const { status, stderr } = spawnSync(process.execPath, [resolve('scripts/serve.ts')], {
    cwd: out,
    encoding: 'utf8',
    env: { ...plainEnvironment(), ...settings, PORT: '0' },
  })
  expect([status, stderr]).toEqual([
    1,
    'No build found in dist/. Run `npm run build` first, or use `npm start`, which also builds.\n',
  ])
  write('Title 5')
  build()
  const shown = async () => (titleOf(await ask('/api/v1/repos/acme/prompt-2')) === 'Title 5' ? true : undefined)
  await poll('the next build', WITHIN, shown)
  expect(await healthOf()).toMatchObject({ status: 'ok', failure: null })
})

test('refuses to start in a folder without a build', () => {
  const empty = join(root, 'empty')
  mkdirSync(dirname(join(empty, 'x')), { recursive: true })
  const { status, stderr } = spawnSync(process.execPath, [resolve('scripts/serve.ts')], {
    cwd: empty,
    encoding: 'utf8',
    env: { ...plainEnvironment(), ...settings },
  })
  expect([status, stderr]).toEqual([1, expect.stringContaining('No build found in dist/.')])
})
