// Parses and formats YAML: version 1.2, core schema, no aliases, no custom tags.
import {
  Document,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { isObject, isSameJson } from './json.ts'
import { printable } from './printable.ts'
import type { Parsed } from './problems.ts'

/**
 * Parses a YAML mapping.
 *
 * @param text only the YAML, without the lines around it
 * @param firstLine line number of its first line in the file, for messages
 * @returns the mapping as plain values, or all syntax problems, of which only a few are described in full @see docs/notes/yaml.md: aliases can expand without limit, so they are rejected, and two of the library's checks take quadratic time
 */
export function parseYaml(text: string, firstLine: number): Parsed<Record<string, unknown>> {
  const { value, problems } = openYaml(text, firstLine)
  return value ? { value: value.value } : { problems }
}

/** A parsed mapping: its values, and the nodes of the package. */
export interface OpenYaml {
  value: Record<string, unknown>
  document: Document
}

/** Like `parseYaml`, for editing. */
export function openYaml(text: string, firstLine: number): Parsed<OpenYaml> {
  const lines = new LineCounter()
  const at = (offset: number) => `line ${Math.max(1, lines.linePos(offset).line) + firstLine - 1}`
  try {
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      lineCounter: lines,
      // Both checks take quadratic time: one copies the whole line for every error, the other compares every key with all previous keys.
      prettyErrors: false,
      uniqueKeys: false,
      stringKeys: true,
      // Otherwise !!binary, !!set and others are parsed even in the core schema, and produce values that JSON cannot represent.
      resolveKnownTags: false,
    })
    // The parser is recursive, so text nested thousands of levels deep overflows the stack. It reports this as one of many errors.
    if (document.errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) return tooDeep(firstLine)
    const messages = new Set<string>()
    for (const { pos, message } of [...document.errors, ...document.warnings])
      messages.add(`${at(pos[0])}: expected valid YAML: ${printable(message)}`)
    for (const offset of findRepeatedKeys(document.contents))
      messages.add(`${at(offset)}: expected valid YAML: Map keys must be unique`)
    // Only text with an asterisk can contain an alias, and visiting every node would take a tenth of the parsing time.
    if (text.includes('*'))
      visit(document, (_key, node) => {
        if (isAlias(node)) {
          messages.add(`${at(node.range?.[0] ?? 0)}: expected YAML without aliases (*name); write the value out`)
          return visit.BREAK
        }
        return undefined
      })
    if (messages.size > 0) return { problems: [...messages].map((message) => ({ key: '', message })) }
    const value: unknown = document.toJS({ maxAliasCount: 0 }) ?? {}
    if (!isObject(value)) {
      return { problems: [{ key: '', message: `line ${firstLine}: expected keys and values between the --- lines` }] }
    }
    return { value: { value: Object.fromEntries(Object.entries(value)), document } }
  } catch {
    return tooDeep(firstLine)
  }
}

function tooDeep(line: number): Parsed<never> {
  return { problems: [{ key: '', message: `line ${line}: expected less deeply nested YAML` }] }
}

/** Returns the positions of duplicate keys in a mapping. Uses a work list instead of recursion, and a set of keys, so that it takes linear time. */
function findRepeatedKeys(root: unknown): number[] {
  const offsets: number[] = []
  const waiting = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (!isCollection(node)) continue
    const seen = new Set<unknown>()
    for (const item of node.items) {
      if (isPair(item) && isScalar(item.key)) {
        if (seen.has(item.key.value)) offsets.push(item.key.range?.[0] ?? 0)
        seen.add(item.key.value)
      }
      const child = isPair(item) ? item.value : item
      if (isCollection(child)) waiting.push(child)
    }
  }
  return offsets.sort((a, b) => a - b)
}

/** Strings that YAML parsers read differently without quotes: dates, numbers and the merge key of YAML 1.1, characters that some treat as line breaks, and blanks at either end. In double quotes, all agree. */
const DISPUTED = new RegExp(
  [
    String.raw`^\d{4}-\d\d?-\d\d?`,
    String.raw`^[-+]?(?:0[box][\da-f_]+|(?=[_.:]*\d)[\d_.:]+(?:e[-+]?\d+)?)$`,
    '^<<$',
    String.raw`[^\P{C}\n]|[\u0085\u2028\u2029]`,
    String.raw`^\s|[^\S\n]$|\n\n$`,
  ].join('|'),
  'iu',
)

