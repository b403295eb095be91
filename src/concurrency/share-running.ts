// Shares work in progress: callers that need the same result at the same time wait for one run.

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
