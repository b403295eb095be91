// `npm run bench`: measures builds, the Node server, publishing, search and attacks on synthetic catalogues, and checks the results against limits.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { measureAttacks } from './bench/attacks.ts'
import { measureHost } from './bench/host.ts'
import { measureHostilePrompts } from './bench/hostile-prompts.ts'
import { checkLimit, type Measurement, type Row, tableOf } from './bench/measure.ts'
import { stopAll } from './bench/processes.ts'
import { measurePublish } from './bench/publish.ts'
import { measureRebuild } from './bench/rebuild.ts'
import { measureRelevance } from './bench/relevance.ts'
import { measureScale } from './bench/search-scale.ts'
import { measureServe } from './bench/serve.ts'
import { type BenchSite, makeSite } from './bench/site.ts'
import { printTable } from './operator.ts'
import { openProgress } from './progress.ts'
import { runCommand } from './run-command.ts'

/** What a part measures with. */
interface Bench {
  /** A folder for all parts of this size. */
  dir: string
  prompts: number
  /** Creates the catalogue, or returns the one that an earlier part created. */
  site: () => Promise<BenchSite>
}

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<Measurement[]>>> = {
  rebuild: async ({ site }) => measureRebuild(await site()),
  host: async ({ site }) => measureHost(await site()),
  serve: async ({ site }) => measureServe(await site()),
  publish: async ({ dir, prompts }) => measurePublish(dir, prompts),
  attacks: ({ dir, prompts }) => measureAttacks(join(dir, 'attacks'), prompts),
  'hostile-prompts': ({ dir, prompts }) => measureHostilePrompts(join(dir, 'hostile-prompts'), prompts),
  'search-scale': ({ dir, prompts }) => measureScale(join(dir, 'search-scale'), prompts),
  relevance: () => measureRelevance(),
}

const USAGE = `Usage: npm run bench -- [--sizes 1000,10000] [--versions 5] [--skills 0] [--only ${Object.keys(PARTS).join(',')}]`

const rows: Row[] = []
const failures: string[] = []
const progress = openProgress()
const options = {
  sizes: { type: 'string', default: '1000,10000' },
  versions: { type: 'string', default: '5' },
  // The number of prompts that are skills with 20 files.
  skills: { type: 'string', default: '0' },
  only: { type: 'string', default: Object.keys(PARTS).join(',') },
} as const
await runCommand({ help: USAGE, options }, async ({ values }) => {
  const sizes = values.sizes.split(',').map(Number)
  const [versions, skills] = [Number(values.versions), Number(values.skills)]
  const chosen = values.only.split(',')
  if (
    ![...sizes, versions].every((size) => Number.isInteger(size) && size > 0) ||
    !(Number.isInteger(skills) && skills >= 0) ||
    !chosen.every((part) => Object.hasOwn(PARTS, part))
  )
    throw new Error(USAGE)
  const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-bench-'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await cleanUp(dir)
      process.exit(1)
    })
  }
  try {
    for (const [at, prompts] of sizes.entries()) {
      const ownDir = join(dir, String(prompts))
      let made: Promise<BenchSite> | undefined
      const site = () => {
        made ??= makeSite(join(ownDir, 'site'), prompts, versions, skills)
        return made
      }
      // Relevance uses catalogues of its own, whatever the size.
      const parts = chosen.filter((part) => part !== 'relevance' || at === 0)
      await measureParts(parts, { dir: ownDir, prompts, site })
    }
  } finally {
    await cleanUp(dir)
  }
  // If the load exceeds the number of cores, other processes were running: times are then unreliable, but ratios and processor time are still valid.
  console.log(
    `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}, load ${loadavg()[1]!.toFixed(1)}; ${versions} versions per prompt, ${skills} skills with 20 files\n`,
  )
  printTable(tableOf(rows))
  for (const failure of failures) console.error(failure)
  if (failures.length > 0 || rows.some(({ isKept }) => isKept === false)) process.exitCode = 1
})

async function measureParts(parts: readonly string[], bench: Bench): Promise<void> {
  const { prompts } = bench
  for (const part of parts) {
    progress.show(`${prompts} prompts: ${part}`, 0, 0)
    try {
      const measurements = await PARTS[part]!(bench)
      rows.push(...measurements.map((measurement) => checkLimit(measurement, prompts)))
    } catch (error) {
      // If one part fails, the others are still measured and shown.
      failures.push(`${prompts} prompts: ${part}: ${error instanceof Error ? error.message : error}`)
    }
  }
}

/** Called only at the end, because ext4 is slow after many deletions (docs/scale.md section 1). */
async function cleanUp(dir: string): Promise<void> {
  progress.end()
  await stopAll()
  rmSync(dir, { recursive: true, force: true })
}
