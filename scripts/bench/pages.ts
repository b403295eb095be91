// Measures pages: rendering time, cached pages per second on the Node server compared with their records, and a new process's first page.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RenderPage } from '../../src/ports/pages.ts'
import { handlePage } from '../../src/server/pages/handle-page.ts'
import { openSearchIndex } from '../../src/stores/search/open-index.ts'
import { folderFiles } from '../../src/stores/site/site-files-folder.ts'
import { pick, seedRandom } from '../content/random.ts'
import { serveBare } from './bare-server.ts'
import { bundleFunctions, unpackFunction } from './functions.ts'
import { type Measurement, quantile } from './measure.ts'
import { runNode } from './processes.ts'
import { load, serveHub } from './serve.ts'
import { type BenchSite, PROJECT_DIR } from './site.ts'

/** Number of prompts whose pages are requested. */
const PROMPTS = 200
const ROUNDS = 5

/** Measures rendering, the cache and cold starts. */
export async function measurePages(site: BenchSite): Promise<Measurement[]> {
  const random = seedRandom(17)
  const chosen = Array.from({ length: PROMPTS }, () => pick(random, site.catalogue.listed.top).full_name)
  return [
    ...(await measureRendering(site, chosen)),
    await measureCache(site, chosen),
    ...(await measureCold(site, chosen)),
  ]
}

async function measureRendering(
  { dir, siteDir, indexPath }: BenchSite,
  chosen: readonly string[],
): Promise<Measurement[]> {
  const entry = pathToFileURL(join(dir, 'build/pages/entry.mjs')).href
  const { render }: { render: RenderPage } = await import(entry)
  const index = openSearchIndex(indexPath)
  const nothing = async () => undefined
  const dependencies = {
    ...{
      baseUrl: 'http://localhost:8888',
      siteFiles: folderFiles(siteDir),
      search: () => index,
      render,
      cache: undefined,
    },
    fresh: { find: nothing, findVersion: nothing, keep: nothing, keepVersion: nothing },
    ...{ limiter: { take: () => 0 }, clientAddress: '', sourceHost: undefined, brokenOf: () => [] },
  }
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of chosen) {
      const began = performance.now()
      const answer = await handlePage(new Request(`http://localhost:8888/${name}`), () => dependencies)
      const bytes = await answer.arrayBuffer()
      // The first round includes compilation.
      if (round > 0) times.push(performance.now() - began)
      if (answer.status !== 200 || bytes.byteLength < 10_000) throw new Error(`${name}: ${answer.status}`)
    }
  }
  index.close()
  return [
    {
      name: 'pages: a prompt rendered, p50',
      unit: 'ms',
      measured: quantile(times, 0.5),
      limit: { of: 'measured', most: 3 },
    },
    {
      name: 'pages: a prompt rendered, p99',
      unit: 'ms',
      measured: quantile(times, 0.99),
      limit: { of: 'measured', most: 10 },
    },
  ]
}

async function measureCache(site: BenchSite, chosen: readonly string[]): Promise<Measurement> {
  const [pages, records] = [join(site.dir, 'pages.txt'), join(site.dir, 'records.txt')]
  writeFileSync(pages, chosen.map((name) => `/${name}`).join('\n'))
  writeFileSync(records, chosen.map((name) => `/api/v1/repos/${name}`).join('\n'))
  const hub = await serveHub(site)
  try {
    return {
      name: 'pages: from the cache',
      unit: 'requests/s',
      floor: await load(hub.port, records, site.dir),
      measured: await load(hub.port, pages, site.dir),
      limit: { of: 'ratio', most: 2 },
      note: 'floor: the records of the same prompts, from the same host',
    }
  } finally {
    await hub.stop()
  }
}

/** Measures the time from an empty process to the first response; the function is loaded from its bundle, as on Netlify. */
async function measureCold(site: BenchSite, chosen: readonly string[]): Promise<Measurement[]> {
  const files = await serveBare(site)
  const bundles = mkdtempSync(join(tmpdir(), 'prompt-hub-bundles-'))
  try {
    bundleFunctions(bundles)
    const measurements: Measurement[] = []
    for (const [name, path, most] of [
      ['pages', `/${chosen[0]}`, 250],
      ['read', `/api/v1/repos/${chosen[0]}`, undefined],
    ] as const) {
      const times: number[] = []
      const { module } = unpackFunction(bundles, name)
      for (let round = 0; round < ROUNDS; round++) {
        const settings = {
          COLD_FUNCTION: module,
          COLD_URL: `http://127.0.0.1:${files.port}${path}`,
          LAMBDA_TASK_ROOT: site.dir,
        }
        const { log } = await runNode(
          [join(PROJECT_DIR, 'scripts/bench/cold-function.ts')],
          { cwd: site.dir, settings },
          30_000,
        )
        times.push(Number(log.trim().split('\n').at(-1)))
      }
      measurements.push({
        name: `functions: first answer of ${name}`,
        unit: 'ms',
        measured: quantile(times, 0.5),
        ...(most && { limit: { of: 'measured', most } }),
      })
    }
    return measurements
  } finally {
    rmSync(bundles, { recursive: true, force: true })
    await files.stop()
  }
}
