// Measures sequential reads of one prompt: 1,000 in a row over one connection, as Langfuse's published benchmark does for its own API. https://langfuse.com/resources/engineering/prompt-management-performance-benchmark
import { Agent, get as getPlain } from 'node:http'
import { get as getSecure, Agent as SecureAgent } from 'node:https'
import { DATA_FILES } from '../../src/domain/api/data-paths.ts'
import { type Measurement, quantile } from './measure.ts'
import { serveHub } from './serve.ts'
import type { BenchSite } from './site.ts'

const READS = 1_000
/** The first responses include compilation. */
const WARM_UP = 50
/** Number of bars of a histogram, and the width of the longest one. */
const BARS = 12
const WIDTH = 50

/** A hub to measure instead of a synthetic one, and one of its prompts. */
export interface MeasuredHub {
  url: string
  owner: string
  name: string
}

/** Measures reads through the API and of the static file. Prints a histogram of each. @param hub if given, this hub is measured; over a network, the network is most of the time, and the hub's rate limit must allow the reads */
export async function measureReads(site: () => Promise<BenchSite>, hub?: MeasuredHub): Promise<Measurement[]> {
  if (hub) return measureBoth(hub)
  const made = await site()
  const { owner, name } = made.catalogue.listed.top[0]!
  const server = await serveHub(made)
  try {
    return await measureBoth({ url: `http://127.0.0.1:${server.port}`, owner, name })
  } finally {
    await server.stop()
  }
}

async function measureBoth({ url, owner, name }: MeasuredHub): Promise<Measurement[]> {
  const rows: Measurement[] = []
  for (const [title, path] of [
    ['raw', `/api/v1/repos/${owner}/${name}/raw`],
    ['data/v1', DATA_FILES.raw(owner, name)],
  ] as const) {
    const waits = await readInTurn(url + path)
    console.log(`${READS} sequential reads: ${title}\n${formatHistogram(waits)}\n`)
    const of = (share: number) => quantile(waits, share)
    rows.push(
      { name: `reads: ${title}, p50`, unit: 'ms', measured: of(0.5), note: `${READS} in a row, one connection` },
      { name: `reads: ${title}, p99`, unit: 'ms', measured: of(0.99) },
      { name: `reads: ${title}, slowest`, unit: 'ms', measured: Math.max(...waits) },
    )
  }
  return rows
}

/** Reads a URL many times, one after the other. @returns how long each took until its last byte, in milliseconds */
async function readInTurn(url: string): Promise<number[]> {
  const isSecure = url.startsWith('https:')
  const agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: 1 })
  const ask = () => {
    const started = performance.now()
    return new Promise<number>((done, fail) => {
      const read = isSecure ? getSecure : getPlain
      read(url, { agent }, (response) => {
        if (response.statusCode !== 200) fail(new Error(`${url} responded with ${response.statusCode}`))
        response.resume().on('end', () => done(performance.now() - started))
      }).on('error', fail)
    })
  }
  try {
    for (let count = 0; count < WARM_UP; count++) await ask()
    const waits: number[] = []
    for (let count = 0; count < READS; count++) waits.push(await ask())
    return waits
  } finally {
    agent.destroy()
  }
}

/** Formats a histogram: a bar for each part of the time up to the 99th percentile, and one for the rest. */
export function formatHistogram(waits: readonly number[]): string {
  const top = quantile(waits, 0.99)
  const step = top / (BARS - 1) || 1
  const counts = new Array<number>(BARS).fill(0)
  for (const wait of waits) counts[Math.min(BARS - 1, Math.floor(wait / step))]!++
  const most = Math.max(...counts)
  return counts
    .map((count, index) => {
      const from = `${(index * step).toFixed(2)} ms`
      return `${from.padStart(10)}  ${'#'.repeat(Math.round((count / most) * WIDTH)).padEnd(WIDTH)}  ${count}`
    })
    .join('\n')
}
