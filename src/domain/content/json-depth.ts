// Owns the check that a value from outside is plain JSON of a bounded depth, without recursion that a hostile value could overflow.

/** @returns what is wrong with the value, or undefined. Walks with a list of its own, because a deep value would overflow the stack. */
export function findDepthProblem(value: unknown, maxDepth: number): string | undefined {
  const waiting: { value: unknown; depth: number }[] = [{ value, depth: 1 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: current, depth } = next
    if (typeof current === 'number' && !Number.isFinite(current)) return 'expected numbers that JSON can write'
    if (typeof current === 'string' && !current.isWellFormed())
      return 'expected well-formed Unicode, without lone surrogates'
    if (typeof current === 'bigint' || current === undefined) return 'expected values that JSON can write'
    if (typeof current !== 'object' || current === null) continue
    if (depth > maxDepth) return `expected at most ${maxDepth} levels`
    for (const [key, child] of Object.entries(current)) {
      // A record with this key loses it, or its prototype, in half of the programs that read it.
      if (key === '__proto__') return 'expected no key named __proto__'
      if (!key.isWellFormed()) return 'expected well-formed Unicode, without lone surrogates'
      waiting.push({ value: child, depth: depth + 1 })
    }
  }
  return undefined
}
