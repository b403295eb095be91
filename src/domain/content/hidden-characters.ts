// Owns finding the characters of a text that do not show, where they are worth a warning: what a reader cannot see and a model reads. An emoji may have its joiners, and so may scripts that need them.
import type { Finding } from './findings.ts'

/** What does not show when it is printed, first and last code point of each kind. */
const HIDDEN_RANGES: readonly (readonly [first: number, last: number, kind: string])[] = [
  [0xe0000, 0xe007f, 'tag'],
  [0x202a, 0x202e, 'direction'],
  [0x2066, 0x2069, 'direction'],
  [0x200b, 0x200d, 'zero width'],
  [0x2060, 0x2064, 'zero width'],
  [0x00ad, 0x00ad, 'soft hyphen'],
  [0x180e, 0x180e, 'zero width'],
  [0xfeff, 0xfeff, 'byte order mark'],
  [0xfe00, 0xfe0f, 'variation selector'],
  [0xe0100, 0xe01ef, 'variation selector'],
  [0x00, 0x08, 'control'],
  [0x0b, 0x0c, 'control'],
  [0x0e, 0x1f, 'control'],
  [0x7f, 0x9f, 'control'],
]
/** Where those characters do their work: emoji with their selectors and joiners, flags included. */
const EMOJI = /\p{RGI_Emoji}|\p{Emoji}(?:\uFE0E|\uFE0F)\u20E3?/gv
/** Joiners shape words in these scripts. */
const JOINED_SCRIPT =
  /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Nkoo}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]$/u

/** Whether there is anything to look for: most texts need no second look. */
const UNUSUAL = /[^\t\n\r\x20-\x7e]/

/** Characters that a reader cannot see but a model reads. Hidden text in tag characters is spelled out. */
export function findHiddenCharacters(text: string): Finding[] {
  if (!UNUSUAL.test(text)) return []
  const withoutEmoji = text.replace(EMOJI, (emoji) => ' '.repeat(emoji.length))
  const findings: Finding[] = []
  let offset = 0
  let tagsFrom = -1
  for (const character of withoutEmoji) {
    const codePoint = character.codePointAt(0)!
    const kind = HIDDEN_RANGES.find(([first, last]) => codePoint >= first && codePoint <= last)?.[2]
    const start = offset
    offset += character.length
    const isContinuedTag = kind === 'tag' && tagsFrom !== -1
    tagsFrom = kind === 'tag' ? (isContinuedTag ? tagsFrom : start) : -1
    if (kind === undefined || isContinuedTag || (kind === 'byte order mark' && start === 0)) continue
    const isJoiner = codePoint === 0x200c || codePoint === 0x200d
    if (isJoiner && JOINED_SCRIPT.test(withoutEmoji.slice(Math.max(0, start - 2), start))) continue
    const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
    const hiddenText =
      kind === 'tag'
        ? `, which hides the text ${JSON.stringify(decodeTags(withoutEmoji.slice(start, start + 2 * MOST_DECODED)))}`
        : ''
    findings.push({
      code: 'hidden_characters',
      message: `holds the invisible character ${name} (${kind})${hiddenText}`,
      offset: start,
    })
  }
  return findings
}

/** Longest hidden text that is spelled out, in characters. */
const MOST_DECODED = 200

/** Tag characters are ASCII, moved: U+E0041 is a hidden "A". */
function decodeTags(text: string): string {
  let decoded = ''
  for (const character of text) {
    const code = character.codePointAt(0)! - 0xe0000
    if (code < 0 || code > 0x7f) break
    if (code >= 0x20 && code < 0x7f) decoded += String.fromCharCode(code)
  }
  return decoded
}
