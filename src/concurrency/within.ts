// Limits how long a caller waits for work.

/** Waits for work, but not longer than a time limit; the work goes on after that. @param late creates the error that is thrown then */
export async function within<Value>(limitMs: number, work: Promise<Value>, late: () => Error): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  // A response that arrived while this thread was busy counts, so what has arrived is read first.
  const timer = setTimeout(() => setImmediate(() => reject(late())), limitMs)
  // After the limit, nobody needs the result, so errors are ignored.
  work.catch(() => {})
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
