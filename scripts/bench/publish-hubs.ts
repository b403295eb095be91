// Measures publishing with several hubs on one branch; the baseline is one hub. The fake GitHub server and PostgreSQL run in a process of their own.
import { join } from 'node:path'
import * as z from 'zod'
import { type Measurement, quantile } from './measure.ts'
import { PROJECT_DIR, runNode } from './processes.ts'

const PUBLISHES = 60
/** How much faster than github.com the fake server responds. */
const FACTOR = 2
const DEADLINE_MS = 900_000

const Results = z.array(
  z.object({
    name: z.string(),
    perMinute: z.number(),
    tookMs: z.array(z.number()),
    refused: z.int(),
    calls: z.number(),
  }),
)

/** Measures one hub, three hubs without a shared queue, and three hubs with it. */
export async function measurePublishHubs(): Promise<Measurement[]> {
  const script = join(PROJECT_DIR, 'tests/hubs/measure-hubs.ts')
  const parameters = [script, String(PUBLISHES), String(FACTOR)]
  const { log } = await runNode(parameters, { cwd: PROJECT_DIR }, DEADLINE_MS)
  const results = Results.parse(JSON.parse(log.trim().split('\n').at(-1) ?? ''))
  const floor = results[0]!.perMinute
  return results.flatMap(({ name, perMinute, tookMs, refused, calls }, at): Measurement[] => [
    {
      ...{ name: `publish: ${name}`, unit: 'publishes/min', measured: perMinute },
      ...(at > 0 && { floor }),
      ...(at === results.length - 1 && { limit: { of: 'ratio', most: 1.15 } }),
      note: `GitHub’s call times divided by ${FACTOR}; ${refused} × 503, ${calls.toFixed(1)} GitHub calls each`,
    },
    { name: `publish: ${name}, p50`, unit: 's', measured: quantile(tookMs, 0.5) / 1000 },
    { name: `publish: ${name}, p99`, unit: 's', measured: quantile(tookMs, 0.99) / 1000 },
  ])
}
