// Measures the run of `npm run build` that made the site.
import type { Measurement } from './measure.ts'
import type { BenchSite } from './site.ts'

/** The limits in seconds and MB, by number of prompts × versions. */
const LIMITS: Readonly<Record<string, { full?: number; memory: number }>> = {
  '10000 × 5': { full: 20, memory: 700 },
  '100000 × 2': { memory: 2_500 },
}

/** Returns the time and memory of the build. */
export function measureRebuild({ prompts, versions, built: { seconds, usage } }: BenchSite): Measurement[] {
  const { full, memory } = LIMITS[`${prompts} × ${versions}`] ?? {}
  const note = usage ? `${usage.processorSeconds.toFixed(1)} s of processor time` : 'processor time unknown'
  const whole = withLimit({ name: 'build: whole', unit: 's', measured: seconds, note }, full)
  if (!usage) return [whole]
  return [whole, withLimit({ name: 'build: memory', unit: 'MB', measured: usage.peakBytes / 1e6 }, memory)]
}

function withLimit(measurement: Measurement, most: number | undefined): Measurement {
  return most === undefined ? measurement : { ...measurement, limit: { of: 'measured', most } }
}
