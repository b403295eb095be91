// Measures JSON text before it is parsed, checks that a value is plain JSON within limits, compares values, and writes canonical JSON.

/** Returns whether a value is an object of JSON or YAML, and not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the listed fields of a record. */
export function pick<Whole extends object, Key extends keyof Whole>(
  whole: Whole,
  keys: readonly Key[],
): Pick<Whole, Key> {
  const part: Partial<Pick<Whole, Key>> = {}
  for (const key of keys) part[key] = whole[key]
  return part as Pick<Whole, Key>
}

/** Formats a value as canonical JSON (RFC 8785), so that equal values produce the same text. Strings and numbers are as JSON.stringify writes them. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  // Written key by key: an object would put keys such as `9` and `10` in the order of their numbers.
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const pairs: string[] = []
  for (const key of Object.keys(value).sort())
    if (value[key] !== undefined) pairs.push(`${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${pairs.join(',')}}`
}

/** Returns whether two values are equal as JSON, ignoring key order. Only objects are serialised, because most compared values are strings, numbers and short lists. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value, index) => isSameJson(value, b[index]))
  return isObject(a) && isObject(b) && canonicalJson(a) === canonicalJson(b)
}

/** The limits of a value. */
interface JsonBounds {
  /** Maximum nesting depth of lists and objects. */
  depth: number
  /** Maximum total number of keys in all its objects; default: unlimited. */
  keys?: number
}

/**
 * Finds the first problem with a value, in linear time. Uses a work list instead of recursion, because a deeply nested hostile value would overflow the stack.
 *
 * @returns a message, or undefined
 */
export function findJsonProblem(value: unknown, { depth: mostLevels, keys: mostKeys }: JsonBounds): string | undefined {
  let keys = 0
  const waiting: { value: unknown; depth: number }[] = [{ value, depth: 1 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: current, depth } = next
    if (typeof current === 'number' && !Number.isFinite(current)) return 'expected numbers that JSON can represent'
    if (typeof current === 'string' && !current.isWellFormed())
      return 'expected well-formed Unicode, without lone surrogates'
    if (typeof current === 'bigint' || current === undefined) return 'expected values that JSON can represent'
    if (typeof current !== 'object' || current === null) continue
    if (depth > mostLevels) return `expected at most ${mostLevels} levels`
    for (const [key, child] of Object.entries(current)) {
      // Many programs drop this key when they read an object, or use its value as the object's prototype.
      if (key === '__proto__') return 'expected no key named __proto__'
      if (!key.isWellFormed()) return 'expected well-formed Unicode, without lone surrogates'
      if (isObject(current) && mostKeys !== undefined && ++keys > mostKeys)
        return `expected at most ${mostKeys} keys in total`
      waiting.push({ value: child, depth: depth + 1 })
    }
  }
  return undefined
}

/** The limits of the JSON object in a request body. */
export interface BodyBounds {
  /** Fields counted separately; all others are counted together. */
  known: ReadonlySet<string>
  /** Maximum number of other fields. */
  unknown: number
  /** Maximum total number of keys in all objects of a field. */
  keys: number
  /** Maximum total number of values in all lists and objects of a field. */
  values: number
  /** Maximum nesting depth of lists and objects in a field. */
  depth: number
}

/** A limit that a JSON string exceeds. */
export type JsonExcess =
  | {
      kind: 'unknown'
      /** The names of the unknown fields, up to the limit. */
      names: string[]
      /** The total number of unknown fields. */
      count: number
    }
  | {
      kind: 'keys' | 'values' | 'depth'
      /** The field; empty if the JSON is not an object. */
      field: string
    }

/**
 * Finds the first limit that a JSON string exceeds, in one pass without allocation: JSON.parse would create every key and value before they can be counted. Invalid JSON is counted as if it were valid; the parser rejects it later.
 *
 * @param text an object with fields, as JSON
 * @returns the first excess, or undefined
 */
export function findJsonExcess(text: string, bounds: BodyBounds): JsonExcess | undefined {
  const unknown = { field: '', keys: 0, values: 0 }
  const counts = new Map<string, typeof unknown>()
  const names: string[] = []
  let count = 0
  let current = unknown
  let depth = 0
  let name = ''
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) {
      const end = endOfString(text, at)
      if (depth === 1) name = text.slice(at + 1, end)
      at = end
    } else if (character === OPEN_LIST || character === OPEN_OBJECT) {
      current.values++
      if (++depth > bounds.depth + 1) return excess('depth')
    } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) {
      depth--
    } else if (character === COMMA && depth > 1) {
      if (++current.values > bounds.values) return excess('values')
    } else if (character === COLON && depth > 1) {
      if (++current.keys > bounds.keys) return excess('keys')
    } else if (character === COLON && bounds.known.has(name)) {
      current = counts.get(name) ?? { field: name, keys: 0, values: 0 }
      counts.set(name, current)
    } else if (character === COLON) {
      current = unknown
      if (++count <= bounds.unknown) names.push(name)
    }
  }
  return count > bounds.unknown ? { kind: 'unknown', names, count } : undefined

  function excess(kind: 'keys' | 'values' | 'depth'): JsonExcess {
    // Unknown fields are rejected by name later, whatever their values are.
    return current === unknown && count > 0 ? { kind: 'unknown', names, count } : { kind, field: current.field }
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** @param start position of its opening quote @returns position of its closing quote, or the text's end */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}
