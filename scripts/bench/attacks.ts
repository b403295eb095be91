// Measures how hostile clients affect a hub with default limits: how long another reader waits, how much memory is used, and whether it is freed.
import { setTimeout as sleep } from 'node:timers/promises'
import { ATTACKS, useOnce } from './hostile-clients.ts'
import { type HostileHub, startHostileHub } from './hostile-hub.ts'
import type { Measurement } from './measure.ts'
import { measureReader } from './reader.ts'

const LIMITS = { waitMs: 250, bytes: 200_000_000, backSeconds: 60 }
/** Memory counts as freed if usage exceeds the level before the attack by at most this much, because V8 keeps some memory. */
const BACK_BYTES = 100_000_000
/** The IP address of the other reader. */
const READER = '127.0.0.2'

/** Measures a reader during each attack, on a hub with the given number of prompts. @param dir a new folder for the hub @throws Error if an attack crashes the hub */
export async function measureAttacks(dir: string, prompts: number): Promise<Measurement[]> {
  const hub = await startHostileHub(dir, prompts)
  const path = `/data/v1/repos/${hub.prompt}.json`
  const measurements: Measurement[] = []
  try {
    await useOnce(hub)
    const idle = await measureReader(hub.port, path, async () => {}, READER)
    for (const [index, [name, attack]] of Object.entries(ATTACKS).entries()) {
      const stop = new AbortController()
      const target = { ...hub, from: `127.0.1.${index + 1}`, signal: stop.signal }
      const before = hub.heldBytes()
      let peak = before
      const watch = setInterval(() => (peak = Math.max(peak, hub.heldBytes())), 50)
      const waits = await measureReader(hub.port, path, () => attack(target), READER)
        .catch((cause) => {
          throw new Error(`${name}: ${hub.isAlive() ? cause : 'ended the hub'}`, { cause })
        })
        .finally(() => clearInterval(watch))
      const back = await secondsUntilBack(hub, before)
      stop.abort()
      measurements.push(
        {
          name: `attacks: ${name}`,
          unit: 'ms',
          measured: waits.worst,
          floor: idle.worst,
          limit: { of: 'measured', most: LIMITS.waitMs },
          note: `worst of ${waits.count} reads; p99 ${waits.p99.toFixed(1)} ms`,
        },
        {
          name: `attacks: ${name}, memory`,
          unit: 'MB',
          measured: (peak - before) / 1e6,
          limit: { of: 'measured', most: LIMITS.bytes / 1e6 },
          note: `of the process and the kernel, over ${(before / 1e6).toFixed(0)} MB before`,
        },
        {
          name: `attacks: ${name}, until it is freed`,
          unit: 's',
          measured: back,
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

/** @returns slightly more than the limit if the memory is not freed within the limit */
async function secondsUntilBack(hub: HostileHub, before: number): Promise<number> {
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  while (hub.heldBytes() - before > BACK_BYTES && seconds() <= LIMITS.backSeconds) await sleep(200)
  return seconds()
}
