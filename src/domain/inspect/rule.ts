// What a rule is, and the parts that patterns share. The patterns take linear time: what repeats is bounded.
import type { CapabilityKind, CapabilitySeverity } from './kinds.ts'

/** Finds one kind of capability. */
export interface Rule {
  kind: CapabilityKind
  severity: CapabilitySeverity
  /** Every match has one of these words, in lower case, in the line in which it begins. */
  words: string
  pattern: RegExp
  /** Every match has one of these in it or right around it; what is quick to search. */
  needs?: readonly string[]
  /** Where it counts: in programs and code blocks, or in sentences. Everywhere by default. */
  where?: 'code' | 'prose'
  /** A match with this is what many good skills have, and counts as `notice`. */
  usual?: RegExp
  /** A match with this does not count. */
  except?: RegExp
  /** Which group of the pattern is shown; by default, the whole match. */
  shown?: number
  /** Why it matters. */
  why: string
}

/** Joins the parts of a pattern. */
export const pattern = (...parts: readonly string[]): RegExp => new RegExp(parts.join(''), 'gi')

const raw = String.raw

/** An address of the web. It is read in one step: of an address, every shorter one would be tried as well. */
export const URL = raw`(?:https?|ftp|wss?):\/\/(?=(?<address>[^\s"'<>|)\]\x60]{3,300}))\k<address>`
/** What fetches an address. */
export const FETCH = raw`\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?\b`
/** What runs what it is given. */
export const RUNNER = raw`(?:(?:sudo|env|command|exec|nohup)\s+(?:-\w+\s+)*)?(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da|k|fi)?sh|python[23]?|node|perl|ruby|php|deno|bun|osascript|iex|invoke-expression|pwsh|powershell)\b`
/** Where keys, passwords and sessions are. */
export const STORE = [
  raw`(?:~|\$\{?HOME\}?|\/root|\/home\/[\w.-]{1,40}|%USERPROFILE%|\$env:USERPROFILE)?[\/\\]?`,
  raw`(?:\.ssh(?:[\/\\](?:id_\w+|\*|config|known_hosts))?(?![\w-])|\.aws[\/\\]?(?:credentials|config)?(?![\w-])|\.gnupg(?![\w-])|\.netrc\b|\.git-credentials\b|\.pypirc\b`,
  raw`|\.docker[\/\\]config\.json|\.kube[\/\\]config|\.config[\/\\](?:gcloud|gh[\/\\]hosts|solana)|\.azure[\/\\]\w+`,
  raw`|\.(?:openclaw|clawdbot|moltbot|claude|codex)[\/\\](?:\.env|credentials|\.credentials|auth|openclaw)[\w.]*|\.electrum\b|\.bitcoin\b`,
  raw`|wallet\.dat\b|login data\b|login\.keychain(?:-db)?\b|keychains?[\/\\]|cookies\.sqlite|logins\.json|key4\.db|local extension settings|etc[\/\\](?:shadow|passwd)\b|\bid_(?:rsa|ed25519|ecdsa)\b)`,
].join('')
