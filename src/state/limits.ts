// Counts requests in a state store, for limits shared by several machines or processes.
import { hash } from 'node:crypto'
import { type RateLimit, type RateLimiter, waitSeconds } from './rate-limiter.ts'
import { stateUnavailable } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** Maximum number of attempts. Each failure means that another request was counted, and no limit allows this many concurrent requests. */
const MAX_TRIES = 100

/** Returns a limiter whose counts are shared by all processes. @param kind distinguishes it from the store's other limiters */
export function limitInState(
  state: StateStore,
  kind: string,
  { requests, windowMs }: RateLimit,
  now: () => number = Date.now,
): RateLimiter {
  return {
    async take(client) {
      if (requests === 0) return 0
      const key = `limits/${kind}/${hash('sha256', client)}`
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const time = now()
        const found = await state.get(key)
        // A time that lies further ahead is from before a clock was set back. Clocks of several machines differ by less.
        const isCounting = (each: number) => Math.abs(time - each) < windowMs
        const earlier = (found?.value.split(' ').map(Number) ?? []).filter(isCounting)
        if (earlier.length >= requests) return waitSeconds(earlier[0]!, windowMs, time)
        const value = [...earlier, time].join(' ')
        const lifetime = { expiresAt: time + windowMs }
        const isCounted = found
          ? await state.replace(key, value, found.version, lifetime)
          : await state.add(key, value, lifetime)
        if (isCounted) return 0
      }
      throw stateUnavailable(new Error('too many requests are being counted at once'))
    },
  }
}
