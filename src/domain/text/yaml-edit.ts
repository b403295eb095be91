// Changes single keys in the YAML of a file and leaves every other byte unchanged: the source is spliced at the positions from the `yaml` package, and never reformatted.
import {
  type CST,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { isObject, isSameJson } from './json.ts'
import { formatYaml, parseYaml } from './yaml.ts'

/** A key to change: a top-level key, or a key one level below it, such as `labels.production`. */
export interface KeyChange {
  path: readonly [key: string] | readonly [key: string, below: string]
  /** The new value, as JSON; undefined removes the key. */
  value: unknown
}

/**
 * Changes keys of a mapping, in order.
 *
 * @param text a mapping that `parseYaml` accepts, or nothing
 * @returns a text that `parseYaml` parses as the same mapping with the keys changed. A value that cannot be changed in place, such as `? key` on its own line, is rewritten with its key
 */
export function editYaml(text: string, changes: readonly KeyChange[]): string {
  return changes.reduce(changeKey, text)
}

function changeKey(text: string, change: KeyChange): string {
  const before = parseYaml(text, 1).value
  if (!before) throw new Error('only valid YAML can be edited')
  const wanted = expected(before, change)
  if (isSameJson(before, wanted)) return text
  // An indented comment below a removed key would become part of a block scalar above it. A comment without indentation ends the block scalar.
  for (const inPlace of ['', '#']) {
    const edited = splice(text, change, inPlace)
    const after = edited === undefined ? undefined : parseYaml(edited, 1).value
    if (after !== undefined && isSameJson(after, wanted)) return edited!
  }
  return formatYaml(wanted)
}

/** Returns the expected mapping after a change. */
function expected(before: Mapping, { path: [key, below], value }: KeyChange): Mapping {
  if (below === undefined) return withKey(before, key, value)
  const inner = before[key]
  const known = isObject(inner) ? inner : {}
  if (value === undefined && !Object.hasOwn(known, below)) return before
  return withKey(before, key, withKey(known, below, value))
}

type Mapping = Record<string, unknown>

function withKey(mapping: Mapping, key: string, value: unknown): Mapping {
  const { [key]: _old, ...others } = mapping
  return value === undefined ? others : { ...mapping, [key]: value }
}

/** @param inPlace the line in the place of a removed key, if any @returns undefined when the source has no position to splice */
function splice(text: string, { path, value }: KeyChange, inPlace: string): string | undefined {
  const options = { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false } as const
  const { contents } = parseDocument(text, { ...options, keepSourceTokens: true })
  const [key, below] = path
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const target = below === undefined ? value : { [below]: value }
  if (!isMap(contents)) return contents === null && value !== undefined ? `${text}${line(key, target, eol)}` : undefined
  const pair = findPair(contents, key)
  if (below === undefined || pair === undefined) return setIn(text, contents, key, target, eol, text.length, inPlace)
  const inner = pair.value
  if (!isMap(inner) || inner.items.length === 0) return setIn(text, contents, key, target, eol, text.length, inPlace)
  const isLast = inner.items.length === 1 && findPair(inner, below) !== undefined
  if (value === undefined && isLast && !inner.flow) return emptyBlock(text, pair, inner)
  return setIn(text, inner, below, value, eol, undefined, inPlace)
}

/** Sets or removes a key of one mapping. @param end where a new key is inserted, in a mapping at the end of the text */
function setIn(
  text: string,
  map: YAMLMap,
  key: string,
  value: unknown,
  eol: string,
  end: number | undefined,
  inPlace: string,
): string | undefined {
  const pair = findPair(map, key)
  if (pair === undefined) return value === undefined ? text : add(text, map, key, value, eol, end)
  if (value === undefined)
    return map.flow ? removeFromFlow(text, pair) : removeLines(text, pair, inPlace && inPlace + eol)
  return replaceValue(text, pair, value)
}

function findPair(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === key)
}

function add(
  text: string,
  map: YAMLMap,
  key: string,
  value: unknown,
  eol: string,
  end: number | undefined,
): string | undefined {
  const last = map.items.at(-1)
  if (map.flow) {
    const written = `${inline(key)}: ${inline(value)}`
    if (!last) {
      const open = map.range?.[0]
      return open === undefined
        ? undefined
        : `${text.slice(0, open + 1)} ${written} ${text.slice(open + 1).trimStart()}`
    }
    const at = valueEnd(last)
    return at === undefined ? undefined : `${text.slice(0, at)}, ${written}${text.slice(at)}`
  }
  const first = map.items[0]
  const start = first && keyStart(first)
  const at = end ?? (last && nodeEnd(text, last))
  if (start === undefined || at === undefined) return undefined
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  if (indent.trim() !== '' || (at > 0 && text[at - 1] !== '\n')) return undefined
  return text.slice(0, at) + indentLines(line(key, value, eol), indent) + text.slice(at)
}

function replaceValue(text: string, pair: Pair, value: unknown): string | undefined {
  const colon = colonEnd(pair)
  if (colon === undefined) return undefined
  const node = writtenValue(pair)
  if (node === undefined) return `${text.slice(0, colon)} ${inline(value)}${text.slice(colon)}`
  const [from, to] = node.range ?? []
  const end = nodeEnd(text, pair)
  if (from === undefined || to === undefined || end === undefined) return undefined
  const head = `${text.slice(0, colon)} ${inline(value)}`
  const between = text.slice(colon, from)
  const comment = /(?<![ \t])[ \t]+#[^\r\n]*/.exec(between)?.[0] ?? ''
  // A comment after `|` belongs to the value; a comment after the colon stays.
  if ((isScalar(node) && isBlockText(node)) || (isCollection(node) && !node.flow))
    return `${head}${comment}${lineEndOf(text, end)}${text.slice(end)}`
  if (!between.includes('\n') || comment === '') return head + text.slice(to)
  const rest = text.slice(to)
  return head + between.trimEnd() + (/^[ \t]*\r?\n/.test(rest) ? '' : lineEndOf(text, end)) + rest
}

