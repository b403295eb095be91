// Sends HTTP requests to the hub: timeouts, retries, and the meaning of each kind of response.
import { USER_AGENT } from './address.ts'
import { hasAsked, noteAsked, originOf } from './read-token.ts'
import { isObject } from './records.ts'
import { fetchAndFollow, isBrowser } from './redirects.ts'
import { PromptHubError } from './trouble.ts'

/** Options of requests. */
export interface RequestOptions {
  /** Timeout of one attempt; default 5,000 ms. */
  timeoutMs?: number
  /** Number of retries; default 2. */
  retries?: number
  /** Time limit of all attempts, including the pauses between them; default 15,000 ms. */
  deadlineMs?: number
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch
}

/** Options of requests, with defaults for omitted ones. */
export interface RequestSettings extends Required<RequestOptions> {
  /** The token for reads, sent only once the hub has asked for one. */
  readToken: string | undefined
}

/** Adds the defaults to the options of requests. @param readToken from `readTokenFor` */
export function requestSettings(options: RequestOptions, readToken?: string): RequestSettings {
  return {
    readToken,
    timeoutMs: options.timeoutMs ?? 5_000,
    retries: options.retries ?? 2,
    deadlineMs: options.deadlineMs ?? 15_000,
    fetch: options.fetch ?? ((...given) => fetch(...given)),
  }
}

/** A change to send, with its sender's token. Repeating a change has no further effect, so it may be retried. */
export interface Write {
  method: string
  token: string
  body: string | undefined
}

/** The hub's response: a new text, or the information that the cached one is unchanged. */
export type Reply = { kind: 'new'; text: string; etag: string | undefined } | { kind: 'unchanged' }

/** Maximum response size: a record with its escaped content is at most about twice as large as the content's 256 KiB. */
const MAX_BYTES = 4_194_304
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 4_000

/**
 * Sends a request, with retries.
 *
 * @param write the change to send; without it, the request reads
 * @param etag of the cached response; the hub then sends a new one only if it has changed
 * @throws PromptHubError `not_found` or `refused` according to the hub's response, `unavailable` if all attempts failed
 */