/**
 * Formats a mapping as YAML. What is written is read back and compared, first with only disputed strings in quotes, then with all.
 *
 * @returns YAML that `parseYaml` parses to the same values
 * @throws Error if no way of writing reads back the same
 */
export function formatYaml(value: Record<string, unknown>): string {
  for (const quoted of [DISPUTED, /^/]) {
    const document = new Document(value, { aliasDuplicateObjects: false, version: '1.2', schema: 'core' })
    visit(document, {
      Scalar(_key, node) {
        if (typeof node.value === 'string' && quoted.test(node.value)) node.type = 'QUOTE_DOUBLE'
      },
    })
    const text = writeYaml(document)
    if (isSameJson(parseYaml(text, 1).value, value)) return text
  }
  throw new Error('these values cannot be written as YAML')
}

/** Writes a document in the style of all files. */
export function writeYaml(document: Document): string {
  return document.toString({
    lineWidth: 0,
    flowCollectionPadding: false,
    // Otherwise, the package breaks long quoted strings at their line breaks, where it writes a line of one blank as a backslash.
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
  })
}

/**
 * Opens YAML to find the lines of keys. Parsing takes most of the time, so it is done once for all keys.
 *
 * @param text only the YAML; it may be invalid
 * @param firstLine line number of the text's first line in the file
 * @returns finds the line of a key, or of its nearest existing parent; undefined when no part of the key exists. The key is dotted, as in `ValueProblem`, and may contain dots itself, like versions
 */
export function openKeyLines(text: string, firstLine: number): (key: string) => number | undefined {
  const lines = new LineCounter()
  const options = { schema: 'core', uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const
  const root: unknown = parseDocument(text, { version: '1.2', ...options }).contents
  const pairsOf = openPairs()
  return (key) => {
    const offset = findKeyOffset(root, key, pairsOf)
    return offset === undefined ? undefined : lines.linePos(offset).line + firstLine - 1
  }
}

/** Maximum number of dots in a name whose line is found; that of a version has two. */
const MAX_DOTS = 16

/** Pairs by name: the last of each name, and its position. */
type Pairs = ReadonlyMap<string, { pair: Pair; at: number }>

/** Opens an index of the pairs of collections, because a file may have as many problems as keys. */
function openPairs(): (node: YAMLMap | YAMLSeq) => Pairs {
  const known = new Map<unknown, Pairs>()
  return (node) => {
    const pairs: Pairs =
      known.get(node) ??
      new Map(
        node.items.flatMap((item, at) =>
          isPair(item) && isScalar(item.key) ? [[String(item.key.value), { pair: item, at }] as const] : [],
        ),
      )
    known.set(node, pairs)
    return pairs
  }
}

/** Finds the last pair whose name begins a dotted key. */
function findPair(pairs: Pairs, key: string): { name: string; pair: Pair } | undefined {
  let last: { name: string; pair: Pair; at: number } | undefined
  let end = -1
  for (let dots = 0; dots <= MAX_DOTS; dots++) {
    end = key.indexOf('.', end + 1)
    const name = end < 0 ? key : key.slice(0, end)
    const found = pairs.get(name)
    if (found && (last === undefined || found.at > last.at)) last = { name, ...found }
    if (end < 0) break
  }
  return last
}

function findKeyOffset(root: unknown, key: string, pairsOf: ReturnType<typeof openPairs>): number | undefined {
  let node = root
  let offset: number | undefined
  let rest = key
  while (rest !== '' && isCollection(node)) {
    let child: unknown
    let name = rest.split('.', 1)[0]!
    if (/^\d+$/.test(name) && !isPair(node.items[0])) child = node.items[Number(name)]
    else {
      const found = findPair(pairsOf(node), rest)
      if (!found) break
      const { pair } = found
      name = found.name
      if (isScalar(pair.key)) offset = pair.key.range?.[0]
      child = pair.value
    }
    if (child === undefined) break
    if (!isPair(child) && offset !== undefined && /^\d+$/.test(name) && (isCollection(child) || isScalar(child)))
      offset = child.range?.[0] ?? offset
    rest = rest.slice(name.length + 1)
    node = child
  }
  return offset
}

/** Returns the line number in a problem from `parseYaml`, or undefined. */
export function readLine(message: string): number | undefined {
  const [, line] = /^line (\d+): /.exec(message) ?? []
  return line === undefined ? undefined : Number(line)
}
