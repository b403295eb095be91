// Finds text that was probably meant as a placeholder but is none, because only `{{name}}` and `{{ name }}` are.
import { findPlaceholders } from './placeholders.ts'

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