/** Returns the line break that the file uses before a position. */
function lineEndOf(text: string, at: number): string {
  if (text[at - 1] !== '\n') return ''
  return text[at - 2] === '\r' ? '\r\n' : '\n'
}

/** Removes a key of a block mapping with its lines, including the comment after its value; comments above it stay. */
function removeLines(text: string, pair: Pair, inPlace = ''): string | undefined {
  const from = keyStart(pair)
  const to = nodeEnd(text, pair)
  if (from === undefined || to === undefined) return undefined
  const lineStart = text.lastIndexOf('\n', from - 1) + 1
  if (text.slice(lineStart, from).trim() !== '' || (to < text.length && text[to - 1] !== '\n')) return undefined
  return text.slice(0, lineStart) + inPlace + text.slice(to)
}

/** Removes a key of a flow mapping, with one adjacent comma. */
function removeFromFlow(text: string, pair: Pair): string | undefined {
  const from = keyStart(pair)
  const to = valueEnd(pair)
  if (from === undefined || to === undefined) return undefined
  const after = /^\s*,[ \t]*/.exec(text.slice(to))
  if (after) return text.slice(0, from) + text.slice(to + after[0].length)
  return text.slice(0, from).replace(/,[ \t]*$/, '') + text.slice(to)
}

/** Removes the only key of a nested mapping, which becomes `{}`. */
function emptyBlock(text: string, pair: Pair, inner: YAMLMap): string | undefined {
  const colon = colonEnd(pair)
  const only = inner.items[0]
  const removed = only && removeLines(text, only)
  return colon === undefined || removed === undefined
    ? undefined
    : `${removed.slice(0, colon)} {}${removed.slice(colon)}`
}

const keyStart = ({ key }: Pair): number | undefined => (isScalar(key) ? key.range?.[0] : undefined)

/** Returns the value's source; undefined when nothing follows the colon. */
function writtenValue({ value }: Pair): Scalar | YAMLMap | YAMLSeq | undefined {
  if (!isScalar(value) && !isMap(value) && !isSeq(value)) return undefined
  return value.range && value.range[0] === value.range[1] ? undefined : value
}

/** Returns the end of the value, without the comment after it. */
function valueEnd(pair: Pair): number | undefined {
  const value = writtenValue(pair)
  return value ? value.range?.[1] : colonEnd(pair)
}

/** Returns the end of the value's last line, including the comment after it. A comment on a separate line below the value does not belong to it, although the package includes it. */
function nodeEnd(text: string, pair: Pair): number | undefined {
  const at = lastOf(pair)
  if (at === undefined || (at.isBlock && text[at.end - 1] === '\n')) return at?.end
  const end = text.indexOf('\n', at.end)
  return end === -1 ? undefined : end + 1
}

/** Returns the end of the last scalar or bracket in a key's value. */
function lastOf(pair: Pair): { end: number; isBlock: boolean } | undefined {
  let value: unknown = writtenValue(pair)
  let holder: Pair | undefined = pair
  while (isCollection(value) && !value.flow) {
    const last: unknown = value.items.at(-1)
    holder = isPair(last) ? last : undefined
    value = holder ? writtenValue(holder) : last
  }
  if (isScalar(value) || isCollection(value)) {
    const end = value.range?.[1]
    return end === undefined ? undefined : { end, isBlock: isScalar(value) && isBlockText(value) }
  }
  const end = holder && colonEnd(holder)
  return end === undefined ? undefined : { end, isBlock: false }
}

const isBlockText = ({ type }: Scalar) => type === 'BLOCK_FOLDED' || type === 'BLOCK_LITERAL'

function colonEnd({ srcToken }: Pair & { srcToken?: CST.CollectionItem }): number | undefined {
  const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind')
  return colon === undefined ? undefined : colon.offset + 1
}

/** Formats a top-level key with its value below it, in the usual style. */
function line(key: string, value: unknown, eol: string): string {
  if (isObject(value) && Object.keys(value).length > 0) {
    const below = Object.entries(value).map(([name, entry]) => `  ${inline(name)}: ${inline(entry)}${eol}`)
    return `${inline(key)}:${eol}${below.join('')}`
  }
  return `${inline(key)}: ${inline(value)}${eol}`
}

const indentLines = (lines: string, indent: string) => (indent === '' ? lines : lines.replace(/^(?=.)/gm, indent))

/** Words that every YAML parser reads as strings, inside and outside of brackets. */
const PLAIN = /^[A-Za-z](?:[A-Za-z0-9_./()'’-]| (?=[A-Za-z0-9_./()'’-]))*$/

const CONSTANT = /^(?:null|true|false|yes|no|on|off|y|n|\.?nan|\.?inf)$/i

/** Hidden characters are escaped. */
function quoted(text: string): string {
  const numbered = (character: string) => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`
  return JSON.stringify(text).replace(/[\p{C}\u2028\u2029]/gu, numbered)
}

/** Returns a value on one line. JSON strings are YAML double-quoted strings. */
function inline(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) && !CONSTANT.test(value) ? value : quoted(value)
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, entry]) => `${inline(key)}: ${inline(entry)}`)
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
  }
  return String(value)
}
