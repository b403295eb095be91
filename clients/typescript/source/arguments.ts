// Parses the arguments of `PromptHub.get`: a name and an optional version, range or label.
import { FULL_NAME } from './lock.ts'
import { LATEST, readWish, type Wish } from './ranges.ts'
import { PromptHubError } from './trouble.ts'

/** How long one call may use a cached response, and how long it may wait. Default: the options of the hub. */
export interface CallOptions {
  /** How long a changing response is reused without a request, in milliseconds. */
  freshMs?: number
  /** How long after that it is used at once and revalidated in the background, in milliseconds; `Infinity` for always. */
  revalidateMs?: number
  /** How long the call waits, in milliseconds. Requests go on after it, so that the next call has their response. */
  deadlineMs?: number
  /** Keeps the runtime from ending a request in the background: `waitUntil: (promise) => ctx.waitUntil(promise)` in a Cloudflare Worker. */
  waitUntil?: (promise: Promise<unknown>) => void
}

/** The requested version (default: the latest), and how to get it. */
export interface GetOptions extends CallOptions {
  /** Exactly this version. */
  version?: string
  /** The highest active version in this range: `^1.2`, `~1.2.3`, `1.x`, `*`. */
  range?: string
  /** The version with this label. */
  label?: string
  /** Names the caller, such as the ID of a user or tenant: with a label that offers a second version, the same key always gets the same one. It is not sent. Without it, everybody gets the first. */
  key?: string
  /** The text to use when the hub cannot be reached and nothing is cached; never used for a prompt that does not exist. */
  fallback?: string
}

/** Parses the arguments of `get`. @throws PromptHubError `invalid_request` for invalid arguments */
export function parseArguments(
  name: string,
  { version, range, label, key }: GetOptions,
): { fullName: string; wish: Wish | undefined } {
  const at = name.indexOf('@')
  const fullName = at < 0 ? name : name.slice(0, at)
  if (!FULL_NAME.test(fullName)) throw invalid(`expected owner/name, got ${JSON.stringify(name.slice(0, 120))}`)
  if (key !== undefined && !(typeof key === 'string' && key.isWellFormed()))
    throw invalid(`key: expected a text, got ${typeof key === 'string' ? 'one with lone surrogates' : typeof key}`)
  const given = [at < 0 ? undefined : name.slice(at + 1), version, range, label].filter((text) => text !== undefined)
  if (given.length > 1) throw invalid(`${fullName}: give a version, a range or a label, not several`)
  if (given.length === 0 || given[0] === LATEST) return { fullName, wish: undefined }
  const wish = readWish(given[0]!)
  const kind =
    version !== undefined ? 'version' : range !== undefined ? 'range' : label !== undefined ? 'label' : undefined
  if (kind === 'range' && wish?.kind === 'version') return { fullName, wish: { kind: 'range', range: given[0]! } }
  if (!wish || (kind !== undefined && kind !== wish.kind))
    throw invalid(
      `${fullName}: expected a ${kind ?? 'version, range or label'}, got ${JSON.stringify(given[0]!.slice(0, 60))}${hintFor(given[0]!)}`,
    )
  return { fullName, wish }
}

/** What to write instead of a version as in a git tag. */
function hintFor(text: string): string {
  const bare = text.replace(/^([~^]?)[vV=]/, '$1')
  return bare !== text && readWish(bare) ? `; write ${bare}` : ''
}

function invalid(message: string): PromptHubError {
  return new PromptHubError('invalid_request', message)
}
