// Measures the search at a large size: the room of the index, an edit of it, questions in the threads of our own host, and readers beside a storm of questions.
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import { listDataFiles } from '../../src/domain/catalogue/data-files.ts'
import { buildRecordPath, searchIndexPath } from '../../src/host/builds/serve-sites.ts'
import { UNKNOWN_SOURCE } from '../../src/ports/fresh-copies.ts'
import { digestText } from '../../src/ports/measure.ts'
import { writeFiles } from '../../src/stores/content/write-files.ts'
import { writeBuildRecord } from '../../src/stores/site/build-record.ts'
import { beside as besideReader } from './attacks.ts'
import { type Measurement, quantile, timeWork } from './measure.ts'
import { runNode } from './processes.ts'
import type { Asked } from './search-asker.ts'
import { gatherQuestions, makeSearchCatalogue } from './search-catalogue.ts'
import { LOAD, serveHub } from './serve.ts'
import { PROJECT_DIR } from './site.ts'

const ASKER = fileURLToPath(new URL('search-asker.ts', import.meta.url))
/** From here on the limits are those of a large catalogue. */
const LARGE = 100_000
/** Questions of the storm, connections that put them, and how long and how often it is measured. */
const STORM = { questions: 100, connections: 8, seconds: 8, rounds: 3 }

/** Loads the search of a version. @param root its project folder */
export async function loadSearch(
  root: string,
): Promise<typeof import('../../src/stores/search-index.ts') & typeof import('../../src/stores/search-sqlite.ts')> {
  const load = (file: string) => import(pathToFileURL(`${root}/src/stores/${file}.ts`).href)
  return { ...(await load('search-index')), ...(await load('search-sqlite')) }
}

/** Measures the search of so many prompts. @param dir new folder to work in @param beside the folder of another version, measured in the same run as the floor */
export async function measureScale(dir: string, prompts: number, beside: string | undefined): Promise<Measurement[]> {
  const indexPath = searchIndexPath(join(dir, 'dist'))
  mkdirSync(join(indexPath, '..'), { recursive: true })
  const questionsPath = join(dir, 'questions.json')
  const built = await writeIndexes(indexPath, questionsPath, prompts, beside)
  const ask = async (root: string, path: string): Promise<Asked> => {
    const { log } = await runNode(
      ['--max-semi-space-size=2', ASKER, root, path, questionsPath],
      { cwd: dir },
      1_800_000,
    )
    return JSON.parse(log)
  }
  const ours = await ask(PROJECT_DIR, indexPath)
  const other = beside === undefined ? undefined : await ask(beside, `${indexPath}.beside`)
  const isLarge = prompts >= LARGE
  const all = ours.groups.flatMap(({ samples }) => samples)
  const row = (
    name: string,
    isMeant: (group: Asked['groups'][number]) => boolean,
    share: number,
    most?: number,
  ): Measurement => {
    const of = (asked: Asked) =>
      quantile(
        asked.groups.filter(isMeant).flatMap(({ samples }) => samples.map(({ ms }) => ms)),
        share,
      )
    const limit = most === undefined ? {} : { limit: { of: 'measured', most } as const }
    return {
      name: `search at scale: ${name}`,
      unit: 'ms',
      measured: of(ours),
      ...(other && { floor: of(other) }),
      ...limit,
    }
  }
  return [
    ...built,
    row('ordinary p50', ({ isOrdinary }) => isOrdinary, 0.5, isLarge ? 8 : 3),
    row('ordinary p99', ({ isOrdinary }) => isOrdinary, 0.99, isLarge ? 40 : 15),
    row('worst', () => true, 1, isLarge ? 120 : 50),
    ...ours.groups.map((group) => row(`${group.name}, worst`, ({ name }) => name === group.name, 1)),
    {
      name: 'search at scale: memory',
      unit: 'MB',
      measured: ours.bytes.peak / 1e6,
      floor: ours.bytes.before / 1e6,
      limit: { of: 'added', most: 150 },
    },
    await measureStorm(
      dir,
      [...all]
        .sort((a, b) => b.ms - a.ms)
        .slice(0, STORM.questions)
        .map(({ text }) => text),
    ),
  ]
}

