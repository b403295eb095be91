// Resolves version ranges: node-semver's rules for plain numbers, as far as prompts need them.

const PART = '(?:0|[1-9]\\d{0,5})'
const VERSION = new RegExp(`^(${PART})\\.(${PART})\\.(${PART})$`)
const WILDCARD = '[xX*]'
/** Numbers, then wildcards, at most three: `*`, `1`, `1.x`, `1.2`, `1.2.x`, `1.2.3`, each optionally after `^` or `~`. docs/lock-file.md. */
const RANGE = new RegExp(
  `^([\\^~]?)(?:(${PART})(?:\\.(${PART})(?:\\.(?:(${PART})|${WILDCARD}))?|(?:\\.${WILDCARD}){1,2})?|${WILDCARD}(?:\\.${WILDCARD}){0,2})$`,
)
/** Means the latest version, so no label has this name. */
export const LATEST = 'latest'
const LABEL = /^(?=.{1,36}$)[a-z0-9]+(?:-[a-z0-9]+)*$/

type Numbers = readonly [number, number, number]
type Bounds = readonly [from: Numbers, below: Numbers | undefined]

/** The part after the `@` of a dependency. */
export type Wish =
  | { kind: 'version'; version: string }
  | { kind: 'range'; range: string }
  | { kind: 'label'; label: string }

/**
 * Parses the part after the `@`: a version, a range, or the name of a label.
 *
 * @returns undefined when it is none of them
 */
export function readWish(text: string): Wish | undefined {
  if (isVersion(text)) return { kind: 'version', version: text }
  if (isRange(text)) return { kind: 'range', range: text }
  return LABEL.test(text) && text !== LATEST ? { kind: 'label', label: text } : undefined
}

/** Whether a string is a version, x.y.z. */
export function isVersion(text: string): boolean {
  return VERSION.test(text)
}

/** Whether a string is a range: `1.2.3`, `^1.2`, `~1.2.3`, `1.x`, `1`, `*`. */
export function isRange(text: string): boolean {
  return boundsOf(text) !== undefined
}

/** Whether a version is in a range. False when either is invalid. */
export function satisfies(version: string, range: string): boolean {
  const numbers = numbersOf(version)
  const bounds = boundsOf(range)
  return numbers !== undefined && bounds !== undefined && isWithin(numbers, bounds)
}

/** The highest of some versions in a range, or undefined. */
export function highestIn(versions: Iterable<string>, range: string): string | undefined {
  const bounds = boundsOf(range)
  if (!bounds) return undefined
  let best: { version: string; numbers: Numbers } | undefined
  for (const version of versions) {
    const numbers = numbersOf(version)
    if (!numbers || !isWithin(numbers, bounds)) continue
    if (!best || compare(numbers, best.numbers) > 0) best = { version, numbers }
  }
  return best?.version
}

/** Whether a version is above another one. */
export function isNewer(version: string, other: string): boolean {
  const [numbers, than] = [numbersOf(version), numbersOf(other)]
  return numbers !== undefined && than !== undefined && compare(numbers, than) > 0
}

function isWithin(numbers: Numbers, [from, below]: Bounds): boolean {
  return compare(numbers, from) >= 0 && (below === undefined || compare(numbers, below) < 0)
}

function numbersOf(version: string): Numbers | undefined {
  const match = VERSION.exec(version)
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined
}

/** @returns the lowest version of a range, and the first one above it; undefined when invalid */
function boundsOf(range: string): Bounds | undefined {
  const match = RANGE.exec(range)
  if (!match) return undefined
  const [major, minor, patch] = match.slice(2).map((text) => (text === undefined ? undefined : Number(text)))
  const operator = match[1]
  if (major === undefined) return [[0, 0, 0], undefined]
  const from: Numbers = [major, minor ?? 0, patch ?? 0]
  if (minor === undefined) return [from, [major + 1, 0, 0]]
  if (operator === '^') return [from, caretEnd(major, minor, patch)]
  if (patch === undefined || operator === '~') return [from, [major, minor + 1, 0]]
  return [from, [major, minor, patch + 1]]
}

/** The first version that `^` excludes: the leftmost non-zero number may not change. Omitted numbers may, so `^0.0` allows every 0.0.x. */
function caretEnd(major: number, minor: number, patch: number | undefined): Numbers {
  if (major > 0) return [major + 1, 0, 0]
  if (minor > 0 || patch === undefined) return [0, minor + 1, 0]
  return [0, 0, patch + 1]
}

function compare(a: Numbers, b: Numbers): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}
