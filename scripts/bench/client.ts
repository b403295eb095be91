// Measures the TypeScript library with a cached prompt, next to a bare map and promise.
import { PromptHub } from '../../clients/typescript/source/prompt-hub.ts'
import { digestText } from '../../src/ports/measure.ts'
import { type Measurement, quantile, timeAsync } from './measure.ts'

const SAMPLES = 20_000
/** Number of warm-up calls, after which the engine has compiled both sides. */
const WARM_UP = 5_000
const CONTENT = 'Hello {{name}}'

/** Measures cached reads: the latest version, and a range, which is resolved each time. */
export async function measureClient(): Promise<Measurement[]> {
  const hub = new PromptHub({ url: 'http://localhost:8888', fetch: async (url) => answer(String(url)) })
  const measurements: Measurement[] = []
  for (const name of ['acme/hello', 'acme/hello@^1']) {
    const map = new Map([[name, await hub.get(name)]])
    const ours: number[] = []
    const bare: number[] = []
    for (let count = 0; count < WARM_UP + SAMPLES; count++) {
      bare.push(await timeAsync(async () => map.get(name)))
      ours.push(await timeAsync(() => hub.get(name)))
    }
    measurements.push({
      name: `client: get ${name} from memory, p50`,
      unit: 'ms',
      measured: quantile(ours.slice(WARM_UP), 0.5),
      floor: quantile(bare.slice(WARM_UP), 0.5),
      limit: { of: 'measured', most: 0.02 },
      note: `p99 ${(quantile(ours.slice(WARM_UP), 0.99) * 1000).toFixed(1)} µs; floor: a map and a promise, ${(quantile(bare.slice(WARM_UP), 0.5) * 1000).toFixed(2)} µs`,
    })
  }
  return measurements
}

/** Responds like a hub with one prompt in twenty versions, in the same process. */
function answer(url: string): Response {
  const versions = Array.from({ length: 20 }, (_, minor) => `1.${19 - minor}.0`)
  const content_sha256 = digestText(CONTENT)
  const record = { full_name: 'acme/hello', content: CONTENT, content_sha256, variables: [], parameters: {} }
  const latest = { latest_version: versions[0], labels: {}, versions, status: 'active', status_message: null }
  const version = /versions\/(.+)\.json$/.exec(url)?.[1]
  const data = url.endsWith('/versions.json')
    ? versions.map((number) => ({ version: number, yanked: false, yank_reason: null, content_sha256 }))
    : { ...record, ...(version === undefined ? latest : { version }) }
  return Response.json({ data })
}
