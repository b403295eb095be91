// Owns doing long work in steps, so that the thread that does it hears the others in between.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Takes one step after the other, with a turn of the event loop after each. */
export async function takeTurns(steps: Iterable<void>): Promise<void> {
  for (const _ of steps) await nextTurn()
}
