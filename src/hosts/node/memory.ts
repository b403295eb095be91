// Compares this machine's memory with what a hub needs.
import { totalmem } from 'node:os'

/** What a hub with the sample catalogue used while it was read and published to. docs/running.md section 5 */
const MIN_MEMORY_BYTES = 384 * 2 ** 20

/** Returns the memory that this process may use: all of the machine's, or the limit of its container or service. */
export function readMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/** Returns a sentence that says that there is too little memory; undefined if there is enough. */
export function describeShortage(bytes: number): string | undefined {
  if (bytes >= MIN_MEMORY_BYTES) return undefined
  const [has, needs] = [bytes, MIN_MEMORY_BYTES].map((count) => Math.floor(count / 2 ** 20))
  return `This machine or container has ${has} MiB of memory, but a hub needs at least ${needs} MiB: without it, the operating system may stop the hub.`
}
