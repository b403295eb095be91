// Connects the sweep to the platform. On Netlify a schedule starts it, on the Node server a timer.
import { stateOf } from './platform.ts'

/** Removes expired entries from this deploy's store. */
export async function sweepState(): Promise<Response> {
  const removed = await (await stateOf(undefined)).removeExpired()
  return new Response(`Removed: ${removed}\n`)
}
