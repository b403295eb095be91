// Finds and replaces {{name}} placeholders in one pass. filling.ts decides the values.
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
  for (const match of content.matchAll(PLACEHOLDER)) {
    const [whole, , name = ''] = match
    const count = counts.get(name) ?? { times: 0, bytes: 0, offset: match.index }
    // Braces, spaces and the letters of a name take one byte each.
    counts.set(name, { ...count, times: count.times + 1, bytes: count.bytes + whole.length })
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
