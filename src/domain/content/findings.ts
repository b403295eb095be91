// Owns what a careful reader would want to be warned of in a prompt: secrets of others, and characters that do not show.
import { checksumOf } from '../access/token-form.ts'

/** Something worth a second look; content is never refused or changed for it. */
export interface Finding {
  message: string
  /** Where it begins, in UTF-16 units from the start of the text. */
  offset: number
}

/** Well-known forms of secrets; each pattern is bounded and linear. */
const SECRETS: readonly { kind: string; pattern: RegExp; isReal?: (match: string) => boolean }[] = [
  { kind: 'a GitHub token', pattern: /\bgh[pousr]_[0-9A-Za-z]{36}\b/g, isReal: hasGithubChecksum },
  { kind: 'a GitHub token', pattern: /\bgithub_pat_[0-9A-Za-z_]{82}\b/g },
  { kind: 'an npm token', pattern: /\bnpm_[0-9A-Za-z]{36}\b/g },
  { kind: 'an AWS access key', pattern: /\bAKIA[0-9A-Z]{16}\b/g },
  { kind: 'a private key', pattern: /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY-----/g },
]

/** Secrets of other services; the secret itself is never repeated. */
export function findSecrets(text: string): Finding[] {
  return SECRETS.flatMap(({ kind, pattern, isReal }) =>
    [...text.matchAll(pattern)]
      .filter(([match]) => isReal?.(match) ?? true)
      .map(({ index }) => ({ message: `looks like ${kind}; if it is one, revoke it`, offset: index })),
  )
}

/** GitHub's last six characters are the CRC-32 of the thirty before them. @see https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/ */
function hasGithubChecksum(token: string): boolean {
  const secret = token.slice(token.indexOf('_') + 1)
  return checksumOf(secret.slice(0, 30)) === secret.slice(30)
}

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

/** Characters that a reader cannot see but a model reads. Hidden text in tag characters is spelled out. */
export function findHiddenCharacters(text: string): Finding[] {
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
      kind === 'tag' ? `, which hides the text ${JSON.stringify(decodeTags(withoutEmoji.slice(start)))}` : ''
    findings.push({ message: `holds the invisible character ${name} (${kind})${hiddenText}`, offset: start })
  }
  return findings
}

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
