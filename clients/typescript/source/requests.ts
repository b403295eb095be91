// Sends HTTP requests to the hub: timeouts, retries, and the meaning of each kind of response.
import { USER_AGENT } from './address.ts'
import { hasAsked, noteAsked, originOf } from './read-token.ts'
import { isObject } from './records.ts'
import { fetchAndFollow, isBrowser } from './redirects.ts'
import { isNotFound, PromptHubError } from './trouble.ts'

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
  /** Called when an attempt ended without a response, before the next one. */
  onTimeout?: (error: PromptHubError) => void
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
  /** Undefined for a request that changes nothing, such as a check; the token for reads is then sent if the hub asks for it. */
  token: string | undefined
  body: string | Uint8Array<ArrayBuffer> | undefined
  /** The media type of the body; default: JSON. */
  type?: string
  /** Makes the hub answer a repeated publish as it answered the first. */
  key?: string
}

/** The hub's response: a new text, or the information that the cached one is unchanged. */
export type Reply = { kind: 'new'; text: string; etag: string | undefined; headers: Headers } | { kind: 'unchanged' }

/** Maximum response size: a record with its escaped content is at most about twice as large as the content's 256 KiB. */
const MAX_BYTES = 4_194_304
const TOO_LONG =
  ' What is in front of the hub takes no request of this size: publish with a pull request, or raise the limit there.'
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 4_000

/** A hub closes connections to a client that has too many of them. */
const AT_ONCE = 8
/** A shorter wait would ask a hub over and over. */
const SHORTEST_TOLD_MS = 1_000

/** Applies a function that sends requests to each item of a list, to eight at once. @returns its results, in the same order */
export async function mapRequests<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map((item, index) => work(item, at + index)))))
  return results
}

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
  const reply = await retry(url, { etag, write }, settings)
  if (reply.kind === 'unchanged') return reply
  try {
    return { kind: 'new', text: decode(reply.bytes), etag: reply.etag, headers: reply.headers }
  } catch (cause) {
    throw new PromptHubError('unavailable', `${url} did not return text in UTF-8.`, { cause })
  }
}

/** Reads a file from the first of some URLs that has it. @throws PromptHubError like `ask`; `not_found` if none has it */
export async function askBytes(
  [url, ...others]: readonly [string, ...string[]],
  settings: RequestSettings,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const reply = await retry(url, {}, settings)
    if (reply.kind === 'new') return reply.bytes
  } catch (error) {
    const [next, ...rest] = others
    if (next === undefined || !isNotFound(error)) throw error
    return askBytes([next, ...rest], settings)
  }
  throw new PromptHubError('unavailable', `${url} did not return a file.`)
}

/** What to ask for. */
interface Question {
  etag?: string | undefined
  write?: Write | undefined
}
type Answered =
  | { kind: 'new'; bytes: Uint8Array<ArrayBuffer>; etag: string | undefined; headers: Headers }
  | { kind: 'unchanged' }
type Trouble = { kind: 'trouble'; error: PromptHubError; waitMs: number | undefined; isTimeout: boolean }

