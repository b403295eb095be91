// Measures search: the index, an edit to it, and queries in the Node server's threads.
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { openSearchThreads } from '../../src/hosts/node/search-threads.ts'
import { buildSearchIndex, editSearchIndex, startSearchIndex } from '../../src/search/write-index.ts'
import { type Measurement, quantile, time, timeAsync } from './measure.ts'
import { makeQueries, makeSearchCatalogue } from './search-catalogue.ts'

/** Limits in ms, by number of prompts. */
const LIMITS: Readonly<Record<number, { p50: number; p99: number; worst: number }>> = {
  10000: { p50: 3, p99: 15, worst: 50 },
  100000: { p50: 8, p99: 40, worst: 120 },
}
const EDITS = 9
const ROUNDS = 3

/** Measures search with the given number of prompts. @param dir a new folder to work in */
export async function measureScale(dir: string, prompts: number): Promise<Measurement[]> {
  mkdirSync(dir, { recursive: true })
  const [path, edited] = [join(dir, 'search.db'), join(dir, 'edited.db')]
  const most = LIMITS[prompts]
  const catalogue = makeSearchCatalogue(prompts)
  startSearchIndex(edited, catalogue, 1)
  const changes = catalogue.listed.top.slice(0, EDITS).map(({ full_name }) => [full_name])
  const edits = changes.map((change) => time(() => editSearchIndex(edited, catalogue, change, 2).commit()))
  const ours = await measureQueries(path, catalogue)
  const row = (name: string, unit: 'ms' | 'kB', measured: number, limit?: number): Measurement => ({
    name: `search at scale: ${name}`,
    unit,
    measured,
    ...(limit !== undefined && { limit: { of: 'measured', most: limit } }),
  })
  const note = `written in ${ours.seconds.toFixed(0)} s; one that can be edited: ${kilobytes(edited, catalogue).toFixed(2)} kB`
  return [
    { ...row('index a prompt', 'kB', ours.kilobytes, 3), note },
    row('edit', 'ms', quantile(edits, 0.5), prompts > 10_000 ? undefined : 300),
    row('ordinary p50', 'ms', ours.p50, most?.p50),
    row('ordinary p99', 'ms', ours.p99, most?.p99),
    { ...row('worst', 'ms', ours.slowest.ms, most?.worst), note: ours.slowest.text },
  ]
}

/** Writes an index in the form that is deployed and, after a warm-up, sends every query to the search threads. */
async function measureQueries(path: string, catalogue: Catalogue) {
  const seconds = time(() => buildSearchIndex(catalogue, path, { isEditable: false })) / 1_000
  const search = openSearchThreads(path, { deadlineMs: 60_000, queue: 10 })
  const groups = makeQueries(catalogue)
  for (const question of groups.flatMap(({ questions }) => questions.slice(0, 10))) await search.find(question)
  const asked: { text: string; isOrdinary: boolean; ms: number }[] = []
  for (const { questions, isOrdinary } of groups) {
    for (const question of questions) {
      const rounds: number[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await timeAsync(() => search.find(question)))
      asked.push({ text: question.text, isOrdinary, ms: quantile(rounds, 0.5) })
    }
  }
  search.close()
  const ordinary = asked.filter(({ isOrdinary }) => isOrdinary).map(({ ms }) => ms)
  const slowest = asked.reduce((one, other) => (other.ms > one.ms ? other : one))
  return {
    seconds,
    kilobytes: kilobytes(path, catalogue),
    p50: quantile(ordinary, 0.5),
    p99: quantile(ordinary, 0.99),
    slowest,
  }
}

const kilobytes = (path: string, { entries }: Catalogue) => statSync(path).size / 1_000 / entries.size
