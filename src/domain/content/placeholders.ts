// Finds and replaces {{name}} placeholders in one pass, compares them with the declared variables, and finds text that was probably meant as one. filling.ts decides the values.
import type { RuleProblem } from '../text/problems.ts'
import type { Format } from '../values/chat.ts'

/** `{{name}}` or `{{ name }}`; braces in any other form are left unchanged, because they belong to other tools. docs/contract.md section 11. */
export const PLACEHOLDER = /\{\{( ?)([A-Za-z_][A-Za-z0-9_]*)\1\}\}/g

/** Returns the names of the placeholders in content, without duplicates, in order of first appearance. Names longer than the limit are included, so that the rules can reject them. */
export function findPlaceholders(content: string): string[] {
  return [...countPlaceholders(content).keys()]
}

/** Returns the names of a version's placeholders. In a chat prompt, `{{history}}` is not a placeholder: it stands for the caller's earlier messages. */
export function findVariableNames({ content, format }: { content: string; format?: Format }): string[] {
  const names = findPlaceholders(content)
  return format === 'chat' ? names.filter((name) => name !== 'history') : names
}

/** The occurrences of a placeholder. */
interface PlaceholderCount {
  times: number
  /** The total length of the occurrences. */
  bytes: number
  /** The offset of the first occurrence, in UTF-16 code units. */
  offset: number
}

/** Counts the occurrences of each placeholder in content, in order of first appearance. */
export function countPlaceholders(content: string): Map<string, PlaceholderCount> {
  const counts = new Map<string, PlaceholderCount>()
  for (const { 0: whole, 2: name = '', index } of content.matchAll(PLACEHOLDER)) {
    const count = counts.get(name)
    // Braces, spaces and the letters of a name take one byte each.
    if (!count) counts.set(name, { times: 1, bytes: whole.length, offset: index })
    else {
      count.times++
      count.bytes += whole.length
    }
  }
  return counts
}

/**
 * Replaces the placeholders in content.
 *
 * @param values name → text; a Map, so that `{{constructor}}` finds nothing
 * @returns the content with each named placeholder replaced literally, in one pass: a value is never scanned again
 */
export function fillPlaceholders(content: string, values: ReadonlyMap<string, string>): string {
  return content.replace(PLACEHOLDER, (whole, _space, name: string) => values.get(name) ?? whole)
}

/** A part of the content, with the variable's name if it is a placeholder. */
interface ContentPart {
  text: string
  name?: string
}

/** Splits content at the placeholders with the given names. Joining the parts restores the content. */
export function splitContent(content: string, names: ReadonlySet<string>): ContentPart[] {
  const parts: ContentPart[] = []
  let end = 0
  for (const match of content.matchAll(PLACEHOLDER)) {
    const name = match[2]!
    if (!names.has(name)) continue
    if (match.index > end) parts.push({ text: content.slice(end, match.index) })
    parts.push({ text: match[0], name })
    end = match.index + match[0].length
  }
  if (end < content.length) parts.push({ text: content.slice(end) })
  return parts
}

/** Compares the declared variables of a version with the placeholders of its content. Differences cause only warnings, because the prompt can still be filled in, although probably not as intended. */
export function compareVariables({
  content,
  format,
  variables,
}: {
  content: string
  format?: Format
  variables: readonly { name: string }[]
}): RuleProblem[] {
  if (variables.length === 0) return []
  const used = countPlaceholders(content)
  // In a chat prompt, it stands for the earlier messages.
  if (format === 'chat') used.delete('history')
  const problems: RuleProblem[] = []
  for (const [index, { name }] of variables.entries())
    if (!used.delete(name)) {
      const message = `expected {{${name}}} in the content`
      problems.push({ rule: 'variables-are-used', key: `variables.${index}`, message })
    }
  for (const [name, { offset }] of used) {
    const message = `expected a declaration of the placeholder {{${name}}}`
    problems.push({ rule: 'placeholders-are-declared', key: 'content', message, offset })
  }
  return problems
}

/** A text like a placeholder. */
interface NearPlaceholder {
  text: string
  /** The offset in UTF-16 code units. */
  offset: number
  /** The placeholder that was probably meant; undefined if no name can be made of the text. */
  meant: string | undefined
}

const MAX_INNER = 100
/** Double braces with anything but a placeholder, a role or an include in them, and opening braces that nothing closes. */
const DOUBLE = new RegExp(
  String.raw`\{\{(?!( ?)[A-Za-z_][A-Za-z0-9_]*\1\}\}|role "\w+"\}\}|[ \t]{0,8}include[ \t]{1,8}["'])(?:([^{}]{0,${MAX_INNER}})\}\}|[ \t]?([A-Za-z_][A-Za-z0-9_]{0,63})(?![^{}\n]{0,${MAX_INNER}}\}))`,
  'gu',
)
/** The same braces as full-width characters, which input methods for Chinese and Japanese write. */
const WIDE = new RegExp(`｛｛([^｛｝]{0,${MAX_INNER}})｝｝`, 'gu')
/** The variables of other tools and of JavaScript: `{name}`, `${name}` and `${name:default}`. */
const SINGLE = /(?<![{$])\$?\{([A-Za-z_][A-Za-z0-9_]{0,63})\}(?!\})/g
const WITH_DEFAULT = new RegExp(
  String.raw`\$\{([A-Za-z_][A-Za-z0-9_]{0,63}):([^{}\n=?+-][^{}\n]{0,${MAX_INNER}})\}`,
  'g',
)

/**
 * Finds them in linear time, in the order of the content.
 *
 * @param declared the names of the declared variables: a single brace is often code, so it counts only around one of them or around a placeholder of the content
 */
export function findNearPlaceholders(content: string, declared: readonly string[]): NearPlaceholder[] {
  if (!/[{｛]/.test(content)) return []
  const known = new Set([...declared, ...findPlaceholders(content)])
  const found: NearPlaceholder[] = []
  const add = (match: RegExpExecArray, inner: string) =>
    found.push({ text: match[0], offset: match.index, meant: guessName(inner) })
  for (const match of content.matchAll(DOUBLE)) add(match, match[2] ?? match[3] ?? '')
  for (const match of content.matchAll(WIDE)) add(match, match[1] ?? '')
  for (const match of content.matchAll(SINGLE)) if (known.has(match[1]!)) add(match, match[1]!)
  // A number after the colon is a part of a shell's variable.
  for (const match of content.matchAll(WITH_DEFAULT))
    if (known.has(match[1]!) || !/^\d/.test(match[2]!)) add(match, match[1]!)
  return found.sort((a, b) => a.offset - b.offset)
}

/** Makes a name of the words before the first sign of a filter, a default or a call. */
function guessName(inner: string): string | undefined {
  const [words = ''] = inner.trim().split(/[|:(]/)
  const name = words
    .trim()
    .replace(/^[#/^&>!]\s*(?:if|each|unless|with)?\s*/, '')
    .replace(/[\s.-]+/g, '_')
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name) ? name : undefined
}