async function retry(url: string, question: Question, settings: RequestSettings): Promise<Answered> {
  // The clock is monotonic, so setting the system's time does not move the deadline.
  const endsAt = performance.now() + settings.deadlineMs
  for (let tries = 0; ; ) {
    const outcome = await tryOnce(url, question, settings, endsAt)
    if (outcome.kind !== 'trouble') return outcome
    if (outcome.isTimeout) settings.onTimeout?.(outcome.error)
    // The pause is random, so that programs affected by the same outage do not all retry at the same moment. https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    const pauseMs = outcome.waitMs ?? Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)
    // A hub that says when the next request may come is not down: waiting for that is no retry.
    const isTold = outcome.error.status === 429 && pauseMs >= SHORTEST_TOLD_MS
    if ((tries >= settings.retries && !isTold) || performance.now() + pauseMs >= endsAt) throw outcome.error
    if (!isTold) tries++
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

async function tryOnce(
  url: string,
  question: Question,
  { fetch, timeoutMs, readToken }: RequestSettings,
  endsAt: number,
): Promise<Answered | Trouble> {
  const signal = AbortSignal.timeout(Math.max(1, Math.floor(Math.min(timeoutMs, endsAt - performance.now()))))
  try {
    const { write } = question
    const optionsFor = (token?: string) => ({ ...optionsOf(question, token), signal })
    const response = write
      ? await writeAs(url, optionsFor, { fetch, readToken: write.token === undefined ? readToken : undefined })
      : await readAs(url, optionsFor, { fetch, readToken })
    if (write && (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)))
      throw new PromptHubError('unavailable', `${url} redirects; redirects are not followed with a token.`, {
        status: response.status,
      })
    if (response.status === 304) return { kind: 'unchanged' }
    const bytes = await readBounded(response, url)
    const { headers } = response
    if (response.ok) return { kind: 'new', bytes, etag: headers.get('ETag') ?? undefined, headers }
    return troubleOf(response, decode(bytes), url)
  } catch (error) {
    if (error instanceof PromptHubError) throw error
    const message = `${url} did not respond: ${causeOf(error)}`
    const unavailable = new PromptHubError('unavailable', message, { cause: error })
    return { kind: 'trouble', error: unavailable, waitMs: undefined, isTimeout: signal.aborted }
  }
}

/** Sends a change with its own token, and one that has none again if the hub asks for the token for reads. */
async function writeAs(
  url: string,
  optionsFor: (token?: string) => ReturnType<typeof optionsOf>,
  { fetch, readToken }: Pick<RequestSettings, 'fetch' | 'readToken'>,
): Promise<Response> {
  const response = await fetch(url, optionsFor())
  if (response.status !== 401 || readToken === undefined) return response
  await response.body?.cancel()
  return fetch(url, optionsFor(readToken))
}

/** Reads a URL: without a token until its hub asks for one, then with it. A redirect's other host never asks. */
async function readAs(
  url: string,
  optionsFor: (token?: string) => ReturnType<typeof optionsOf>,
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

function optionsOf({ etag, write }: Question, readToken: string | undefined) {
  const token = write?.token ?? readToken
  const headers: Record<string, string> = {
    Accept: 'application/json, text/plain, */*;q=0.1',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(write?.body !== undefined && { 'Content-Type': write.type ?? 'application/json' }),
    ...(write?.key !== undefined && { 'Idempotency-Key': write.key }),
  }
  // Browsers send their own User-Agent and handle ETags themselves. Setting either header would cause a preflight request, which a static mirror does not answer.
  const isRevalidated = isBrowser() && etag !== undefined
  if (!isBrowser()) headers['User-Agent'] = USER_AGENT
  if (!isBrowser() && etag !== undefined) headers['If-None-Match'] = etag
  if (!write) return { headers, ...(isRevalidated && { cache: 'no-cache' as const }) }
  const { method, body } = write
  return { method, redirect: 'manual' as const, headers, ...(body !== undefined && { body }) }
}

/** Decodes a text. Invalid UTF-8 is an error, because it would otherwise be replaced silently. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

/** Reads a body, up to the limit. */
async function readBounded(response: Response, url: string): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.length
    if (size > MAX_BYTES) {
      await reader.cancel()
      throw new PromptHubError(
        'unavailable',
        `${url} returned more than ${MAX_BYTES} bytes, which is too large for a prompt.`,
      )
    }
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

function troubleOf(response: Response, text: string, url: string): Trouble {
  const { status } = response
  const said = messageOf(text) ?? `${url} returned status ${status}.${status === 413 ? TOO_LONG : ''}`
  if (status === 404) throw new PromptHubError('not_found', said, { status })
  if (status < 500 && status !== 429) throw new PromptHubError('refused', said, { status })
  return {
    kind: 'trouble',
    error: new PromptHubError('unavailable', said, { status }),
    waitMs: readRetryAfter(response),
    isTimeout: false,
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
