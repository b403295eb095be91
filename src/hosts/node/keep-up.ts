// Takes a stream away from a reader that does not keep up, so that what sends it is free for others.
import { Readable } from 'node:stream'

/** How slow a reader may be. */
interface Pace {
  /** The longest time that it may be behind. */
  behindMs: number
  bytesPerSecond: number
}

/** Passes a stream on, which ends early for a reader that is too slow. Only the time counts in which something is there to be read. */
export function keepUp(source: Readable, { behindMs, bytesPerSecond }: Pace): Readable {
  async function* pass() {
    let leftMs = behindMs
    for await (const chunk of source) {
      const since = performance.now()
      const timer = setTimeout(() => source.destroy(), leftMs)
      try {
        yield chunk
      } finally {
        clearTimeout(timer)
      }
      if (source.destroyed) return
      const gainedMs = (chunk.length / bytesPerSecond) * 1_000 - (performance.now() - since)
      leftMs = Math.min(behindMs, Math.max(0, leftMs + gainedMs))
    }
  }
  return Readable.from(pass(), { objectMode: false })
}
