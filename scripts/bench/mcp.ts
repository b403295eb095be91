// Measures the MCP endpoint: warm calls compared with plain reads and searches, and the bundle's first response.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DATA_FILES } from '../../src/domain/api/routes.ts'
import type { FreshCopies } from '../../src/ports/fresh-copies.ts'
import { handleMcp, type McpHandlerDeps } from '../../src/server/mcp/answer.ts'
import { openSearchIndex } from '../../src/stores/search/open-index.ts'
import { folderFiles } from '../../src/stores/site/site-files-folder.ts'
import { UNLIMITED } from '../../src/stores/state/rate-limiter-memory.ts'
import { pick, seedRandom } from '../content/random.ts'
import { makeMcpRequest } from './mcp-request.ts'
import { type Measurement, quantile, time, timeAsync } from './measure.ts'
import { runNode } from './processes.ts'
import { type BenchSite, PROJECT_DIR } from './site.ts'

const SAMPLES = 500
/** Number of warm-up calls, after which the engine has compiled both sides. */
const WARM_UP = 150
const COLD_STARTS = 7
const ERAS = ['2025', '2026'] as const
const COLD_START = fileURLToPath(new URL('mcp-cold-start.ts', import.meta.url))

/** No copies, because the speed of their store is not ours. */
const NOTHING_FRESH: FreshCopies = {
  find: async () => undefined,
  findVersion: async () => undefined,
  keepVersion: async () => {},
  keep: async () => {},
}

/** Measures the most frequently called tools in both protocol generations, and the cold start. */
export async function measureMcp(site: BenchSite): Promise<Measurement[]> {
  const index = openSearchIndex(site.indexPath)
  const siteFiles = folderFiles(site.siteDir)
  const dependencies: McpHandlerDeps = {
    baseUrl: 'http://localhost:8888',
    siteFiles,
    fresh: NOTHING_FRESH,
    search: () => index,
    limiter: UNLIMITED,
    clientAddress: '127.0.0.1',
    isOwnHost: () => false,
  }
  const random = seedRandom(17)
  const chosen = Array.from({ length: WARM_UP + SAMPLES }, () => pick(random, site.catalogue.listed.top))
  try {
    const measurements: Measurement[] = []
    for (const era of ERAS) {
      const call = (name: string, given: Record<string, unknown>) => callTool(era, name, given, dependencies)
      const read: number[] = []
      const readFloor: number[] = []
      const searched: number[] = []
      const searchFloor: number[] = []
      for (const { owner, name, title, latest_version } of chosen) {
        const files = [DATA_FILES.repository(owner, name), DATA_FILES.version(owner, name, latest_version ?? '')]
        const paths = files.map((path) => join(site.siteDir, path))
        readFloor.push(time(() => paths.map((path) => JSON.parse(readFileSync(path, 'utf8')))))
        read.push(await timeAsync(() => call('get_prompt', { owner, name })))
        const q = title.split(' ').slice(0, 2).join(' ')
        const question = { text: q, tags: [], sort: undefined, offset: 0, limit: 10 }
        searchFloor.push(time(() => index.find(question)))
        searched.push(await timeAsync(() => call('search_prompts', { q })))
      }
      measurements.push(
        compare(`mcp: get_prompt ${era} p50`, read, readFloor, 'floor: reading and parsing its two files'),
        compare(`mcp: search_prompts ${era} p50`, searched, searchFloor, 'floor: the search itself'),
      )
    }
    return [...measurements, ...(await measureColdStart(site))]
  } finally {
    index.close()
  }
}

function compare(name: string, ours: readonly number[], floor: readonly number[], note: string): Measurement {
  const middle = (samples: readonly number[]) => quantile(samples.slice(WARM_UP), 0.5)
  return { name, unit: 'ms', measured: middle(ours), floor: middle(floor), limit: { of: 'added', most: 3 }, note }
}

async function callTool(
  era: (typeof ERAS)[number],
  name: string,
  given: Record<string, unknown>,
  dependencies: McpHandlerDeps,
): Promise<void> {
  const response = await handleMcp(makeMcpRequest(era, 'tools/call', { name, arguments: given }), () => dependencies)
  const text = await response.text()
  if (response.status !== 200 || text.includes('"isError"')) throw new Error(`The response to ${name} was ${text}`)
}

/** Measures the bundle's first response. It is inside the project, so that it finds packages that the bundler did not copy. */
async function measureColdStart({ dir }: BenchSite): Promise<Measurement[]> {
  const bundles = join(PROJECT_DIR, '.hub', `bench-functions-${process.pid}`)
  mkdirSync(bundles, { recursive: true })
  try {
    const netlify = join(PROJECT_DIR, 'node_modules/.bin/netlify')
    const surroundings = { cwd: PROJECT_DIR, env: { ...process.env, CI: 'true' }, stdio: 'pipe' } as const
    execFileSync(netlify, ['functions:build', '--src', 'netlify/functions', '--functions', bundles], surroundings)
    execFileSync('python3', ['-m', 'zipfile', '-e', join(bundles, 'mcp.zip'), join(bundles, 'mcp')])
    const bundle = join(bundles, 'mcp/netlify/functions/mcp.mjs')
    const measurements: Measurement[] = []
    for (const era of ERAS) {
      const samples: number[] = []
      for (let start = 0; start < COLD_STARTS; start++) {
        const { log } = await runNode([COLD_START, bundle, era], { cwd: dir }, 30_000)
        samples.push(Number(log))
      }
      measurements.push({
        name: `mcp: cold start ${era} p50`,
        unit: 'ms',
        measured: quantile(samples, 0.5),
        limit: { of: 'measured', most: 1_000 },
        note: `${COLD_STARTS} processes, from the import of the bundle to its first answer`,
      })
    }
    return measurements
  } finally {
    rmSync(bundles, { recursive: true, force: true })
  }
}
