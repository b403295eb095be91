// Detects secrets in a text: certain ones, which block a publish, and possible ones, which cause a warning.
import { checksumOf, holdsToken } from '../access/token-form.ts'
import type { Finding } from './finding.ts'

/** Well-known secret formats; each pattern is bounded and linear. */
const SECRETS: readonly { kind: string; pattern: RegExp; isPossible?: (match: string) => boolean }[] = [
  { kind: 'a GitHub token', pattern: /\bgh[pousr]_[0-9A-Za-z]{36}\b/g, isPossible: hasChecksum },
  { kind: 'a GitHub token', pattern: /\bgithub_pat_[0-9A-Za-z_]{82}\b/g },
  { kind: 'an npm token', pattern: /\bnpm_[0-9A-Za-z]{36}\b/g },
  { kind: 'an AWS access key', pattern: /\bAKIA[0-9A-Z]{16}\b/g },
  { kind: 'a private key', pattern: /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY-----/g },
]

/** The prefixes of these secrets: most texts need no second pass. */
const BEGINNING = /gh[pousr]_|github_pat_|npm_|AKIA|-----BEGIN /

/** Finds secrets of other services. The message never repeats the secret. */
export function findSecrets(text: string): Finding[] {
  if (!BEGINNING.test(text)) return []
  return SECRETS.flatMap(({ kind, pattern, isPossible }) =>
    [...text.matchAll(pattern)]
      .filter(([match]) => isPossible?.(match) ?? true)
      .map(({ index }) => ({ code: 'secret', message: `looks like ${kind}; if it is one, revoke it`, offset: index })),
  )
}

/**
 * Returns why a text may not be published, or undefined. Rejects tokens for this hub, GitHub or npm tokens with a valid checksum, and complete private keys. Anything less certain causes only a warning, because prompts mention secrets too. docs/contract.md section 7
 */
export function findCertainSecret(text: string): string | undefined {
  if (holdsToken(text)) return 'expected no token for this hub; revoke that token now'
  if ((text.match(CHECKED_TOKEN) ?? []).some(hasChecksum))
    return 'expected no token with a valid checksum; revoke that token now'
  return [...text.matchAll(WHOLE_KEY)].some(([, body = '']) => isKeyBody(body))
    ? 'expected no private key; replace that key now'
    : undefined
}

/** Returns whether a token ends with the checksum that GitHub and npm use. */
const CHECKED_TOKEN = /\b(?:gh[pousr]|npm)_[0-9A-Za-z]{36}\b/g

/** Checks that the last six characters are the CRC-32 of the thirty before them. @see https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/ */
function hasChecksum(token: string): boolean {
  const secret = token.slice(token.indexOf('_') + 1)
  return checksumOf(secret.slice(0, 30)) === secret.slice(30)
}

/** Two consecutive hyphens between the first and last line end the match, so the search never continues past another start and takes linear time. */
const WHOLE_KEY =
  /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY-----((?:[^-]|-(?!-))*)-----END (?:[A-Z]{2,10} )?PRIVATE KEY-----/g

/** Returns whether a text is the body of a key: several dozen base64 characters, unlike `…`, `<your key>` and `[REDACTED]`. Line breaks may be written `\n`, as in JSON. */
function isKeyBody(body: string): boolean {
  const letters = body
    .replace(/\\[nr]/g, '')
    .replace(/^[A-Za-z-]+: .*$/gm, '')
    .replace(/\s+/g, '')
  return letters.length >= 60 && /^[A-Za-z0-9+/=]+$/.test(letters)
}

/** Returns the start of the line with the first certain secret in a text, in UTF-16 code units, or undefined. */
export function findSecretOffset(text: string): number | undefined {
  if (findCertainSecret(text) === undefined) return undefined
  const lines = text.split('\n')
  const holds = (from: number, to: number) => findCertainSecret(lines.slice(from, to).join('\n')) !== undefined
  const end = leastOf(lines.length, (count) => holds(0, count))
  // The last line from which the secret is still complete.
  const start = end - leastOf(end, (count) => holds(end - count, end))
  return lines.slice(0, start).reduce((sum, { length }) => sum + length + 1, 0)
}

/** Returns the smallest number up to `most` that satisfies a monotonic condition. */
function leastOf(most: number, holds: (count: number) => boolean): number {
  let [low, high] = [1, most]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
