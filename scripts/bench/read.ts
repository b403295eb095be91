// Measures what the read handler adds to fetching its files, for each site-files driver.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '../../src/domain/api/limits.ts'
import { DATA_FILES } from '../../src/domain/api/routes.ts'
import { copiesAhead, UNKNOWN_SOURCE } from '../../src/ports/fresh-copies.ts'
import type { SiteFiles } from '../../src/ports/site-files.ts'
import { handleRead } from '../../src/server/read/read.ts'
import { deployFiles } from '../../src/stores/site/site-files-deploy.ts'
import { folderFiles } from '../../src/stores/site/site-files-folder.ts'
import { openCopies } from '../../src/stores/state/fresh-copies.ts'
import { pick, randomInteger, seedRandom } from '../content/random.ts'
import { type Measurement, quantile, timeAsync } from './measure.ts'
import { startNode } from './processes.ts'
import type { BenchSite } from './site.ts'

const SAMPLES = 500
/** Number of warm-up calls, after which the engine has compiled both sides. */
const WARM_UP = 150

/** A URL path and the files for its response, in the order in which they are read. */
interface Target {
  address: string
  files: string[]
}

/** Where the product and the baseline read files from. */
interface Driver {
  name: string
  open: () => SiteFiles
  fetchBare: (path: string) => Promise<unknown>
}

const STATIC_SERVER = fileURLToPath(new URL('static-server.ts', import.meta.url))

/** Starts the baseline server over a site. */
export function serveBare({ dir, siteDir }: BenchSite) {
  return startNode((port) => ({ parameters: [STATIC_SERVER, siteDir, String(port)], surroundings: { cwd: dir } }))
}

/** Measures the handler for each kind of response. */
export async function measureRead(site: BenchSite): Promise<Measurement[]> {
  const server = await serveBare(site)
  const origin = `http://127.0.0.1:${server.port}`
  const drivers: Driver[] = [
    {
      // Opened anew each time, because it would cache what it has read.
      name: 'from a folder',
      open: () => folderFiles(site.siteDir),
      fetchBare: (path) => readFile(join(site.siteDir, path)),
    },
    {
      name: 'by fetch',
      open: () => deployFiles(origin),
      fetchBare: async (path) => (await fetch(origin + path)).arrayBuffer(),
    },
  ]
  try {
    const measurements: Measurement[] = []
    for (const driver of drivers) {
      for (const [name, targets] of Object.entries(chooseTargets(site))) {
        measurements.push(await measureTargets(`read: ${name} ${driver.name} p50`, targets, driver))
      }
    }
    return measurements
  } finally {
    await server.stop()
  }
}

function chooseTargets({ catalogue }: BenchSite): Record<string, Target[]> {
  const random = seedRandom(11)
  const pages = Math.ceil(catalogue.listed.top.length / LIMITS.pageSize)
  const chosen = Array.from({ length: WARM_UP + SAMPLES }, () => {
    const { owner, name, latest_version } = pick(random, catalogue.listed.top)
    return {
      owner,
      name,
      latest: latest_version ?? '',
      page: randomInteger(random, 1, pages),
      base: `/api/v1/repos/${owner}/${name}`,
    }
  })
  return {
    repository: chosen.map(({ owner, name, base }) => ({ address: base, files: [DATA_FILES.repository(owner, name)] })),
    list: chosen.map(({ page }) => ({ address: `/api/v1/repos?page=${page}`, files: [DATA_FILES.list('top', page)] })),
    version: chosen.map(({ owner, name, latest, base }) => ({
      address: `${base}/versions/${latest}`,
      files: [DATA_FILES.version(owner, name, latest)],
    })),
    'raw of a version': chosen.map(({ owner, name, latest, base }) => ({
      address: `${base}/raw?version=${latest}`,
      files: [DATA_FILES.rawVersion(owner, name, latest)],
    })),
    'raw of the latest': chosen.map(({ owner, name, latest, base }) => ({
      address: `${base}/raw`,
      files: [DATA_FILES.repository(owner, name), DATA_FILES.rawVersion(owner, name, latest)],
    })),
  }
}

async function measureTargets(name: string, targets: readonly Target[], driver: Driver): Promise<Measurement> {
  const ours: number[] = []
  const floor: number[] = []
  for (const [index, { address, files }] of targets.entries()) {
    // Opened before the measurement, because a server opens its files only once, not for each read.
    const siteFiles = driver.open()
    const answer = async () => ours.push(await timeAsync(() => readWhole(address, siteFiles)))
    const fetchFiles = async () =>
      floor.push(
        await timeAsync(async () => {
          for (const path of files) await driver.fetchBare(path)
        }),
      )
    // The second reader finds the file in the system's cache, so they take turns to go first.
    for (const work of index % 2 === 0 ? [answer, fetchFiles] : [fetchFiles, answer]) await work()
  }
  return {
    name,
    unit: 'ms',
    measured: quantile(ours.slice(WARM_UP), 0.5),
    floor: quantile(floor.slice(WARM_UP), 0.5),
    // Measured in pairs, because a busy machine slows down both of a pair.
    added: quantile(ours.map((took, index) => took - floor[index]!).slice(WARM_UP), 0.5),
    limit: { of: 'added', most: 0.2 },
    ...(targets[0]!.files.length > 1 ? { note: `floor: the ${targets[0]!.files.length} files it is made from` } : {}),
  }
}

/** An empty store, because the speed of a real one is not ours. */
const NOTHING_FRESH = copiesAhead(
  openCopies({
    get: async () => undefined,
    set: async () => {},
    add: async () => true,
    replace: async () => true,
    delete: async () => {},
    list: async () => ({ keys: [], next: undefined }),
    removeExpired: async () => 0,
  }),
  () => UNKNOWN_SOURCE,
)

/** Reads the entire response, as the caller of a function does. */
async function readWhole(address: string, siteFiles: SiteFiles): Promise<void> {
  const response = await handleRead(new Request(`http://localhost:8888${address}`), () => ({
    baseUrl: 'http://localhost:8888',
    siteFiles,
    fresh: NOTHING_FRESH,
    search: () => {
      throw new Error('this benchmark does not search')
    },
    limiter: { take: () => 0 },
    clientAddress: '127.0.0.1',
  }))
  if (response.status !== 200) throw new Error(`${address} responded with ${response.status}`)
  await response.arrayBuffer()
}
