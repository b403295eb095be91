// Measures `npm run build` as a separate process: from scratch, and without changes.
import type { Measurement } from './measure.ts'
import type { ProcessResult } from './processes.ts'
import { type BenchSite, buildSite } from './site.ts'

/** The limits in seconds and MB, by number of prompts × versions. */
const LIMITS: Readonly<Record<string, { full?: number; memory: number; unchanged?: number }>> = {
  '10000 × 5': { full: 20, memory: 700, unchanged: 4 },
  '100000 × 2': { memory: 2_500 },
}

/** Measures the build that made the site, and one more. */
export async function measureRebuild(site: BenchSite): Promise<Measurement[]> {
  const limits = LIMITS[`${site.prompts} × ${site.versions}`]
  const unchanged = await buildSite(site)
  const { usage } = site.built
  return [
    describe('build: whole', site.built, limits?.full),
    ...(usage
      ? [withLimit({ name: 'build: memory', unit: 'MB', measured: usage.peakBytes / 1e6 }, limits?.memory)]
      : []),
    describe('build: without a change', unchanged, limits?.unchanged),
  ]
}

function describe(name: string, { seconds, usage }: ProcessResult, most?: number): Measurement {
  const note = usage ? `${usage.processorSeconds.toFixed(1)} s of processor time` : 'processor time unknown'
  return withLimit({ name, unit: 's', measured: seconds, note }, most)
}

function withLimit(measurement: Measurement, most: number | undefined): Measurement {
  return most === undefined ? measurement : { ...measurement, limit: { of: 'measured', most } }
}
