// Changes single keys in the YAML of a file. Only the lines of the changed key are written anew, with their comments; every other byte stays.
import { isCollection, isMap, isNode, isScalar, type Pair, type YAMLMap } from 'yaml'
import { isObject, isSameJson } from './json.ts'
import { formatYaml, type OpenYaml, openYaml, parseYaml, writeYaml } from './yaml.ts'

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
 * @returns a text that `parseYaml` parses as the same mapping with the keys changed
 */
export function editYaml(text: string, changes: readonly KeyChange[]): string {
  let edited: Edited = { text, opened: openYaml(text, 1).value }
  for (const change of changes) edited = changeKey(edited, change)
  return edited.text
}

interface Edited {
  text: string
  opened?: OpenYaml | undefined
}

function changeKey(before: Edited, change: KeyChange): Edited {
  const { text, opened } = before
  if (!opened) throw new Error('only valid YAML can be edited')
  const wanted = expected(opened.value, change)
  if (isSameJson(opened.value, wanted)) return before
  for (const edit of [
    () => changeLines(text, opened, change, ''),
    // An indented comment below a removed key would become part of a block scalar above it. A comment without indentation ends the block scalar.
    () => changeLines(text, opened, change, '#\n'),
    () => withLineEndsOf(text, changeDocument(text, change)),
    // The package does not write some rare texts as they were, such as an empty block scalar with a comment.
    () => formatYaml(wanted),
  ]) {
    const edited = edit()
    const after = edited === undefined ? undefined : openYaml(edited, 1).value
    if (after && isSameJson(after.value, wanted)) return { text: edited!, opened: after }
  }
  throw new Error('this key cannot be changed')
}

type Mapping = Record<string, unknown>

/** Returns the expected mapping after a change. */
function expected(before: Mapping, { path: [key, below], value }: KeyChange): Mapping {
  if (below === undefined) return withKey(before, key, value)
  const inner = before[key]
  const known = isObject(inner) ? inner : {}
  if (value === undefined && !Object.hasOwn(known, below)) return before
  return withKey(before, key, withKey(known, below, value))
}

function withKey(mapping: Mapping, key: string, value: unknown): Mapping {
  const { [key]: _old, ...others } = mapping
  return value === undefined ? others : { ...mapping, [key]: value }
}

/** Changes only the lines of the key. @param inPlace the line in the place of a removed key, if any @returns undefined if a key does not begin a line */
function changeLines(text: string, { document, value }: OpenYaml, change: KeyChange, inPlace: string) {
  const root = document.contents
  if (root !== null && (!isMap(root) || root.flow)) return undefined
  const pairs = root?.items ?? []
  const starts = pairs.map(({ key }) => (isScalar(key) ? (key.range?.[0] ?? -1) : -1))
  if (starts.some((at) => at < 0 || (at > 0 && text[at - 1] !== '\n'))) return undefined
  const [key, below] = change.path
  const index = pairs.findIndex((pair) => isNamed(pair, key))
  const from = starts[index] ?? text.length
  const segment = text.slice(from, starts[index + 1])
  const end = index < 0 ? 0 : endOf(segment, key, value[key])
  const isRemoved = below === undefined && change.value === undefined
  const written = isRemoved ? inPlace : changeDocument(segment.slice(0, end), change)
  return text.slice(0, from) + withLineEndsOf(text, written) + text.slice(from + end)
}

/** Returns where the lines of a key end: before the empty lines and comments below it, unless they are part of its text. */
function endOf(segment: string, key: string, value: unknown): number {
  const lines = segment.split(/(?<=\n)/)
  const lengthOf = (count: number) => lines.slice(0, count).join('').length
  const end = lengthOf(lines.findLastIndex((line) => !/^\s*(?:#|$)/.test(line)) + 1)
  if (isSameJson(parseYaml(segment.slice(0, end), 1).value?.[key], value)) return end
  // In a text, no line begins with `#` without an indentation.
  const last = lines.findLastIndex((line) => !/^(?:#|\s*$)/.test(line))
  const comment = lines.findIndex((line, at) => at > last && line.startsWith('#'))
  return lengthOf(comment < 0 ? lines.length : comment)
}

function withLineEndsOf(text: string, written: string): string {
  return text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written
}

/** Changes a key and writes the whole text anew, with its comments. */
function changeDocument(text: string, { path: [key, below], value }: KeyChange): string {
  const document = openYaml(text.replaceAll('\r\n', '\n'), 1).value?.document
  const root = document?.contents
  const target = below === undefined ? value : { [below]: value }
  if (!document || !isMap(root)) return formatYaml({ [key]: target })
  const inner = root.items.find((pair) => isNamed(pair, key))?.value
  if (below !== undefined && isMap(inner)) setIn(inner, below, value)
  else setIn(root, key, target)
  return writeYaml(document)
}

/** Sets or removes a key of a mapping, and keeps the comments. */
function setIn(map: YAMLMap, key: string, value: unknown): void {
  const index = map.items.findIndex((pair) => isNamed(pair, key))
  const old = map.items[index]
  if (value !== undefined) {
    const added = openYaml(formatYaml({ [key]: value }), 1).value?.document.contents
    if (!isMap(added)) return
    if (!old) map.items.push(...added.items)
    else old.value = withStyle(added.items[0]!.value, old.value)
  } else if (old) {
    map.items.splice(index, 1)
    const comment = isNode(old.key) ? old.key.commentBefore : undefined
    const next: unknown = map.items[index]?.key
    if (isNode(next)) next.commentBefore = join(comment, next.commentBefore)
    else map.comment = join(comment, map.comment)
  }
}

const isNamed = ({ key }: Pair, name: string) => isScalar(key) && key.value === name

const join = (...comments: (string | null | undefined)[]) => comments.filter((one) => one).join('\n')

/** Gives a value the comments, quotes and brackets of the value before it. */
function withStyle(value: unknown, before: unknown): unknown {
  if (!isNode(value) || !isNode(before)) return value
  Object.assign(value, { comment: before.comment, commentBefore: before.commentBefore })
  if (isCollection(value) && isCollection(before)) value.flow = before.flow ?? false
  const isQuoted = isScalar(before) && before.type?.startsWith('QUOTE')
  if (isQuoted && isScalar(value) && typeof value.value === 'string' && value.type === 'PLAIN')
    value.type = before.type!
  return value
}
