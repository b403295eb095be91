// Finds hidden characters. Pages show their code points, and most cause a warning, because models read them but users cannot see them. Emoji and scripts that need such characters are exempt from both.
import type { Finding } from './finding.ts'

/**
 * The characters that Unicode asks programs not to draw, and a short list of others that nobody sees: control characters, interlinear annotations, the blank of braille, and separators that many programs ignore.
 *
 * @see https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point and https://trojansource.codes
 */
const INVISIBLE = String.raw`\p{Default_Ignorable_Code_Point}\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffb`

/** A character that pages show as its code point. A single selector after a visible character is not shown, because so many emoji have one. */
const SHOWN_BY_NUMBER = new RegExp(`(?![\ufe00-\ufe0f])[${INVISIBLE}]|(?<=[${INVISIBLE}])[\ufe00-\ufe0f]`, 'gu')

/** Counts the characters that a page shows by code point. */
export function countHidden(text: string): number {
  return MAY_HIDE.test(text) ? (withoutNeeded(text).match(SHOWN_BY_NUMBER)?.length ?? 0) : 0
}

/** Splits a text at hidden characters. @returns the parts in order; a hidden character has its code point, such as U+200B, as `code` */
export function splitHidden(text: string, effort?: Effort): { text: string; code?: string }[] {
  const parts: { text: string; code?: string }[] = []
  let end = 0
  const shown = MAY_HIDE.test(text) ? withoutNeeded(text, effort).matchAll(SHOWN_BY_NUMBER) : []
  for (const { 0: character, index } of shown) {
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

/**
 * Emoji with selectors and joiners, including flags, where these characters are legitimate. Compiled when a text needs it:
 * every start of a program would otherwise wait 25 ms for the table of emoji.
 */
let emojiPattern: RegExp | undefined

/** A character that can begin such an emoji, before what can be its second one. Whole emoji are searched only there, because that is slow. */
const EMOJI_START = /\p{Emoji}(?=[\ufe0e\ufe0f\u200d]|\p{Emoji_Modifier}\u200d)|\u{1f3f4}(?=[\u{e0061}-\u{e007a}])/gu
/** Maximum number of places where whole emoji are searched; the selectors and joiners of later ones count as hidden characters. No readable text has as many. */
export const MAX_EMOJI = 1_000

/** How many emoji may still be searched; decremented. Texts that are shown together share it. */
export interface Effort {
  emoji: number
}

/** Characters that some scripts need, each with the character before or after it that makes one of them legitimate. Two in a row never are. */
const NEEDED: readonly { character: RegExp; after?: RegExp; before?: RegExp }[] = [
  {
    character: /[\u200c\u200d]/u,
    after:
      /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Nkoo}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]$/u,
  },
  // Marks next to a letter of the other direction keep punctuation in its place.
  { character: /[\u200e\u200f\u061c]/u, after: /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}][\p{Nd}\p{P}]?$/u },
  { character: /[\u200e\u200f\u061c]/u, before: /^[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}]/u },
  { character: /\u034f/u, after: /\p{M}$/u },
  { character: /[\u115f\u1160]/u, before: /^[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u },
  { character: /[\u115f\u1160]/u, after: /[\u1100-\u115e\ua960-\ua97f]$/u },
  { character: /[\u17b4\u17b5]/u, after: /\p{sc=Khmr}$/u },
  { character: /[\u180b-\u180f]/u, after: /\p{sc=Mong}$/u },
  // Variants of mathematical signs and of Chinese characters.
  { character: /[\ufe00-\ufe0f]/u, after: /[\p{Sm}\p{So}\p{sc=Han}]$/u },
  { character: /[\u{e0100}-\u{e01ef}]/u, after: /\p{sc=Han}$/u },
]

/** What a text must have for something to be hidden in it; most English texts have nothing of it, and the other patterns take 20 ms when they are first used. Spaces that hide a text change to tabs. */
const MAY_HIDE = /[^\t\n\r\x20-\x7e]| \t/

/** A sequence of invisible characters; separators of lines and paragraphs are only shown. Blanks in a picture made of braille are not hidden. */
const RUN = new RegExp(`[${INVISIBLE.replace(String.raw`\u2028\u2029`, '')}]+`, 'gu')
const BRAILLE = /[\u2801-\u28ff]/

/** Spaces and tabs at the end of a line, and spaces other than U+0020 in a row. */
const SPACES =
  /(?<![ \t])[ \t]{8,}(?=\r?$)|(?<![\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000])[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]{4,}/gmu
/** Number of changes between kinds of spaces in one row that nobody types. */
const MIN_CHANGES = 3

