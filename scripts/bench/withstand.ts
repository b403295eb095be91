// Measures how hostile clients affect others on a hub with default limits: another reader's waits, the memory used, and whether it is freed.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beside } from './attacks.ts'
import { ATTACKS } from './hostile-clients.ts'
import { type HostileHub, startHostileHub } from './hostile-hub.ts'
import type { Measurement } from './measure.ts'
import type { BenchSite } from './site.ts'

const LIMITS = { waitMs: 250, bytes: 200_000_000, backSeconds: 60 }
/** Memory counts as freed if at most this much more is in use than before, because V8 keeps some of it. */
const BACK_BYTES = 100_000_000
const PROMPTS = 300
/** The other reader's own IP address. */
const READER = '127.0.0.2'

const heldBy = (hub: HostileHub) => {
  const { process, kernel } = hub.heldBytes()
  return process + kernel
}

/** Measures each attack alongside a reader. @throws Error if one crashes the hub */
export async function measureWithstand({ dir }: BenchSite): Promise<Measurement[]> {
  const hub = await startHostileHub(join(dir, 'hostile'), PROMPTS)
  const path = `/data/v1/repos/${hub.prompt}.json`
  const measurements: Measurement[] = []
  try {
    await useOnce(hub)
    const idle = await beside(hub, path, () => sleep(3_000), READER)
    for (const [name, attack] of Object.entries(ATTACKS)) {
      const stop = new AbortController()
      const before = heldBy(hub)
      let peak = before
      const watch = setInterval(() => (peak = Math.max(peak, heldBy(hub))), 50)
      const waits = await beside(hub, path, () => attack(hub, stop.signal), READER).catch((cause) => {
        throw new Error(`${name}: ${hub.isAlive() ? cause : 'ended the hub'}`, { cause })
      })
      clearInterval(watch)
      if (!hub.isAlive()) throw new Error(`${name}: ended the hub`)
      const back = await secondsUntilBack(hub, before)
      stop.abort()
      measurements.push(
        {
          ...{ name: `attacks: ${name}`, unit: 'ms', measured: waits.worst, floor: idle.worst },
          limit: { of: 'measured', most: LIMITS.waitMs },
          note: `worst of ${waits.count} reads; p99 ${waits.p99.toFixed(1)} ms; the process is alive`,
        },
        {
          ...{ name: `attacks: ${name}, memory`, unit: 'MB', measured: (peak - before) / 1e6 },
          limit: { of: 'measured', most: LIMITS.bytes / 1e6 },
          note: `of the process and the kernel, over ${(before / 1e6).toFixed(0)} MB before`,
        },
        {
          ...{ name: `attacks: ${name}, until it is given back`, unit: 's', measured: back },
          limit: { of: 'measured', most: LIMITS.backSeconds },
          note: `to within ${BACK_BYTES / 1e6} MB; what the attack holds open stays open`,
        },
      )
    }
    return measurements
  } finally {
    await hub.stop()
  }
}

/** @returns slightly more than the limit if it is not freed by then */
async function secondsUntilBack(hub: HostileHub, before: number): Promise<number> {
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  while (heldBy(hub) - before > BACK_BYTES && seconds() <= LIMITS.backSeconds) await sleep(200)
  return seconds()
}

/** Uses every target once, so that code loaded on first use does not count. */
async function useOnce({ url, prompt }: HostileHub): Promise<void> {
  const call = { name: 'search_prompts', arguments: { q: 'review' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  for (const [path, init] of [
    ['/mcp', { method: 'POST', headers, body }],
    ['/api/v1/repos?q=review', {}],
    [`/${prompt}/v/9.9.9`, {}],
    ['/settings', {}],
    ['/auth/sign-in', {}],
  ] as const)
    await (await fetch(url + path, init)).arrayBuffer()
}
