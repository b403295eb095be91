// `npm run renew:secrets -- [gitleaks.toml]`: writes the formats of other services' keys, taken from gitleaks, to src/domain/content/secret-rules.ts.
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import * as z from 'zod'
import { replaceFile } from '../../src/content/write-files.ts'
import { runCommand } from '../run-command.ts'

/** The release that the rules come from. To renew them, set the newest release and run the command. */
const RELEASE = 'v8.30.1'
const SOURCE = `https://raw.githubusercontent.com/gitleaks/gitleaks/${RELEASE}/config/gitleaks.toml`
const TARGET = 'src/domain/content/secret-rules.ts'
const MAX_WAIT_MS = 30_000

/** Rules that look for a vendor's name next to any text begin with this. They find too much in prompts about that vendor. */
const NAMED_ONLY = /^(?:\(\?i\))?\[\\w\.-\]\{0,50\}\?/

/** Rules that are left out, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'airtable-personnal-access-token': 'the format is not marked enough: pat and a dot',
  'curl-auth-header': 'not a format, and spans lines',
  'curl-auth-user': 'not a format, and spans lines',
  'facebook-access-token': 'the format is not marked: digits and a bar',
  'freemius-secret-key': 'an assignment in PHP',
  'github-app-token': 'the checksum tells for certain (secrets.ts)',
  'github-oauth': 'the checksum tells for certain (secrets.ts)',
  'github-pat': 'the checksum tells for certain (secrets.ts)',
  'github-refresh-token': 'the checksum tells for certain (secrets.ts)',
  'jwt-base64': 'a JSON Web Token inside another encoding',
  'kubernetes-secret-yaml': 'not a format, and spans lines',
  'nuget-config-password': 'not a format',
  'private-key': 'found by its first line (secrets.ts)',
  'sidekiq-sensitive-url': 'a password in a URL (secrets.ts)',
  'sourcegraph-access-token': 'also any 40 hexadecimal digits, such as a commit',
  'vault-service-token': 'also any word after "s."; the current format is in secrets.ts',
}

const Config = z.object({
  rules: z.array(
    z.object({
      id: z.string(),
      regex: z.string().optional(),
      entropy: z.number().optional(),
      keywords: z.array(z.string()).default([]),
    }),
  ),
})

const USAGE = 'Usage: npm run renew:secrets -- [gitleaks.toml]'

await runCommand({ usage: USAGE, allowPositionals: true }, async ({ positionals: [file, ...more] }) => {
  if (more.length > 0) throw new Error('expected at most one file')
  const toml = file === undefined ? await download(SOURCE) : readFileSync(file, 'utf8')
  const lines = Config.parse(parse(toml)).rules.flatMap(({ id, regex, entropy = 0, keywords }) => {
    if (regex === undefined || NAMED_ONLY.test(regex) || Object.hasOwn(LEFT_OUT, id)) return []
    const { source, flags } = toJavaScript(regex)
    return `  { id: ${quote(id)}, pattern: /${source}/${flags}, keywords: [${keywords.map(quote).join(', ')}], entropy: ${entropy} },`
  })
  replaceFile(
    TARGET,
    `// The formats of other services' keys, from gitleaks ${RELEASE} (MIT License, Copyright (c) 2019 Zachary Rice). Written by \`npm run renew:secrets\`; do not edit.

/** The format of a key. */
export interface SecretRule {
  /** The name of the format. */
  id: string
  pattern: RegExp
  /** A text with a key contains one of these, in any case. */
  keywords: readonly string[]
  /** The least entropy of a key, in bits per character, which tells keys from placeholders such as \`xxxx\`. */
  entropy: number
}

// biome-ignore-start lint: the patterns are kept as they were written for another engine.
// biome-ignore format: a table with one rule on each line.
export const SECRET_RULES: readonly SecretRule[] = [
${lines.join('\n')}
]
// biome-ignore-end lint: as above.
`,
  )
  console.log(`${TARGET}: ${lines.length} rules.`)
})

async function download(address: string): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.timeout(MAX_WAIT_MS) })
  if (!response.ok) throw new Error(`${address} returned ${response.status}.`)
  return response.text()
}

/**
 * Converts a regular expression of Go. Where Go ignores case in a part, JavaScript ignores it in the whole pattern.
 * Other programs end a key only at a quote, a space or a line end; a prompt may end it with any punctuation.
 */
function toJavaScript(regex: string): { source: string; flags: string } {
  const source = regex
    .replaceAll(String.raw`(?:[\x60'"\s;]|\\[nr]|$|\b)`, String.raw`(?![\w-])`)
    .replaceAll(String.raw`(?:[\x60'"\s;]|\\[nr]|$)`, String.raw`(?![\w-])`)
    .replaceAll(String.raw`(?:^|[\\'"\x60\s>=:(,)])`, String.raw`(?<![\w~.-])`)
    .replaceAll(String.raw`(?:$|[\\'"\x60\s<),])`, String.raw`(?![\w~-])`)
    .replaceAll(/\(\?:\[\^([^\]]*)\]\|\\z\)/g, '(?![$1])')
    .replaceAll('[[:alnum:]]', '[A-Za-z0-9]')
    .replaceAll(/\(\?i\)/g, '')
    .replaceAll(/\(\?-?i:/g, '(?:')
    .replaceAll(/(?<!\\)\//g, String.raw`\/`)
  return { source, flags: /\(\?i[:)]/.test(regex) ? 'gi' : 'g' }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`\'`)}'`
}
