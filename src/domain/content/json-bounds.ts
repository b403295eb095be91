// Owns the check that a value from outside is plain JSON within bounds, without recursion that a hostile value could overflow.

/** What a value may be at most. */
interface JsonBounds {
  /** Levels of lists and objects. */
  depth: number
  /** Keys of all its objects together; left out, as many as there are. */
  keys?: number
}

/**
 * Finds what is wrong with a value, in time proportional to its size. It keeps a list of what is left to look at instead of calling itself, because a deep value would overflow the stack.
 *
 * @returns a sentence, or undefined
 */
export function findJsonProblem(value: unknown, { depth: mostLevels, keys: mostKeys }: JsonBounds): string | undefined {
  let keys = 0
  const waiting: { value: unknown; depth: number }[] = [{ value, depth: 1 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: current, depth } = next
    if (typeof current === 'number' && !Number.isFinite(current)) return 'expected numbers that JSON can write'
    if (typeof current === 'string' && !current.isWellFormed())
      return 'expected well-formed Unicode, without lone surrogates'
    if (typeof current === 'bigint' || current === undefined) return 'expected values that JSON can write'
    if (typeof current !== 'object' || current === null) continue
    if (depth > mostLevels) return `expected at most ${mostLevels} levels`
    const isObject = !Array.isArray(current)
    for (const [key, child] of Object.entries(current)) {
      // Many programs that read such an object drop this key, or take its value for the object's prototype.
      if (key === '__proto__') return 'expected no key named __proto__'
      if (!key.isWellFormed()) return 'expected well-formed Unicode, without lone surrogates'
      if (isObject && mostKeys !== undefined && ++keys > mostKeys) return `expected at most ${mostKeys} keys in all`
      waiting.push({ value: child, depth: depth + 1 })
    }
  }
  return undefined
}
