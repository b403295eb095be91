// Measures search at a large size: the index, an edit of it, queries in the Node server's threads, and readers during a storm of queries.
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { updateSearchIndex } from '../../src/stores/search/write-index.ts'
import { beside as besideReader } from './attacks.ts'
import { type Measurement, quantile, time, timeAsync } from './measure.ts'
import { runNode } from './processes.ts'
import { loadSearch } from './relevance.ts'
import { gatherQuestions, makeSearchCatalogue, type QuestionGroup } from './search-catalogue.ts'
import { LOAD, serveHub } from './serve.ts'
import { makeSite, PROJECT_DIR } from './site.ts'

/** From this size on, the limits are those of a large catalogue. */
const LARGE = 100_000
const EDITS = 9
const ROUNDS = 3
/** Queries of the storm, connections that send them, and the duration. */
const STORM = { questions: 100, connections: 8, seconds: 8 }

/** A query and its duration, the median of `ROUNDS`. */
interface Asked {
  text: string
  isOrdinary: boolean
  ms: number
}

/** Measures the search over this many prompts. @param dir new folder to work in @param beside the folder of another version, measured in the same run as the baseline */
export async function measureScale(dir: string, prompts: number, beside: string | undefined): Promise<Measurement[]> {
  mkdirSync(dir, { recursive: true })
  const path = join(dir, 'search.db')
  const { groups, seconds, edit } = await writeIndexes(path, prompts, beside)
  const ours = await ask(PROJECT_DIR, path, groups)
  const other = beside === undefined ? undefined : await ask(beside, `${path}.beside`, groups)
  const kilobytes = (file: string) => statSync(file).size / 1_000 / prompts
  const most = prompts < LARGE ? { p50: 3, p99: 15, worst: 50 } : { p50: 8, p99: 40, worst: 120 }
  const row = (name: string, unit: 'ms' | 'kB', measured: number, limit: number, floor?: number): Measurement => ({
    name: `search at scale: ${name}`,
    unit,
    measured,
    ...(floor !== undefined && { floor }),
    limit: { of: 'measured', most: limit },
  })
  const ordinary = (share: number, asked = ours) =>
    quantile(
      asked.filter(({ isOrdinary }) => isOrdinary).map(({ ms }) => ms),
      share,
    )
  const slowest = ours.toSorted((a, b) => b.ms - a.ms)
  const note = `written in ${seconds.toFixed(0)} s; one that can be edited: ${kilobytes(`${path}.edited`).toFixed(2)} kB`
  return [
    { ...row('index a prompt', 'kB', kilobytes(path), 3, other && kilobytes(`${path}.beside`)), note },
    ...(prompts < LARGE ? [row('edit', 'ms', edit, 300)] : []),
    row('ordinary p50', 'ms', ordinary(0.5), most.p50, other && ordinary(0.5, other)),
    row('ordinary p99', 'ms', ordinary(0.99), most.p99, other && ordinary(0.99, other)),
    {
      ...row('worst', 'ms', slowest[0]!.ms, most.worst, other && Math.max(...other.map(({ ms }) => ms))),
      note: slowest[0]!.text,
    },
    await measureStorm(
      join(dir, 'site'),
      path,
      slowest.slice(0, STORM.questions).map(({ text }) => text),
    ),
  ]
}

/** Writes an index of each version, and one that is edited. The catalogue is large, and is freed when this returns. */
async function writeIndexes(path: string, prompts: number, beside: string | undefined) {
  const catalogue = makeSearchCatalogue(prompts)
  const { buildSearchIndex } = await loadSearch(PROJECT_DIR)
  const seconds = time(() => buildSearchIndex(catalogue, path, { isEditable: false })) / 1_000
  buildSearchIndex(catalogue, `${path}.edited`)
  const changes = catalogue.listed.top.slice(0, EDITS).map(({ full_name }) => [full_name])
  const edits = changes.map((change) => time(() => updateSearchIndex(`${path}.edited`, catalogue, change)))
  if (beside !== undefined)
    (await loadSearch(beside)).buildSearchIndex(catalogue, `${path}.beside`, { isEditable: false })
  return { groups: gatherQuestions(catalogue), seconds, edit: quantile(edits, 0.5) }
}

/** Sends every query to the threads of a version, after a warm-up. */
async function ask(root: string, path: string, groups: readonly QuestionGroup[]): Promise<Asked[]> {
  const { openSearchThreads } = await import(pathToFileURL(`${root}/src/host/search-threads.ts`).href)
  const search = openSearchThreads(path, { deadlineMs: 60_000, queue: 10 })
  for (const question of groups.flatMap(({ questions }) => questions.slice(0, 10))) await search.find(question)
  const asked: Asked[] = []
  for (const { questions, isOrdinary } of groups) {
    for (const question of questions) {
      const rounds: number[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await timeAsync(() => search.find(question)))
      asked.push({ text: question.text, isOrdinary, ms: quantile(rounds, 0.5) })
    }
  }
  search.close()
  return asked
}

/** Measures reads during a storm of searches; hub, reader and searchers are separate processes. */
async function measureStorm(dir: string, indexPath: string, questions: readonly string[]): Promise<Measurement> {
  const site = await makeSite(dir, 20, 1)
  copyFileSync(indexPath, site.indexPath)
  const searches = join(dir, 'searches.txt')
  writeFileSync(searches, questions.map((q) => `/api/v1/repos?${new URLSearchParams({ q })}`).join('\n'))
  const path = `/api/v1/repos/${site.catalogue.listed.top[0]!.full_name}`
  const server = await serveHub(site)
  const load = [LOAD, String(server.port), String(STORM.connections), String(STORM.seconds), searches]
  const [idle, stormy]: [number[], number[]] = [[], []]
  try {
    for (let round = 0; round < ROUNDS; round++) {
      idle.push((await besideReader(server, path, () => sleep(STORM.seconds * 1_000))).p99)
      stormy.push((await besideReader(server, path, () => runNode(load, { cwd: dir }, 300_000))).p99)
    }
  } finally {
    await server.stop()
  }
  return {
    name: 'search at scale: reads beside a storm p99',
    unit: 'ms',
    measured: quantile(stormy, 0.5),
    floor: quantile(idle, 0.5),
    limit: { of: 'ratio', most: 3 },
    note: `median of ${ROUNDS} rounds; floor: while nobody searches`,
  }
}
