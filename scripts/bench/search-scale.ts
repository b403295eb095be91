// Measures search at a large size: the index, an edit of it, questions in the threads of our own host, and readers beside a storm of questions.
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beside as besideReader } from './attacks.ts'
import { type Limit, type Measurement, quantile, time } from './measure.ts'
import { runNode } from './processes.ts'
import { loadSearch } from './relevance.ts'
import type { Asked } from './search-asker.ts'
import { gatherQuestions, makeSearchCatalogue } from './search-catalogue.ts'
import { LOAD, serveHub } from './serve.ts'
import { makeSite, PROJECT_DIR } from './site.ts'

const ASKER = fileURLToPath(new URL('search-asker.ts', import.meta.url))
/** From here on the limits are those of a large catalogue. */
const LARGE = 100_000
const EDITS = 9
/** Questions of the storm, connections that put them, and how long and how often it is measured. */
const STORM = { questions: 100, connections: 8, seconds: 8, rounds: 3 }

/** Measures the search of so many prompts. @param dir new folder to work in @param beside the folder of another version, measured in the same run as the floor */
export async function measureScale(dir: string, prompts: number, beside: string | undefined): Promise<Measurement[]> {
  mkdirSync(dir, { recursive: true })
  const questionsPath = join(dir, 'questions.json')
  const indexPath = join(dir, 'search.db')
  const ask = async (root: string, path: string): Promise<Asked> =>
    JSON.parse(
      (await runNode(['--max-semi-space-size=2', ASKER, root, path, questionsPath], { cwd: dir }, 1_800_000)).log,
    )
  const written = await writeIndexes(indexPath, questionsPath, prompts, beside)
  const ours = await ask(PROJECT_DIR, indexPath)
  const other = beside === undefined ? undefined : await ask(beside, `${indexPath}.beside`)
  const limits = prompts >= LARGE ? { p50: 8, p99: 40, worst: 120 } : { p50: 3, p99: 15, worst: 50 }
  type Group = Asked['groups'][number]
  const row = (name: string, isMeant: (group: Group) => boolean, share: number, most?: number): Measurement => {
    const of = ({ groups }: Asked) =>
      quantile(
        groups.filter(isMeant).flatMap(({ samples }) => samples.map(({ ms }) => ms)),
        share,
      )
    return {
      name: `search at scale: ${name}`,
      unit: 'ms',
      measured: of(ours),
      ...(other && { floor: of(other) }),
      ...limit(most),
    }
  }
  const slowest = ours.groups
    .flatMap(({ samples }) => samples)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, STORM.questions)
  return [
    ...written,
    row('ordinary p50', ({ isOrdinary }) => isOrdinary, 0.5, limits.p50),
    row('ordinary p99', ({ isOrdinary }) => isOrdinary, 0.99, limits.p99),
    row('worst', () => true, 1, limits.worst),
    ...ours.groups.map((group) => row(`${group.name}, worst`, ({ name }) => name === group.name, 1)),
    { name: 'search at scale: memory added', unit: 'MB', measured: ours.addedBytes / 1e6, ...limit(150) },
    await measureStorm(
      join(dir, 'site'),
      indexPath,
      slowest.map(({ text }) => text),
    ),
  ]
}

const limit = (most: number | undefined): { limit?: Limit } =>
  most === undefined ? {} : { limit: { of: 'measured', most } }

/** Writes the questions and the indexes. The catalogue is large; it is gone when this returns. */
async function writeIndexes(
  path: string,
  questionsPath: string,
  prompts: number,
  beside: string | undefined,
): Promise<Measurement[]> {
  const catalogue = makeSearchCatalogue(prompts)
  writeFileSync(questionsPath, JSON.stringify(gatherQuestions(catalogue)))
  const measure = async (root: string, file: string) => {
    const { buildSearchIndex, updateSearchIndex } = await loadSearch(root)
    const seconds = time(() => buildSearchIndex(catalogue, file, { isEditable: false })) / 1_000
    buildSearchIndex(catalogue, `${file}.edited`)
    const changes = catalogue.listed.top.slice(0, EDITS).map(({ full_name }) => [full_name])
    const edits = changes.map((change) => time(() => updateSearchIndex(`${file}.edited`, catalogue, change)))
    const kilobytes = (name: string) => statSync(name).size / 1_000 / prompts
    return { seconds, edit: quantile(edits, 0.5), size: kilobytes(file), editable: kilobytes(`${file}.edited`) }
  }
  const ours = await measure(PROJECT_DIR, path)
  const other = beside === undefined ? undefined : await measure(beside, `${path}.beside`)
  const note = `written in ${ours.seconds.toFixed(0)} s; one that can be edited: ${ours.editable.toFixed(2)} kB`
  return [
    {
      name: 'search at scale: index a prompt',
      unit: 'kB',
      measured: ours.size,
      ...(other && { floor: other.size }),
      ...limit(3),
      note,
    },
    {
      name: 'search at scale: edit',
      unit: 'ms',
      measured: ours.edit,
      ...(other && { floor: other.edit }),
      ...limit(prompts < LARGE ? 300 : undefined),
    },
  ]
}

/** Measures reads beside a storm of searches; the hub, the reader and those who search are a process each. */
async function measureStorm(dir: string, indexPath: string, questions: readonly string[]): Promise<Measurement> {
  const site = await makeSite(dir, 20, 1)
  copyFileSync(indexPath, site.indexPath)
  const searches = join(dir, 'searches.txt')
  writeFileSync(searches, questions.map((q) => `/api/v1/repos?${new URLSearchParams({ q })}`).join('\n'))
  const path = `/api/v1/repos/${site.catalogue.listed.top[0]!.full_name}`
  const server = await serveHub(site)
  const load = [LOAD, String(server.port), String(STORM.connections), String(STORM.seconds), searches]
  const [idle, stormy, rates]: [number[], number[], number[]] = [[], [], []]
  const storm = async () => rates.push(Number((await runNode(load, { cwd: dir }, 300_000)).log))
  try {
    for (let round = 0; round < STORM.rounds; round++) {
      idle.push((await besideReader(server, path, () => sleep(STORM.seconds * 1_000))).p99)
      stormy.push((await besideReader(server, path, storm)).p99)
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
    note: `median of ${STORM.rounds} rounds; floor: while nobody searches; ${quantile(rates, 0.5).toFixed(0)} searches/s`,
  }
}
