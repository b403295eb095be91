// Runs work on many things with a bound on how many are worked on at once.

/** Calls work for each thing, in order, for so many at once at most. @returns what each came to, in the order of the things @throws the first failure */
export async function atMost<Thing, Value>(
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
