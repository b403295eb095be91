// Owns that publishes of one process come one after the other: any commit makes the head that the others read stale. Publishes of several processes are kept apart by git.

/** Runs work once all that was given before has ended, well or not. */
export type Enqueue = <Value>(work: () => Promise<Value>) => Promise<Value>

/** Makes a queue. */
export function createQueue(): Enqueue {
  let queue: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = queue.then(work)
    queue = turn.catch(() => {
      // Its own caller learns of it; the next in line must not.
    })
    return turn
  }
}