/** The catalogue is large; it is gone when this returns. */
async function writeIndexes(
  path: string,
  questionsPath: string,
  prompts: number,
  beside: string | undefined,
): Promise<Measurement[]> {
  const catalogue = makeSearchCatalogue(prompts)
  writeFileSync(questionsPath, JSON.stringify(gatherQuestions(catalogue)))
  const kilobytes = (file: string) => statSync(file).size / 1_000 / prompts
  const ours = await loadSearch(PROJECT_DIR)
  const built = timeWork(() => ours.buildSearchIndex(catalogue, path, { isEditable: false }))
  const edited = measureEdits(ours, catalogue, `${path}.edited`)
  const other = beside === undefined ? undefined : await loadSearch(beside)
  other?.buildSearchIndex(catalogue, `${path}.beside`, { isEditable: false })
  const note = `written in ${(built.ms / 1_000).toFixed(0)} s; one that can be edited: ${kilobytes(`${path}.edited`).toFixed(2)} kB`
  return [
    {
      name: 'search at scale: index a prompt',
      unit: 'kB',
      measured: kilobytes(path),
      ...(other && { floor: kilobytes(`${path}.beside`) }),
      limit: { of: 'measured', most: 3 },
      note,
    },
    {
      name: 'search at scale: edit',
      unit: 'ms',
      measured: edited,
      ...(other && { floor: measureEdits(other, catalogue, `${path}.beside-edited`) }),
      ...(prompts < LARGE && { limit: { of: 'measured', most: 300 } }),
    },
  ]
}

/** What it takes to bring an index up to one changed prompt: the median of nine. */
function measureEdits(
  { buildSearchIndex, updateSearchIndex }: Awaited<ReturnType<typeof loadSearch>>,
  catalogue: Catalogue,
  path: string,
): number {
  buildSearchIndex(catalogue, path)
  const changes = catalogue.listed.top.slice(0, 9).map(({ full_name }) => ({ changed: [full_name], removed: [] }))
  return quantile(
    changes.map((change) => timeWork(() => updateSearchIndex(path, catalogue, change)).ms),
    0.5,
  )
}

/** Measures reads beside a storm of searches; the hub, the reader and those who search are a process each. @param dir holds `dist/` with the index */
async function measureStorm(dir: string, questions: readonly string[]): Promise<Measurement> {
  const catalogue = makeSearchCatalogue(20)
  writeFiles(join(dir, 'dist'), listDataFiles(catalogue, digestText))
  writeBuildRecord(buildRecordPath(join(dir, 'dist')), { built_at: new Date().toISOString(), source: UNKNOWN_SOURCE })
  mkdirSync(join(dir, 'content'))
  symlinkSync(join(PROJECT_DIR, 'netlify'), join(dir, 'netlify'))
  const searches = join(dir, 'searches.txt')
  writeFileSync(
    searches,
    questions.map((question) => `/api/v1/repos?${new URLSearchParams({ q: question })}`).join('\n'),
  )
  const path = `/api/v1/repos/${catalogue.listed.top[0]!.full_name}`
  const server = await serveHub({
    dir,
    settings: { CONTENT_DIR: join(dir, 'content'), SITE_URL: 'http://localhost:8888' },
  })
  const storm = async () => {
    const { log } = await runNode(
      [LOAD, String(server.port), String(STORM.connections), String(STORM.seconds), searches],
      { cwd: dir },
      300_000,
    )
    rates.push(Number(log))
  }
  const [idle, stormy, rates]: [number[], number[], number[]] = [[], [], []]
  try {
    for (let round = 0; round < STORM.rounds; round++) {
      idle.push((await besideReader(server, path, () => sleep(STORM.seconds * 1_000))).p99)
      stormy.push((await besideReader(server, path, storm)).p99)
    }
  } finally {
    await server.stop()
  }
  const note = `median of ${STORM.rounds} rounds; floor: while nobody searches; ${quantile(rates, 0.5).toFixed(0)} searches/s`
  return {
    name: 'search at scale: reads beside a storm p99',
    unit: 'ms',
    measured: quantile(stormy, 0.5),
    floor: quantile(idle, 0.5),
    limit: { of: 'ratio', most: 3 },
    note,
  }
}
