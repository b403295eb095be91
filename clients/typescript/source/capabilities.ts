// Asks a hub what a version can do that the locked one cannot, and stops at what a project denies. docs/lock-file.md.

import { isObject } from './records.ts'
import { ask, type RequestSettings } from './requests.ts'
import { isNotFound, PromptHubError } from './trouble.ts'

/** What can be denied: the kinds of capability, and `danger` for the unusual ones of every kind. */
export const DENIABLE: readonly string[] = [
  ...['network', 'shell', 'interpreter', 'install', 'download-and-run', 'encoded', 'outside-folder', 'secrets'],
  ...['fetches-instructions', 'hides', 'agent-settings', 'sends-data', 'prerequisite', 'permissions', 'danger'],
]

/** What an update or addition stops at. */
export interface DenyOptions {
  /** Beside those in the lock. */
  deny?: readonly string[] | undefined
  /** Goes on in spite of these. */
  allow?: readonly string[] | undefined
}

/** What a version can do that another cannot. */
interface Added {
  added: readonly { kind: string; severity: string; text: string }[]
  /** In words. */
  summary: string
}

/** The versions that a lock has of a prompt. */
interface Versions {
  version: string
  /** The second version of its label. */
  split?: { version: string }
}

/** What a version can do that the locked one cannot, in words. */
interface Gain {
  kind: 'capabilities'
  message: string
}

/** Maximum number of capabilities that a refusal names. */
const MAX_NAMED = 3

/**
 * Compares two versions, and refuses a denied capability that is new.
 *
 * @param from the locked version; without one, all that the version can do is new
 * @param denied the kinds in the lock
 * @returns what is new in words; empty if nothing is, or if the hub does not say and nothing is denied
 * @throws PromptHubError `integrity` for a denied capability, or if the hub does not say; the errors of the request
 */
async function reviewAdded(
  { url, requests }: { url: string; requests: RequestSettings },
  { name, version, from }: { name: string; version: string; from: string | undefined },
  denied: readonly string[],
  { deny = [], allow = [] }: DenyOptions,
): Promise<string> {
  const stops = [...new Set([...denied, ...deny])].filter((kind) => !allow.includes(kind))
  if (stops.length === 0 && from === undefined) return ''
  const address = `${url}/api/v1/repos/${name}/versions/${version}/capabilities`
  const found = await readAdded(from === undefined ? address : `${address}?from=${from}`, requests).catch((cause) => {
    if (!(cause instanceof PromptHubError)) throw cause
    if (stops.length > 0 && !isNotFound(cause)) throw cause
    return undefined
  })
  if (stops.length === 0) return found?.summary ?? ''
  const what = `${name} ${version}`
  if (!found)
    throw new PromptHubError(
      'integrity',
      `the hub does not say what ${what} can do, and ${stops.join(', ')} is denied; nothing was changed`,
    )
  const isDenied = ({ kind, severity }: Added['added'][number]) =>
    (stops.includes(kind) || (severity === 'danger' && stops.includes('danger'))) && !allow.includes(kind)
  const refused = found.added.filter(isDenied)
  if (refused.length > 0)
    throw new PromptHubError('integrity', `${sayDenied(what, from, refused)}; nothing was changed`)
  return found.summary
}

/**
 * Reviews each version that a lock gains: that of the prompt, and the second one of its label.
 *
 * @param locked what the lock has of the prompt
 * @param gained what it is about to have
 * @returns what is new in words, by version
 */
export async function reviewGained(
  hub: { url: string; requests: RequestSettings },
  name: string,
  { locked, gained }: { locked: Versions | undefined; gained: Versions },
  denied: readonly string[],
  denying: DenyOptions,
): Promise<Gain[]> {
  const from = locked?.version
  const second = gained.split?.version
  const versions = [
    ...(gained.version === from ? [] : [gained.version]),
    ...(second === undefined || second === from || second === locked?.split?.version ? [] : [second]),
  ]
  const gains: Gain[] = []
  for (const version of versions) {
    const said = await reviewAdded(hub, { name, version, from }, denied, denying)
    if (said !== '') gains.push({ kind: 'capabilities', message: `${name} ${version} ${said}` })
  }
  return gains
}

function sayDenied(what: string, from: string | undefined, refused: Added['added']): string {
  const named = refused.slice(0, MAX_NAMED).map(({ kind, text }) => `${kind} (${text})`)
  const more = refused.length > MAX_NAMED ? ` and ${refused.length - MAX_NAMED} more` : ''
  const kinds = [...new Set(refused.map(({ kind }) => kind))]
  const before = from === undefined ? 'can do what is denied' : `can do what ${from} cannot`
  return `${what} ${before}: ${named.join(', ')}${more}. If that is right, use --allow ${kinds.join(',')}`
}

async function readAdded(url: string, requests: RequestSettings): Promise<Added | undefined> {
  const reply = await ask(url, undefined, requests)
  if (reply.kind !== 'new') return undefined
  let value: unknown
  try {
    value = JSON.parse(reply.text)
  } catch {
    return undefined
  }
  const data = isObject(value) ? value.data : undefined
  // Without a version to compare with, the response is the list itself.
  const added = isObject(data) ? data.added : data
  if (!Array.isArray(added)) return undefined
  const rows = added.flatMap((row: unknown) => {
    const { kind, severity, text } = isObject(row) ? row : {}
    const isRow = typeof kind === 'string' && typeof severity === 'string' && typeof text === 'string'
    return isRow ? [{ kind, severity, text }] : []
  })
  if (rows.length !== added.length) return undefined
  return { added: rows, summary: isObject(data) && typeof data.summary === 'string' ? data.summary : '' }
}
