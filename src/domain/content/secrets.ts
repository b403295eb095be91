// Detects secrets in a text: definite secrets, which block a publish, and possible secrets, which cause a warning.
import { checksumOf, findToken } from '../access/token-form.ts'
import type { Finding } from './finding.ts'

/** Well-known secret formats; each pattern is bounded and linear. */
const SECRETS: readonly { kind: string; pattern: RegExp; isPossible?: (match: string) => boolean }[] = [
  { kind: 'a GitHub token', pattern: /\bgh[pousr]_[0-9A-Za-z]{36}\b/g, isPossible: hasChecksum },
  { kind: 'a GitHub token', pattern: /\bgithub_pat_[0-9A-Za-z_]{82}\b/g },
  { kind: 'an npm token', pattern: /\bnpm_[0-9A-Za-z]{36}\b/g },
  { kind: 'an AWS access key', pattern: /\bAKIA[0-9A-Z]{16}\b/g },
  { kind: 'a private key', pattern: /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY-----/g },
]

/** The prefixes of these secrets; most texts contain none and need no second pass. */
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

/** Tokens of GitHub and npm, which end with a checksum. */
const CHECKED_TOKEN = /\b(?:gh[pousr]|npm)_[0-9A-Za-z]{36}\b/g

/** Two consecutive hyphens between the first and last line end the match, so the search never continues past another start and takes linear time. */
const WHOLE_KEY =
  /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY-----((?:[^-]|-(?!-))*)-----END (?:[A-Z]{2,10} )?PRIVATE KEY-----/g

/**
 * Checks whether a text may be published. Rejects tokens for this hub, GitHub or npm tokens with a valid checksum, and complete private keys. Anything less certain causes only a warning, because prompts may mention secrets legitimately. docs/contract.md section 7
 *
 * @returns the reason, and the offset of the secret in UTF-16 code units; undefined if there is no secret
 */
export function findCertainSecret(text: string): { message: string; offset: number } | undefined {
  const hubToken = findToken(text)
  if (hubToken !== undefined)
    return { message: 'expected no token for this hub; revoke that token now', offset: hubToken }
  const token = text.matchAll(CHECKED_TOKEN).find(([match]) => hasChecksum(match))
  if (token) return { message: 'expected no token with a valid checksum; revoke that token now', offset: token.index }
  const key = text.matchAll(WHOLE_KEY).find(([, body = '']) => isKeyBody(body))
  return key && { message: 'expected no private key; replace that key now', offset: key.index }
}

/** Checks that the last six characters are the CRC-32 of the thirty before them. @see https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/ */
function hasChecksum(token: string): boolean {
  const secret = token.slice(token.indexOf('_') + 1)
  return checksumOf(secret.slice(0, 30)) === secret.slice(30)
}

/** Returns whether a text is the body of a key: several dozen base64 characters, unlike `…`, `<your key>` and `[REDACTED]`. Line breaks may be written `\n`, as in JSON. */
function isKeyBody(body: string): boolean {
  const letters = body
    .replace(/\\[nr]/g, '')
    .replace(/^[A-Za-z-]+: .*$/gm, '')
    .replace(/\s+/g, '')
  return letters.length >= 60 && /^[A-Za-z0-9+/=]+$/.test(letters)
}
