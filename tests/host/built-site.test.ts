// Checks that `npm run serve` never mixes parts of two builds: neither while one build replaces another, nor after a
// build was killed at a random moment.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { seedRandom } from '../../scripts/content/random.ts'
import { type BuiltSite, openBuiltSite } from '../../src/host/builds/built-site.ts'
import { placesOf } from '../../src/site/build/build-places.ts'

/** The number of kills. To run more: `KILLS=30 npx vitest run tests/host/built-site.test.ts` */
const KILLS = Number(process.env.KILLS ?? 2)
const random = seedRandom(Number(process.env.SEED ?? 1))
const root = mkdtempSync(join(tmpdir(), 'prompt-hub-built-'))
const places = placesOf(join(root, 'dist'))
const PROMPTS = ['a', 'b', 'c', 'd']
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Writes content in which every file contains the number of the content version. */
function write(state: number): void {
  for (const name of PROMPTS) {
    const files = {
      'index.md': `---\ntitle: State ${state}\n---\nReadme.\n`,
      'versions/1.0.0.md': `---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\n---\nText ${state}\n`,
    }
    for (const [path, text] of Object.entries(files)) {
      const file = join(root, 'content/acme', name, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
}

function startBuild() {
  return spawn(process.execPath, ['scripts/build.ts', '--out', root], {
    stdio: 'ignore',
    env: {
      ...process.env,
      CONTENT_DIR: join(root, 'content'),
      SITE_URL: 'https://hub.test',
      ASTRO_TELEMETRY_DISABLED: '1',
    },
  })
}

async function build(): Promise<void> {
  const [code] = await once(startBuild(), 'exit')
  expect(code).toBe(0)
}

/**
 * Returns the content versions named in the parts of a build: a list, the record of each prompt, and the search
 * results.
 */
async function readStates(site: BuiltSite): Promise<number[]> {
  const { files, search } = site.current().site
  const read = async (path: string) => JSON.parse(Buffer.from((await files.read(path))!).toString()).data
  const found = search().find({ text: 'state', tags: [], sort: undefined, offset: 0, limit: 10 })
  const titles = [(await read('/data/v1/lists/top/1.json'))[0].title]
  for (const name of PROMPTS) titles.push((await read(`/data/v1/repos/acme/${name}.json`)).title)
  titles.push(...(await found).matches.map(({ title }) => title))
  return titles.map((title: string) => Number(title.replace('State ', '')))
}

test('readers never see a mix of two builds while one replaces the other', {
  timeout: 300_000,
}, async () => {
  write(0)
  await build()
  const site = (await openBuiltSite(places))!
  const seen: number[] = []
  for (let state = 1; state <= 2; state++) {
    write(state)
    const building = build()
    const deadline = Date.now() + 120_000
    while (seen.at(-1) !== state) {
      const states = await readStates(site)
      expect(new Set(states).size, `${states}`).toBe(1)
      seen.push(states[0]!)
      if (Date.now() > deadline) throw new Error(`state ${state} was not served`)
      await sleep(1)
    }
    await building
    expect(await readStates(site)).toEqual(Array(9).fill(state))
  }
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  site.close()
})

test(`serves a complete build after each of ${KILLS} killed builds`, {
  timeout: 120_000 + KILLS * 60_000,
}, async () => {
  let last = 3
  write(last)
  await build()
  const began = performance.now()
  await build()
  const usual = performance.now() - began
  for (let kill = 0; kill < KILLS; kill++) {
    write(last + 1)
    const child = startBuild()
    const exited = once(child, 'exit')
    await sleep(random() * usual * 1.1)
    child.kill('SIGKILL')
    await exited
    const site = (await openBuiltSite(places))!
    const states = new Set(await readStates(site))
    expect([states.size, [...states][0] === last || [...states][0] === last + 1], `kill ${kill}`).toEqual([1, true])
    site.close()
    last = [...states][0]!
  }
  write(last + 1)
  await build()
  const site = (await openBuiltSite(places))!
  expect(new Set(await readStates(site))).toEqual(new Set([last + 1]))
  site.close()
})
