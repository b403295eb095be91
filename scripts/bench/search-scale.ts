// Owns measuring the search at a large size: the room of the index, what questions take in the threads of our own host, their memory, and readers beside them.
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { searchIndexPath } from '../../src/host/serve-sites.ts'
import { buildSearchIndex } from '../../src/stores/search-index.ts'
import { type Measurement, quantile, timeWork } from './measure.ts'
import { runNode } from './processes.ts'
import type { Asked } from './search-asker.ts'
import { makeSearchCatalogue } from './search-catalogue.ts'
import { gatherQuestions } from './search-questions.ts'
import { measureStorm } from './search-storm.ts'

const ASKER = fileURLToPath(new URL('search-asker.ts', import.meta.url))
/** The asker's own short-lived objects are thrown away early, so that what it holds is the search's. */
const SMALL_YOUNG = '--max-semi-space-size=2'
/** From here on the index has to be small; in a small one, what every index has weighs more. */
const LARGE = 100_000
/** So many questions are the storm. */
const DEAREST = 100

type Sample = Asked['groups'][number]['samples'][number]

/** Measures the search of so many prompts. @param dir new folder to work in */
export async function measureScale(dir: string, prompts: number): Promise<Measurement[]> {
  const indexPath = searchIndexPath(join(dir, 'dist'))
  const questionsPath = join(dir, 'questions.json')
  mkdirSync(join(indexPath, '..'), { recursive: true })
  const built = writeIndex(indexPath, questionsPath, prompts)
  const { log } = await runNode([SMALL_YOUNG, ASKER, indexPath, questionsPath], { cwd: dir }, 900_000)
  const { groups, warmMs, firstMs, bytes }: Asked = JSON.parse(log)
  const all = groups.flatMap(({ samples }) => samples)
  const ordinary = groups.filter(({ isOrdinary }) => isOrdinary).flatMap(({ samples }) => samples)
  const dearest = [...all].sort((a, b) => b.processorMs - a.processorMs).slice(0, DEAREST)
  const row = (name: string, samples: readonly Sample[], share: number, most?: number): Measurement => ({
    name: `search at scale: ${name}`,
    unit: 'ms',
    measured: quantile(
      samples.map(({ ms }) => ms),
      share,
    ),
    ...(most === undefined ? {} : { limit: { of: 'measured', most } }),
    note: `${samples.length} questions; on the processor ${quantile(
      samples.map(({ processorMs }) => processorMs),
      share,
    ).toFixed(2)} ms`,
  })
  return [
    {
      name: 'search at scale: index a prompt',
      unit: 'kB',
      measured: statSync(indexPath).size / 1_000 / prompts,
      ...(prompts < LARGE ? {} : { limit: { of: 'measured', most: 1.2 } }),
      note: `without what only editing needs; written in ${(built.ms / 1_000).toFixed(0)} s, on the processor ${(built.processorMs / 1_000).toFixed(0)} s`,
    },
    row('ordinary p50', ordinary, 0.5, 2),
    row('ordinary p99', ordinary, 0.99, 15),
    row('worst', all, 1, 50),
    ...groups.map(({ name, samples }) => row(`${name}, worst`, samples, 1)),
    {
      name: 'search at scale: first answer',
      unit: 'ms',
      measured: firstMs,
      limit: { of: 'measured', most: 50 },
      note: `after ${warmMs.toFixed(0)} ms of opening and warming, which nobody waits for`,
    },
    {
      name: 'search at scale: memory of the search',
      unit: 'MB',
      measured: bytes.peak / 1e6,
      floor: bytes.before / 1e6,
      limit: { of: 'added', most: 150 },
      note: 'the most while all of these are asked; floor: before the search is opened',
    },
    ...(await measureStorm(
      dir,
      dearest.map(({ text }) => text),
    )),
  ]
}

/** The catalogue is large; it is gone when this returns. */
function writeIndex(indexPath: string, questionsPath: string, prompts: number) {
  const catalogue = makeSearchCatalogue(prompts)
  writeFileSync(questionsPath, JSON.stringify(gatherQuestions(catalogue)))
  return timeWork(() => buildSearchIndex(catalogue, indexPath, { isEditable: false }))
}