export async function ask(
  url: string,
  etag: string | undefined,
  settings: RequestSettings,
  write?: Write,
): Promise<Reply> {
  // The clock is monotonic, so setting the system's time does not move the deadline.
  const endsAt = performance.now() + settings.deadlineMs
  for (let tries = 0; ; tries++) {
    const outcome = await tryOnce(url, etag, settings, endsAt, write)
    if (outcome.kind !== 'trouble') return outcome
    // The pause is random, so that programs affected by the same outage do not all retry at the same moment. https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    const pauseMs = outcome.waitMs ?? Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)
    if (tries >= settings.retries || performance.now() + pauseMs >= endsAt) throw outcome.error
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

type Outcome = Reply | { kind: 'trouble'; error: PromptHubError; waitMs: number | undefined }

async function tryOnce(
  url: string,
  etag: string | undefined,
  { fetch, timeoutMs, readToken }: RequestSettings,
  endsAt: number,
  write: Write | undefined,
): Promise<Outcome> {
  const signal = AbortSignal.timeout(Math.max(1, Math.floor(Math.min(timeoutMs, endsAt - performance.now()))))
  try {
    const response = write
      ? await fetch(url, { ...optionsOf(etag, write), signal })
      : await readAs(url, (token) => ({ ...optionsOf(etag, undefined, token), signal }), { fetch, readToken })
    if (write && (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)))
      throw new PromptHubError('unavailable', `${url} redirects; redirects are not followed with a token.`, {
        status: response.status,
      })
    if (response.status === 304) return { kind: 'unchanged' }
    const text = await readBounded(response, url)
    if (response.ok) return { kind: 'new', text, etag: response.headers.get('ETag') ?? undefined }
    return troubleOf(response, text, url)
  } catch (error) {
    if (error instanceof PromptHubError) throw error
    const message = `${url} did not respond: ${causeOf(error)}`
    return { kind: 'trouble', error: new PromptHubError('unavailable', message, { cause: error }), waitMs: undefined }
  }
}

/** Reads a URL: without a token until its hub asks for one, then with it. A redirect's other host never asks. */
async function readAs(
  url: string,
  optionsFor: (token: string | undefined) => RequestInit & { headers: Record<string, string> },
  { fetch, readToken }: Pick<RequestSettings, 'fetch' | 'readToken'>,
): Promise<Response> {
  const { origin } = new URL(url)
  const isKnown = readToken !== undefined && hasAsked(origin)
  const { response, from } = await fetchAndFollow(url, optionsFor(isKnown ? readToken : undefined), fetch)
  if (response.status !== 401 || readToken === undefined || isKnown || originOf(from) !== origin) return response
  await response.body?.cancel()
  noteAsked(origin)
  return (await fetchAndFollow(url, optionsFor(readToken), fetch)).response
}

/** Describes why a request failed. The message of `fetch` is only "fetch failed"; its cause says why. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // With several IP addresses, the cause has one error for each.
  const inner = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined)
  const own = error.message || ('code' in error ? String(error.code) : error.name)
  return inner === undefined ? own : own === 'fetch failed' || own === '' ? causeOf(inner) : `${own}: ${causeOf(inner)}`
}

function optionsOf(
  etag: string | undefined,
  write: Write | undefined,
  readToken?: string,
): RequestInit & { headers: Record<string, string> } {
  const accept = { Accept: write ? 'application/json' : 'application/json, text/plain' }
  // Browsers send their own User-Agent and handle ETags themselves. Setting either header would cause a preflight request, which a static mirror does not answer.
  const headers = isBrowser()
    ? accept
    : { ...accept, 'User-Agent': USER_AGENT, ...(etag === undefined ? {} : { 'If-None-Match': etag }) }
  const reading: Record<string, string> =
    readToken === undefined ? headers : { ...headers, Authorization: `Bearer ${readToken}` }
  if (!write) return { headers: reading, ...(isBrowser() && etag !== undefined ? { cache: 'no-cache' } : {}) }
  const { method, token, body } = write
  const authorized = { ...headers, Authorization: `Bearer ${token}` }
  if (body === undefined) return { method, redirect: 'manual', headers: authorized }
  return { method, redirect: 'manual', headers: { ...authorized, 'Content-Type': 'application/json' }, body }
}

/** Reads a body, up to the limit. Invalid UTF-8 is an error, because it would otherwise be replaced silently. */
async function readBounded(response: Response, url: string): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > MAX_BYTES) {
      await reader.cancel()
      throw new PromptHubError(
        'unavailable',
        `${url} returned more than ${MAX_BYTES} bytes, which is too large for a prompt.`,
      )
    }
    text += decoder.decode(value, { stream: true })
  }
}

function troubleOf(response: Response, text: string, url: string): Outcome {
  const { status } = response
  const said = messageOf(text) ?? `${url} returned status ${status}.`
  if (status === 404) throw new PromptHubError('not_found', said, { status })
  if (status < 500 && status !== 429) throw new PromptHubError('refused', said, { status })
  return {
    kind: 'trouble',
    error: new PromptHubError('unavailable', said, { status }),
    waitMs: readRetryAfter(response),
  }
}

/** The message of a hub's error. */
function messageOf(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    if (isObject(answer) && isObject(answer.error) && typeof answer.error.message === 'string')
      return answer.error.message
  } catch {
    // Not a hub's response, but perhaps a proxy's page; then only the status is known.
  }
  return undefined
}

/** Parses Retry-After into milliseconds; it is a number of seconds or a date. RFC 9110 section 10.2.3 */
function readRetryAfter(response: Response): number | undefined {
  const text = response.headers.get('Retry-After')
  if (text === null) return undefined
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
