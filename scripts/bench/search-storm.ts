// Owns measuring whether readers of our own host wait for those who search: how long reads take while nobody searches, and under a storm of the dearest questions; and its memory.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listDataFiles } from '../../src/domain/catalogue/data-files.ts'
import { digestText } from '../../src/ports/measure.ts'
import { writeFiles } from '../../src/stores/write-files.ts'
import { beside } from './attacks.ts'
import { type Measurement, quantile } from './measure.ts'
import { residentBytes, runNode } from './processes.ts'
import { makeSearchCatalogue } from './search-catalogue.ts'
import { LOAD, serveHub } from './serve.ts'
import { PROJECT_DIR } from './site.ts'

/** Searches that wait for their answers at any time. */
const CONNECTIONS = 8
const SECONDS = 8
const ROUNDS = 3
/** A search index needs no files; a reader needs some. */
const PROMPTS_TO_READ = 20

/** Measures reads beside searches, the hub, the reader and those who search each being a process. @param dir holds `build/search.db` @param questions the dearest ones */
export async function measureStorm(dir: string, questions: readonly string[]): Promise<Measurement[]> {
  const catalogue = makeSearchCatalogue(PROMPTS_TO_READ)
  writeFiles(join(dir, 'dist'), listDataFiles(catalogue, digestText))
  mkdirSync(join(dir, 'content'))
  symlinkSync(join(PROJECT_DIR, 'netlify'), join(dir, 'netlify'))
  const path = `/api/v1/repos/${catalogue.listed.top[0]!.full_name}`
  const searches = join(dir, 'searches.txt')
  writeFileSync(
    searches,
    questions.map((question) => `/api/v1/repos?${new URLSearchParams({ q: question })}`).join('\n'),
  )
  const settings = { CONTENT_DIR: join(dir, 'content'), SITE_URL: 'http://localhost:8888' }
  const server = await serveHub({ dir, settings })
  const storm = async () => {
    const { log } = await runNode(
      [LOAD, String(server.port), String(CONNECTIONS), String(SECONDS), searches],
      { cwd: dir },
      300_000,
    )
    rates.push(Number(log))
  }
  const [idle, stormy, rates]: [number[], number[], number[]] = [[], [], []]
  // Before anybody has searched, and hardly before the search is made ready: what it holds then counts too.
  const held = { idle: residentBytes(server.pid), peak: 0 }
  const watch = setInterval(() => (held.peak = Math.max(held.peak, residentBytes(server.pid))), 20)
  try {
    for (let round = 0; round < ROUNDS; round++) {
      idle.push((await beside(server, path, () => sleep(SECONDS * 1_000))).p99)
      stormy.push((await beside(server, path, storm)).p99)
    }
  } finally {
    clearInterval(watch)
    await server.stop()
  }
  return [
    {
      name: 'search at scale: reads beside a storm p99',
      unit: 'ms',
      measured: quantile(stormy, 0.5),
      floor: quantile(idle, 0.5),
      limit: { of: 'ratio', most: 3 },
      note: `median of ${ROUNDS} rounds; floor: while nobody searches; storm: ${CONNECTIONS} connections, ${quantile(rates, 0.5).toFixed(0)} searches/s`,
    },
    {
      name: 'search at scale: memory of the hub',
      unit: 'MB',
      measured: held.peak / 1e6,
      floor: held.idle / 1e6,
      limit: { of: 'added', most: 150 },
      note: 'the most during the storm; floor: as soon as it listens, before it has read or searched',
    },
  ]
}
