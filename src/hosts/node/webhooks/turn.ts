// Gives one of the servers that share a store the turn to deliver events.
import { randomUUID } from 'node:crypto'
import type { StateStore } from '../../../state/state-store.ts'

/** How long a server delivers without a sign of life. Until then, a killed server delays deliveries. */
const LEASE_MS = 12_000
const KEY = 'webhook-turn'
/** What the key has when no server has the turn. */
const FREE = 'free'

/**
 * Opens this server's part in the turns. Servers never compare clocks: each measures by its own clock how long the key
 * has shown no sign of life, and one that has the turn counts from before it gave its last.
 */
export function openTurn(state: StateStore) {
  const here = randomUUID()
  let untilMs = -Infinity
  let seen = { version: '', atMs: 0 }
  const isMine = () => performance.now() < untilMs
  const write = async (version: string | undefined, nowMs: number): Promise<boolean> => {
    const isWritten = version === undefined ? await state.add(KEY, here) : await state.replace(KEY, here, version)
    untilMs = isWritten ? nowMs + LEASE_MS : -Infinity
    return isWritten
  }
  /** Keeps the turn, also if it ended and nobody took it. @returns whether this server still has it */
  const keep = async (): Promise<boolean> => {
    const nowMs = performance.now()
    if (untilMs - nowMs > LEASE_MS / 2) return true
    if (untilMs === -Infinity) return false
    const found = await state.get(KEY)
    if (found?.value === here) return write(found.version, nowMs)
    untilMs = -Infinity
    return false
  }
  return {
    isMine,
    keep,
    /** Takes the turn if it is free, or if whoever has it gives no sign of life. @returns whether this server has it now */
    async take(): Promise<boolean> {
      const nowMs = performance.now()
      const found = await state.get(KEY)
      if (found && found.value !== FREE) {
        if (found.version !== seen.version) seen = { version: found.version, atMs: nowMs }
        if (nowMs - seen.atMs < LEASE_MS) return false
      }
      return write(found?.version, nowMs)
    },
    /** Ends the turn, so that another server can take it at once. */
    async end(): Promise<void> {
      if (untilMs === -Infinity) return
      untilMs = -Infinity
      const found = await state.get(KEY)
      if (found?.value === here) await state.replace(KEY, FREE, found.version)
    },
  }
}
