// Measures search: the index, an edit to it, queries in the Node server's threads, and readers during a storm of queries.
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalogue } from '../../packages/catalogue/catalogue.ts'
import { openSearchThreads } from '../../packages/node-server/search-threads.ts'
import { buildSearchIndex, updateSearchIndex } from '../../packages/stores/search/write-index.ts'
import { type Measurement, quantile, time, timeAsync } from './measure.ts'
import { runNode } from './processes.ts'
import { measureReader } from './reader.ts'
import { makeQueries, makeSearchCatalogue } from './search-catalogue.ts'
import { LOAD, serveHub } from './serve.ts'
import { makeSite } from './site.ts'

/** Limits in ms, by number of prompts. */
const LIMITS: Readonly<Record<number, { p50: number; p99: number; worst: number }>> = {
  10000: { p50: 3, p99: 15, worst: 50 },
  100000: { p50: 8, p99: 40, worst: 120 },
}
const EDITS = 9
const ROUNDS = 3
/** The storm's number of queries, the connections that send them, and its duration. */
const STORM = { questions: 100, connections: 4, seconds: 8 }

/** Measures search with the given number of prompts. @param dir a new folder to work in */
export async function measureScale(dir: string, prompts: number): Promise<Measurement[]> {
  mkdirSync(dir, { recursive: true })
  const [path, edited] = [join(dir, 'search.db'), join(dir, 'edited.db')]
  const most = LIMITS[prompts]
  const catalogue = makeSearchCatalogue(prompts)
  buildSearchIndex(catalogue, edited)
  const changes = catalogue.listed.top.slice(0, EDITS).map(({ full_name }) => [full_name])
  const edits = changes.map((change) => time(() => updateSearchIndex(edited, catalogue, change)))
  const ours = await measureQueries(path, catalogue)
  const row = (name: string, unit: 'ms' | 'kB', measured: number, limit?: number): Measurement => ({
    ...{ name: `search at scale: ${name}`, unit, measured },
    ...(limit !== undefined && { limit: { of: 'measured', most: limit } }),
  })
  const note = `written in ${ours.seconds.toFixed(0)} s; one that can be edited: ${kilobytes(edited, catalogue).toFixed(2)} kB`
  return [
    { ...row('index a prompt', 'kB', ours.kilobytes, 3), note },
    row('edit', 'ms', quantile(edits, 0.5), prompts > 10_000 ? undefined : 300),
    row('ordinary p50', 'ms', ours.p50, most?.p50),
    row('ordinary p99', 'ms', ours.p99, most?.p99),
    { ...row('worst', 'ms', ours.worst, most?.worst), note: ours.slowest[0]! },
    await measureStorm(join(dir, 'site'), path, ours.slowest),
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
  const slowest = asked.toSorted((a, b) => b.ms - a.ms)
  return {
    ...{ seconds, kilobytes: kilobytes(path, catalogue) },
    ...{ p50: quantile(ordinary, 0.5), p99: quantile(ordinary, 0.99), worst: slowest[0]!.ms },
    slowest: slowest.slice(0, STORM.questions).map(({ text }) => text),
  }
}

const kilobytes = (path: string, { entries }: Catalogue) => statSync(path).size / 1_000 / entries.size

/** Measures reads during a storm of searches; hub, reader and searchers are separate processes. */
async function measureStorm(dir: string, indexPath: string, questions: readonly string[]): Promise<Measurement> {
  const site = await makeSite(dir, 20, 1)
  copyFileSync(indexPath, site.indexPath)
  const searches = join(site.dir, 'searches.txt')
  const addresses = questions.map((q) => `/api/v1/repos?${new URLSearchParams({ q })}`)
  writeFileSync(searches, addresses.join('\n'))
  const path = `/api/v1/repos/${site.catalogue.listed.top[0]!.full_name}`
  const server = await serveHub(site)
  const load = [LOAD, String(server.port), String(STORM.connections), String(STORM.seconds), searches]
  const [idle, stormy]: [number[], number[]] = [[], []]
  try {
    // The first queries run one at a time, because they read the vocabulary.
    for (const address of addresses) await (await fetch(`http://127.0.0.1:${server.port}${address}`)).arrayBuffer()
    for (let round = 0; round < ROUNDS; round++) {
      idle.push((await measureReader(server.port, path, () => sleep(STORM.seconds * 1_000))).p99)
      stormy.push((await measureReader(server.port, path, () => runNode(load, { cwd: site.dir }, 300_000))).p99)
    }
  } finally {
    await server.stop()
  }
  return {
    ...{ name: 'search at scale: reads beside a storm p99', unit: 'ms', limit: { of: 'ratio', most: 3 } },
    ...{ measured: quantile(stormy, 0.5), floor: quantile(idle, 0.5) },
    note: `median of ${ROUNDS} rounds; floor: while nobody searches`,
  }
}