/** Finds characters that users cannot see but models read. Characters in a row are one finding. Text hidden in tags or selectors is decoded. */
export function findHiddenCharacters(text: string): Finding[] {
  if (!MAY_HIDE.test(text)) return []
  const findings: Finding[] = []
  const say = (offset: number, message: string) => findings.push({ code: 'hidden_characters', message, offset })
  for (const { 0: run, index } of withoutNeeded(text).matchAll(RUN)) {
    if (run === '\ufeff' && index === 0) continue
    const characters = [...run]
    const [first = ''] = characters
    const isAlone = characters.length === 1
    const hidden = CARRIER.test(first) ? decode(characters) : ''
    const said = hidden === '' ? '' : `, which hides the text ${JSON.stringify(hidden)}`
    const name = `${formatCodePoint(first.codePointAt(0)!)} (${kindOf(first)})`
    const what = isAlone
      ? `the invisible character ${name}`
      : `${characters.length} invisible characters in a row, the first is ${name}`
    say(index, `contains ${what}${said}`)
  }
  // The kinds of the spaces in a row may stand for the bits of a text.
  for (const { 0: spaces, index } of text.matchAll(SPACES))
    if (countChanges(spaces) >= MIN_CHANGES)
      say(index, `contains ${spaces.length} spaces of different kinds in a row, which may hide a text`)
  return findings.sort((a, b) => a.offset - b.offset)
}

function countChanges(spaces: string): number {
  let changes = 0
  for (let at = 1; at < spaces.length; at++) if (spaces[at] !== spaces[at - 1]) changes++
  return changes
}

/** Replaces emoji, and characters that the text around them makes legitimate, with spaces. */
function withoutNeeded(text: string, effort: Effort = { emoji: MAX_EMOJI }): string {
  const plain = withoutEmoji(text, effort)
  return plain.replace(RUN, (run, index: number) =>
    ([...run].length === 1 && isNeeded(plain, index, run)) || isPicture(plain, index, run)
      ? ' '.repeat(run.length)
      : run,
  )
}

function withoutEmoji(text: string, effort: Effort): string {
  let plain = ''
  let end = 0
  for (const { index } of text.matchAll(EMOJI_START)) {
    if (index < end) continue
    if (effort.emoji-- <= 0) break
    emojiPattern ??= /\p{RGI_Emoji}|\p{Emoji}(?:\uFE0E|\uFE0F)\u20E3?/vy
    emojiPattern.lastIndex = index
    const emoji = emojiPattern.exec(text)?.[0]
    if (emoji === undefined) continue
    plain += text.slice(end, index) + ' '.repeat(emoji.length)
    end = index + emoji.length
  }
  return plain + text.slice(end)
}

/** The rules for each invisible character that was met; there are a few thousand such characters. */
const rulesOf = new Map<string, typeof NEEDED>()

/** Returns whether the text around a single character makes it legitimate. */
function isNeeded(text: string, index: number, run: string): boolean {
  const rules = rulesOf.get(run) ?? NEEDED.filter(({ character }) => character.test(run))
  rulesOf.set(run, rules)
  if (rules.length === 0) return false
  const before = text.slice(Math.max(0, index - 2), index)
  const after = text.slice(index + run.length, index + run.length + 2)
  return rules.some((one) => one.after?.test(before) ?? one.before?.test(after) ?? false)
}

/** Returns whether a run consists of braille blanks next to braille. */
function isPicture(text: string, index: number, run: string): boolean {
  const around = text.slice(Math.max(0, index - 1), index) + text.slice(index + run.length, index + run.length + 1)
  return /^\u2800+$/.test(run) && BRAILLE.test(around)
}

/** The kinds that have a name; the rest are invisible characters without one. */
const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/\p{Cc}/u, 'control'],
  [/\u00ad/u, 'soft hyphen'],
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/u, 'direction'],
  [/[\u200b-\u200d\u2060-\u2064]/u, 'zero width'],
  [/\ufeff/u, 'byte order mark'],
  [/[\u115f\u1160\u3164\uffa0]/u, 'filler'],
  [/[\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u, 'variation selector'],
  [/[\u{e0000}-\u{e007f}]/u, 'tag'],
  [/[\ufff9-\ufffb]/u, 'annotation'],
  [/\u2800/u, 'blank'],
]

function kindOf(character: string): string {
  return KINDS.find(([pattern]) => pattern.test(character))?.[1] ?? 'not drawn'
}

/** The characters that `decode` reads. */
const CARRIER = /[\ufe00-\ufe0f]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/u

/** Maximum number of hidden characters that are decoded. */
const MAX_DECODED = 200

/** Decodes a run of tag characters, which are ASCII with an offset, or of variation selectors, which can stand for bytes. @returns an empty string if the run hides no readable text */
function decode(characters: readonly string[]): string {
  const codes = characters.slice(0, MAX_DECODED).map((character) => character.codePointAt(0)!)
  // The first sixteen selectors stand for bytes that are no text.
  const bytes = codes.map((code) => (code < 0xe0100 ? code - 0xe0000 : code - 0xe0100 + 16))
  return String.fromCharCode(...bytes.filter((byte) => byte >= 0x20 && byte < 0x7f))
}
