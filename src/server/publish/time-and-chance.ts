// Owns the clock and the randomness of publishing, which are handed in so that a test can set both.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a publish must not take from the process by itself. */
export interface TimeAndChance {
  /** Milliseconds since 1970. */
  now: () => number
  /** From 0, below 1. */
  random: () => number
  /** An id that nobody else has. */
  newId: () => string
  sleep: (ms: number) => Promise<unknown>
}

/** Those of the process. */
export const OF_PROCESS: TimeAndChance = { now: Date.now, random: Math.random, newId: randomUUID, sleep }
