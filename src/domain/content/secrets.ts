// Detects secrets in a text: definite secrets, which block a publish, and possible secrets, which cause a warning.
import { checksumOf, findToken } from '../access/token.ts'
import type { Finding } from './finding.ts'
import { SECRET_RULES, type SecretRule } from './secret-rules.ts'

/** The first line of a private key; PGP calls it a block. */
const KEY_BEGINNING = /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----/g

/** A rule that may look at more than the pattern. Without keywords, it looks at every text. */
type Rule = SecretRule & { isPossible?: (match: string) => boolean }

/**
 * Formats that `secret-rules.ts` lacks, or describes too narrowly. A prefix that any vendor's key may have needs no more than a long rest.
 */
const OWN_RULES: readonly Rule[] = [
  {
    id: 'github-token',
    pattern: /\bgh[pousr]_[0-9A-Za-z]{36}\b/g,
    keywords: ['gh'],
    entropy: 0,
    isPossible: hasChecksum,
  },
  { id: 'private-key', pattern: KEY_BEGINNING, keywords: ['-----begin '], entropy: 0 },
  // User names and passwords are short, and a placeholder in braces or with a dollar sign is no password.
  {
    id: 'password-in-url',
    pattern: /:\/\/[^\s:@/"'<>{}$]{1,100}:(?!x+@|\*+@|\.+@)[^\s:@/"'<>{}$]{3,100}@[a-z0-9[]/gi,
    keywords: ['://'],
    entropy: 0,
  },
  { id: 'anthropic-key', pattern: /\bsk-ant-[a-z0-9]{2,12}-[\w-]{60,200}/g, keywords: ['sk-ant-'], entropy: 3 },
  { id: 'azure-storage-key', pattern: /AccountKey=[A-Za-z0-9+/]{86}==/g, keywords: ['accountkey='], entropy: 3 },
  {
    id: 'discord-bot-token',
    pattern: /\b[MNO][A-Za-z0-9_-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g,
    keywords: [],
    entropy: 4,
  },
  { id: 'docker-token', pattern: /\bdckr_(?:pat|oat)_[\w-]{27,40}/g, keywords: ['dckr_'], entropy: 3 },
  { id: 'figma-token', pattern: /\bfig[dour]_[\w-]{40,200}/g, keywords: ['fig'], entropy: 3 },
  { id: 'google-oauth-secret', pattern: /\bGOCSPX-[\w-]{28}/g, keywords: ['gocspx-'], entropy: 3 },
  { id: 'groq-key', pattern: /\bgsk_[A-Za-z0-9]{52}(?![A-Za-z0-9])/g, keywords: ['gsk_'], entropy: 3 },
  { id: 'hashicorp-vault-token', pattern: /\bhv[sbr]\.[\w-]{90,300}/g, keywords: ['hv'], entropy: 3 },
  { id: 'huggingface-token', pattern: /\bhf_[A-Za-z0-9]{34}(?![A-Za-z0-9])/g, keywords: ['hf_'], entropy: 2 },
  { id: 'mailgun-key', pattern: /\bkey-[0-9a-f]{32}(?![\w-])/g, keywords: ['key-'], entropy: 3 },
  { id: 'openai-key', pattern: /\bsk-(?:proj|svcacct|admin)-[\w-]{40,200}/g, keywords: ['sk-'], entropy: 3 },
  { id: 'replicate-token', pattern: /\br8_[A-Za-z0-9]{37}(?![A-Za-z0-9])/g, keywords: ['r8_'], entropy: 3 },
  {
    id: 'tailscale-key',
    pattern: /\btskey-[a-z]{2,20}-[0-9A-Za-z]{8,40}-[0-9A-Za-z]{16,60}/g,
    keywords: ['tskey-'],
    entropy: 3,
  },
  { id: 'telegram-bot-token', pattern: /\b[0-9]{8,10}:AA[\w-]{33}(?![\w-])/g, keywords: [':aa'], entropy: 3 },
  { id: 'xai-key', pattern: /\bxai-[A-Za-z0-9]{80}(?![A-Za-z0-9])/g, keywords: ['xai-'], entropy: 3 },
]

const RULES: readonly Rule[] = [...OWN_RULES, ...SECRET_RULES]

/** All keywords, a longer one before those that it begins with. One search for all of them takes a thirteenth of the time of one for each. */
const KEYWORDS = [...new Set(RULES.flatMap(({ keywords }) => keywords))].sort().reverse()

/** Finds keywords. A match has no length, so that keywords that overlap are found, too. */
const KEYWORD = new RegExp(`(?=(${KEYWORDS.map(RegExp.escape).join('|')}))`, 'g')

/** For each keyword, the rules that may find something in a text with it. */
const RULES_OF = new Map(
  KEYWORDS.map((found) => [found, RULES.filter(({ keywords }) => keywords.some((one) => found.startsWith(one)))]),
)

/** The rules that look at every text. */
const WITHOUT_KEYWORD = RULES.filter(({ keywords }) => keywords.length === 0)

/** Lists the rules that may find something in a text, in their order. */
function listPossible(text: string): readonly Rule[] {
  const words = new Set(
    text
      .toLowerCase()
      .matchAll(KEYWORD)
      .map(([, word = '']) => word),
  )
  if (words.size === 0) return WITHOUT_KEYWORD
  const possible = new Set([...WITHOUT_KEYWORD, ...[...words].flatMap((word) => RULES_OF.get(word) ?? [])])
  return RULES.filter((rule) => possible.has(rule))
}

/** Finds secrets of other services, by offset. The message never repeats the secret. */
export function findSecrets(text: string): Finding[] {
  const found: { id: string; from: number; to: number }[] = []
  for (const { id, pattern, entropy, isPossible } of listPossible(text)) {
    for (const { 0: match, index } of text.matchAll(pattern))
      if (entropyOf(match) >= entropy && (isPossible?.(match) ?? true))
        found.push({ id, from: index, to: index + match.length })
  }
  found.sort((a, b) => a.from - b.from)
  const findings: Finding[] = []
  let end = 0
  for (const { id, from, to } of found) {
    // Several rules may describe one key.
    if (from >= end) {
      const message = `looks like a secret (${id}); if it is one, revoke it`
      findings.push({ code: 'secret', message, offset: from })
    }
    end = Math.max(end, to)
  }
  return findings
}

/** Returns the Shannon entropy of a text, in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Tokens of GitHub and npm, which end with a checksum. */
const CHECKED_TOKEN = /\b(?:gh[pousr]|npm)_[0-9A-Za-z]{36}\b/g

/** Two consecutive hyphens between the first and last line end the match, so the search never continues past another start and takes linear time. */
const WHOLE_KEY =
  /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----((?:[^-]|-(?!-))*)-----END (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----/g

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
