// Runs promises: shares one that is running, limits how many run and how long a caller waits, takes turns, and loads code once.

/**
 * Creates a function that runs work, unless work with the same key is still running: then it returns that run's result, or its error.
 *
 * @returns a function of a key and the work, which must not throw before it returns its promise
 */
export function shareRunning<Value>(): (key: string, run: () => Promise<Value>) => Promise<Value> {
  const running = new Map<string, Promise<Value>>()
  return (key, run) => {
    const known = running.get(key)
    if (known !== undefined) return known
    const started = run().finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}

let turns: Promise<unknown> = Promise.resolve()

/** Waits for a turn of the event loop that no other caller has, so that requests of others are answered between pieces of work that arrive at once. */
export function nextTurn(): Promise<unknown> {
  turns = turns.then(() => new Promise((done) => setImmediate(done)))
  return turns
}

/** Processes the items in order, with at most `count` in progress at a time. @returns the results, in the order of the items @throws the first failure */
export async function mapConcurrently<Thing, Value>(
  count: number,
  things: readonly Thing[],
  work: (thing: Thing) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = []
  const left = things.entries()
  const worker = async () => {
    for (const [index, thing] of left) values[index] = await work(thing)
  }
  await Promise.all(Array.from({ length: Math.min(count, things.length) }, worker))
  return values
}

/** Waits for work, but not longer than a time limit; the work goes on after that. @param late creates the error that is thrown then */
export async function within<Value>(limitMs: number, work: Promise<Value>, late: () => Error): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  // A response that arrived while this thread was busy counts, so what has arrived is read first.
  const timer = setTimeout(() => setImmediate(() => reject(late())), limitMs)
  // After the limit, nobody needs the result, so it and errors are ignored.
  work.then(resolve, reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a function that imports a module at its first call. Even for a loaded module, `import()` takes about 30 µs, which is a third of a read. */
export function importOnce<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined
  return () => loaded ?? load().then((module) => (loaded = module))
}
