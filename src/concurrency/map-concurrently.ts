// Runs work on many items with limited concurrency.

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
