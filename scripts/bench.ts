// `npm run bench`: measures builds, the Node server, publishing, search and attacks on synthetic catalogues, each against its raw baseline in the same run, and checks the results against limits.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAttacks } from './bench/attacks.ts'
import { measureHost } from './bench/host.ts'
import { checkLimit, formatTable, type Measurement, type Row } from './bench/measure.ts'
import { stopAll } from './bench/processes.ts'
import { measurePublish } from './bench/publish.ts'
import { measureRebuild } from './bench/rebuild.ts'
import { measureRelevance } from './bench/relevance.ts'
import { measureScale } from './bench/search-scale.ts'
import { measureServe } from './bench/serve.ts'
import { type BenchSite, makeSite } from './bench/site.ts'
import { openProgress } from './progress.ts'

const PARTS: Readonly<Record<string, (site: BenchSite) => Measurement[] | Promise<Measurement[]>>> = {
  rebuild: measureRebuild,
  host: measureHost,
  serve: measureServe,
  publish: measurePublish,
}

/** Measured once, regardless of the sizes, because it uses real catalogues. */
const RELEVANCE = 'relevance'
/** Measured without a site, because writing one at the intended sizes takes an hour. */
const SCALE = 'search-scale'
/** Starts a hub of its own. */
const ATTACKS = 'attacks'
/** Takes less than two minutes: checks that everything still works, and gives rough figures. */
const QUICK = { sizes: '500', only: 'rebuild,host,serve' }
const ALL = [...Object.keys(PARTS), ATTACKS, SCALE, RELEVANCE]

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string' },
    versions: { type: 'string', default: '5' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string', default: '.hub/bench.json' },
    beside: { type: 'string' },
  },
})
const usual = flags.quick ? QUICK : { sizes: '1000,10000', only: ALL.join(',') }
const sizes = (flags.sizes ?? usual.sizes).split(',').map(Number)
const versions = Number(flags.versions)
/** The folder of another version, whose search is measured for comparison. */
const beside = flags.beside === undefined ? undefined : resolve(flags.beside)
const chosen = (flags.only ?? usual.only).split(',')
const parts = chosen.filter((part) => part !== RELEVANCE)
if (
  ![...sizes, versions].every((size) => Number.isInteger(size) && size > 0) ||
  !chosen.every((part) => ALL.includes(part))
) {
  console.error(
    `Usage: npm run bench -- [--quick] [--sizes 1000,10000] [--versions 5] [--only ${ALL.join(',')}] [--json FILE] [--beside DIR]`,
  )
  process.exit(1)
}

const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-bench-'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await cleanUp()
    process.exit(1)
  })
}

const rows: Row[] = []
const progress = openProgress()
let steps = -1
const failures: string[] = []
try {
  if (parts.length > 0) for (const size of sizes) await measureSize(size)
} finally {
  await cleanUp()
}
const machine = {
  cores: cpus().length,
  processor: cpus()[0]?.model ?? 'unknown',
  memory_gb: Math.round(totalmem() / 1e9),
  node: process.version,
  // If the load exceeds the number of cores, other processes were running: times are then unreliable, but ratios and processor time are still valid.
  load: Number(loadavg()[1]!.toFixed(1)),
}
mkdirSync(dirname(flags.json), { recursive: true })
writeFileSync(
  flags.json,
  `${JSON.stringify({ machine, versions_per_prompt: versions, rows, failures }, undefined, 2)}\n`,
)
console.log(
  `${machine.cores} cores (${machine.processor}), ${machine.memory_gb} GB, Node ${machine.node}, load ${machine.load}; ${versions} versions per prompt\n`,
)
if (rows.length > 0) console.log(formatTable(rows))
if (chosen.includes(RELEVANCE)) {
  const { text, isKept } = await measureRelevance(beside)
  console.log(text)
  if (!isKept) process.exitCode = 1
}
for (const failure of failures) console.error(failure)
if (failures.length > 0 || rows.some(({ isKept }) => isKept === false)) process.exitCode = 1

async function measureSize(size: number): Promise<void> {
  const report = (text: string) => progress.show(`${size} prompts: ${text}`, ++steps, sizes.length * (parts.length + 1))
  const workDir = join(dir, String(size))
  let site: Promise<BenchSite> | undefined
  const makeOnce = () => {
    if (!site) report('creating the catalogue')
    site ??= makeSite(workDir, size, versions)
    return site
  }
  for (const part of parts) {
    report(part)
    try {
      const measured = await measurePart(part, size, workDir, makeOnce)
      for (const measurement of measured) rows.push(checkLimit(measurement, size))
    } catch (error) {
      // If one part fails, the others are still measured and shown.
      failures.push(`${size} prompts: ${part}: ${error instanceof Error ? error.message : error}`)
    }
  }
}

async function measurePart(part: string, size: number, workDir: string, makeOnce: () => Promise<BenchSite>) {
  if (part === SCALE) return measureScale(`${workDir}-scale`, size, beside)
  if (part === ATTACKS) return measureAttacks(`${workDir}-attacks`, size)
  return PARTS[part]!(await makeOnce())
}

/** Called only at the end, because ext4 is slow after many deletions (docs/scale.md section 1). */
async function cleanUp(): Promise<void> {
  progress.end()
  await stopAll()
  rmSync(dir, { recursive: true, force: true })
}
