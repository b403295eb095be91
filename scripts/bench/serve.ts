// Measures the requests per second of the Node server, compared with a bare static server that serves the same bytes.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DATA_FILES } from '../../src/domain/api/data-paths.ts'
import { pick, seedRandom } from '../content/random.ts'
import { serveBare } from './bare-server.ts'
import { type Measurement, quantile } from './measure.ts'
import { parametersOf, runNode, startNode } from './processes.ts'
import type { BenchSite } from './site.ts'

const CONNECTIONS = 8
const SECONDS = 4
const ROUNDS = 3
/** The number of prompts requested in turn. */
const DETAILS = 500

/** The path of the load generator. */
export const LOAD = fileURLToPath(new URL('load.ts', import.meta.url))

/** Measures the Node server under load. */
export async function measureServe(site: BenchSite): Promise<Measurement[]> {
  const random = seedRandom(13)
  const chosen = Array.from({ length: DETAILS }, () => pick(random, site.catalogue.listed.top))
  const ours = join(site.dir, 'addresses.txt')
  const bare = join(site.dir, 'files.txt')
  writeFileSync(ours, chosen.map(({ owner, name }) => `/api/v1/repos/${owner}/${name}`).join('\n'))
  writeFileSync(bare, chosen.map(({ owner, name }) => DATA_FILES.repository(owner, name)).join('\n'))
  const servers = [
    { start: () => serveHub(site), paths: ours, rates: [] as number[] },
    { start: () => serveBare(site), paths: bare, rates: [] as number[] },
  ] as const
  for (let round = 0; round < ROUNDS; round++) {
    for (const { start, paths, rates } of servers) {
      const server = await start()
      try {
        rates.push(await load(server.port, paths, site.dir))
      } finally {
        await server.stop()
      }
    }
  }
  return [
    {
      name: 'serve: repository',
      unit: 'requests/s',
      measured: quantile(servers[0].rates, 0.5),
      floor: quantile(servers[1].rates, 0.5),
      limit: { of: 'measured', least: 2_000 },
      note: `${CONNECTIONS} connections, ${DETAILS} addresses in turn; floor: a bare static server`,
    },
  ]
}

/** Rate limits and the request log are off, because the bare server has neither. */
const PLAIN = { RATE_LIMIT_PER_MINUTE: '0', LOG_REQUESTS: 'off' }

const BUILD_SERVER = fileURLToPath(new URL('build-server.ts', import.meta.url))

/** Starts the Node server in the site's folder, which contains everything it needs. */
export function serveHub({ dir, settings }: Pick<BenchSite, 'dir' | 'settings'>, more: Record<string, string> = {}) {
  return startNode((port) => ({
    parameters: [...parametersOf('start').slice(0, -1), BUILD_SERVER],
    surroundings: { cwd: dir, settings: { ...settings, ...PLAIN, ...more, PORT: String(port) } },
  }))
}

/** Measures a server's requests per second. @param paths a file of URL paths, one per line @param header a header of each request, such as `Cookie: a=b` */
export async function load(port: number, paths: string, cwd: string, header = ''): Promise<number> {
  const parameters = [LOAD, String(port), String(CONNECTIONS), String(SECONDS), paths, header]
  const { log } = await runNode(parameters, { cwd }, (SECONDS + 30) * 1000)
  return Number(log)
}
