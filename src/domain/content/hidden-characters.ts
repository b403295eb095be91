// Finds hidden characters. Pages show their code points, and most cause a warning, because models read them but users cannot see them. Emoji and scripts that need joiners are exempt.
import type { Finding } from './finding.ts'

/**
 * Invisible characters: the first and last code point of each kind. Characters that some scripts need are shown by code point without a warning. Variation selectors follow so many emoji that they are not shown. @see https://trojansource.codes and Unicode TR36
 */
const HIDDEN_RANGES: readonly (readonly [
  first: number,
  last: number,
  kind: string,
  use?: 'shown only' | 'warned only',
])[] = [
  [0x00, 0x08, 'control'],
  [0x0b, 0x0c, 'control'],
  [0x0e, 0x1f, 'control'],
  [0x7f, 0x9f, 'control'],
  [0x00ad, 0x00ad, 'soft hyphen'],
  [0x034f, 0x034f, 'joiner', 'shown only'],
  [0x061c, 0x061c, 'direction', 'shown only'],
  [0x115f, 0x1160, 'filler', 'shown only'],
  [0x17b4, 0x17b5, 'vowel', 'shown only'],
  [0x180b, 0x180d, 'variation selector', 'shown only'],
  [0x180e, 0x180e, 'zero width'],
  [0x180f, 0x180f, 'variation selector', 'shown only'],
  [0x200b, 0x200d, 'zero width'],
  [0x200e, 0x200f, 'direction', 'shown only'],
  [0x2028, 0x2029, 'line end', 'shown only'],
  [0x202a, 0x202e, 'direction'],
  [0x2060, 0x2064, 'zero width'],
  [0x2065, 0x2065, 'unassigned', 'shown only'],
  [0x2066, 0x2069, 'direction'],
  [0x206a, 0x206f, 'direction', 'shown only'],
  [0x3164, 0x3164, 'filler', 'shown only'],
  [0xfe00, 0xfe0f, 'variation selector', 'warned only'],
  [0xfeff, 0xfeff, 'byte order mark'],
  [0xffa0, 0xffa0, 'filler', 'shown only'],
  [0xfff9, 0xfffb, 'annotation', 'shown only'],
  [0xe0000, 0xe007f, 'tag'],
  [0xe0100, 0xe01ef, 'variation selector'],
]
const WARNED = HIDDEN_RANGES.filter(([, , , use]) => use !== 'shown only')

/** Formats ranges as a character class for a regular expression. */
const classOf = (ranges: typeof HIDDEN_RANGES) =>
  `[${ranges.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('')}]`

/** A character that pages show as its code point. This includes the zero-width joiner inside an emoji: showing too many characters is better than hiding one. */
const SHOWN_BY_NUMBER = new RegExp(classOf(HIDDEN_RANGES.filter(([, , , use]) => use !== 'warned only')), 'gu')

/** Counts the characters that a page shows by code point. */
export function countHidden(text: string): number {
  return text.match(SHOWN_BY_NUMBER)?.length ?? 0
}

/** Splits a text at hidden characters. @returns the parts in order; a hidden character has its code point, such as U+200B, as `code` */
export function splitHidden(text: string): { text: string; code?: string }[] {
  const parts: { text: string; code?: string }[] = []
  let end = 0
  for (const { 0: character, index } of text.matchAll(SHOWN_BY_NUMBER)) {
    if (index > end) parts.push({ text: text.slice(end, index) })
    parts.push({ text: character, code: formatCodePoint(character.codePointAt(0)!) })
    end = index + character.length
  }
  return end < text.length ? [...parts, { text: text.slice(end) }] : parts
}

/** Formats a Unicode code point, such as U+200B. */
function formatCodePoint(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Emoji with selectors and joiners, including flags, where these characters are legitimate. */
const EMOJI = /\p{RGI_Emoji}|\p{Emoji}(?:\uFE0E|\uFE0F)\u20E3?/gv
/** The scripts in which joiners shape words. */
const JOINED_SCRIPT =
  /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Nkoo}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]$/u

/** A character that causes a warning; most texts contain none and need no second pass. */
const SUSPICIOUS = new RegExp(classOf(WARNED), 'u')

/** Finds characters that users cannot see but models read. Hidden text in tag characters is decoded. */
export function findHiddenCharacters(text: string): Finding[] {
  if (!SUSPICIOUS.test(text)) return []
  const withoutEmoji = text.replace(EMOJI, (emoji) => ' '.repeat(emoji.length))
  const findings: Finding[] = []
  let offset = 0
  let tagsFrom = -1
  for (const character of withoutEmoji) {
    const codePoint = character.codePointAt(0)!
    const kind = WARNED.find(([first, last]) => codePoint >= first && codePoint <= last)?.[2]
    const start = offset
    offset += character.length
    const isContinuedTag = kind === 'tag' && tagsFrom !== -1
    tagsFrom = kind === 'tag' ? (isContinuedTag ? tagsFrom : start) : -1
    if (kind === undefined || isContinuedTag || (kind === 'byte order mark' && start === 0)) continue
    const isJoiner = codePoint === 0x200c || codePoint === 0x200d
    if (isJoiner && JOINED_SCRIPT.test(withoutEmoji.slice(Math.max(0, start - 2), start))) continue
    const name = formatCodePoint(codePoint)
    const hiddenText =
      kind === 'tag'
        ? `, which hides the text ${JSON.stringify(decodeTags(withoutEmoji.slice(start, start + 2 * MAX_DECODED)))}`
        : ''
    findings.push({
      code: 'hidden_characters',
      message: `contains the invisible character ${name} (${kind})${hiddenText}`,
      offset: start,
    })
  }
  return findings
}

/** Maximum number of hidden characters that are decoded. */
const MAX_DECODED = 200

/** Decodes tag characters, which are ASCII with an offset: U+E0041 is a hidden "A". */
function decodeTags(text: string): string {
  let decoded = ''
  for (const character of text) {
    const code = character.codePointAt(0)! - 0xe0000
    if (code < 0 || code > 0x7f) break
    if (code >= 0x20 && code < 0x7f) decoded += String.fromCharCode(code)
  }
  return decoded
}
