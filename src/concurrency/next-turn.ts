// Shares the thread that serves everybody.

let turns: Promise<unknown> = Promise.resolve()

/** Waits for a turn of the event loop that no other caller has, so that requests of others are answered between pieces of work that arrive at once. */
export function nextTurn(): Promise<unknown> {
  turns = turns.then(() => new Promise((done) => setImmediate(done)))
  return turns
}
