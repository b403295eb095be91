// Measures `npm run build` as a separate process: from scratch, without changes, and after one publish.
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Limit, Measurement } from './measure.ts'
import { PROJECT_DIR, type ProcessResult, parametersOf, runNode } from './processes.ts'
import type { BenchSite } from './site.ts'

const BUILD_DEADLINE_MS = 1_200_000

/** The limits in seconds and MB, by number of prompts × versions. */
const LIMITS: Readonly<Record<string, { full?: number; memory: number; unchanged?: number }>> = {
  '10000 × 5': { full: 20, memory: 700, unchanged: 4 },
  '100000 × 2': { memory: 2_500 },
}

/** Measures builds one after the other. Their output is only deleted with the site, because ext4 is slow after many deletions. */
export async function measureRebuild(site: BenchSite): Promise<Measurement[]> {
  const out = join(site.dir, 'rebuild')
  const limits = LIMITS[`${site.prompts} × ${site.versions}`]
  const full = await build(site, out)
  const { files, writeMs, processorMs } = timeRawWriting(join(out, 'dist'), join(site.dir, 'raw'))
  const unchanged = await build(site, out)
  publish(site)
  const published = await build(site, out)
  return [
    {
      ...describe('build: whole', full, limits?.full),
      floor: writeMs / 1000,
      note: `${formatProcessorTime(full)}; ${files} files; floor: writing the same bytes, ${(processorMs / 1000).toFixed(1)} s of processor time`,
    },
    ...(full.usage === undefined ? [] : [describeMemory(full.usage.peakBytes, limits?.memory)]),
    describe('build: without a change', unchanged, limits?.unchanged),
    describe('build: after one publish', published),
  ]
}

function build({ settings }: BenchSite, out: string): Promise<ProcessResult> {
  const parameters = [...parametersOf('build'), '--out', out]
  return runNode(
    parameters,
    { cwd: PROJECT_DIR, settings: { ...settings, ASTRO_TELEMETRY_DISABLED: '1' } },
    BUILD_DEADLINE_MS,
  )
}

function describe(name: string, { seconds, ...finished }: ProcessResult, most?: number): Measurement {
  const limit: Limit | undefined = most === undefined ? undefined : { of: 'measured', most }
  return { name, unit: 's', measured: seconds, ...(limit && { limit }), note: formatProcessorTime(finished) }
}

function formatProcessorTime({ usage }: Pick<ProcessResult, 'usage'>): string {
  return usage ? `${usage.processorSeconds.toFixed(1)} s of processor time` : 'processor time unknown'
}

function describeMemory(peakBytes: number, most?: number): Measurement {
  const limit: Limit | undefined = most === undefined ? undefined : { of: 'measured', most }
  return {
    ...{ name: 'build: memory', unit: 'MB', measured: peakBytes / 1e6, ...(limit && { limit }) },
    note: 'peak, with every process that the build starts',
  }
}

/** Adds one new file, like a publish. */
function publish({ catalogue, settings }: BenchSite): void {
  const { full_name } = catalogue.listed.top[0]!
  writeFileSync(
    join(settings.CONTENT_DIR!, full_name, 'versions/901.0.0.md'),
    '---\npublished_at: "2026-11-01T00:00:01Z"\npublished_by: synthetic\nchangelog: Published by the benchmark\n---\nA text.\n',
  )
}

/** Writes the same files, alternating with reads so that little is in memory at once; only writes are timed. */
function timeRawWriting(from: string, to: string): { files: number; writeMs: number; processorMs: number } {
  const made = new Set<string>()
  const total = { files: 0, writeMs: 0, processorMs: 0 }
  const paths = listFiles(from)
  for (let at = 0; at < paths.length; at += 500) {
    const slice = paths.slice(at, at + 500).map((path) => [path, readFileSync(join(from, path))] as const)
    const usage = process.cpuUsage()
    const started = performance.now()
    for (const [path, bytes] of slice) {
      const folder = dirname(path)
      if (!made.has(folder)) mkdirSync(join(to, folder), { recursive: true })
      made.add(folder)
      writeFileSync(join(to, path), bytes)
    }
    total.writeMs += performance.now() - started
    const { user, system } = process.cpuUsage(usage)
    total.processorMs += (user + system) / 1000
    total.files += slice.length
  }
  return total
}

function listFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) => lstatSync(join(dir, path)).isFile())
}
