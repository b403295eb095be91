// Looks at requests before they are answered: finds their path and query, checks where they come from, counts those of each client, and reads the type and the bytes of their bodies.
//
// Unknown hosts are rejected, to prevent DNS rebinding, and pages of other sites cannot read a private hub.
import { parseAddress } from '../domain/access/ip-address.ts'
import { HubError } from '../domain/api/errors.ts'
import { isLoopback } from '../domain/api/loopback.ts'
import { printable } from '../domain/text/printable.ts'
import type { RateLimiter } from '../state/rate-limiter.ts'

/** Splits a URL, which is already normalised, because parsing it again would be slower. */
const ADDRESS = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]+)?/

/** Returns the path of a request's URL, undecoded. @param url of a Request */
export function pathOf(url: string): string {
  return ADDRESS.exec(url)?.[1] ?? ''
}

/** Returns the query of a request's URL, including the question mark; empty if there is none. @param url of a Request */
export function queryOf(url: string): string {
  return ADDRESS.exec(url)?.[2] ?? ''
}

/** Who sends a request, and how often a client may send one. */
interface Client {
  limiter: RateLimiter
  clientAddress: string
}

/** Counts a request of the client. @throws HubError `rate_limited` */
export async function countRequest({ limiter, clientAddress }: Client): Promise<void> {
  const waitSeconds = await limiter.take(clientAddress)
  // Imported on the first rejection, because successful reads do not need this code.
  if (waitSeconds > 0) throw (await import('./refusals.ts')).rateLimitError('requests', waitSeconds)
}

/** Returns whether a host name belongs to the hub; loopback names and IP addresses always do. */
type IsOwnHost = (hostname: string) => boolean

/** A hub's own URLs. */
export interface OwnAddresses {
  baseUrl: string
  isOwnHost: IsOwnHost
  /** Whether the base URL is on loopback or in a private network, so that only its own pages may read the hub. */
  isPrivate: boolean
  /** Whether it is so because only readers may read the hub, whatever its base URL. */
  isForReaders?: boolean
}

/**
 * Checks `Host`, `Origin` and `Sec-Fetch-Site`.
 *
 * @returns why the request is rejected; undefined if it is not
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
export function findForeignSource({ headers, url }: Request, own: OwnAddresses): string | undefined {
  const given = headers.get('Host') ?? new URL(url).host
  const { name, isLocal, isAddress } = readHost(given)
  // An attacker can point a name at the hub's IP address, but a page that uses the IP address itself was served by the hub.
  if (name === undefined || !(isLocal || isAddress || own.isOwnHost(name)))
    return `This hub does not accept the host ${printable(given)}. Use its own URL, or set SITE_URL to the URL that readers use.`
  const origin = headers.get('Origin')
  if (origin !== null && origin !== 'null' && !isOrigin(origin))
    return `Origin ${printable(origin)} is not the origin of a page. Omit the header.`
  // Pages from any origin may read a public hub, which anybody can read anyway.
  if (!own.isPrivate && !isLocal) return undefined
  const isForeign = origin === null ? isCrossSiteRead(headers) : !isOwnOrigin(origin, headers, given, own)
  if (!isForeign) return undefined
  const way = own.isForReaders ? '' : ' If they may, set SITE_URL to a public URL.'
  return `This hub is private, so pages of other sites may not use it.${way}`
}

/** The host that a `Host` header names; without a name if the header is malformed. */
interface GivenHost {
  name: string | undefined
  isLocal: boolean
  isAddress: boolean
}

/** The last `Host` headers. Parsing takes longer than the rest of the check, and most requests have the same header. */
const hosts = new Map<string, GivenHost>()
/** Maximum number of headers that are remembered, and the length of each. */
const [MAX_HOSTS, MAX_HOST_CHARACTERS] = [100, 300]

/** A host name or IP address, optionally with a port, in a form that URLs and all proxies parse the same way. */
const HOST = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** Reads a `Host` header. */
export function readHost(given: string): GivenHost {
  const known = hosts.get(given)
  if (known) return known
  const host = parseHost(given)
  if (hosts.size >= MAX_HOSTS) hosts.clear()
  if (given.length <= MAX_HOST_CHARACTERS) hosts.set(given, host)
  return host
}

function parseHost(given: string): GivenHost {
  const name = HOST.test(given) ? URL.parse(`http://${given}`)?.hostname : undefined
  return {
    name,
    isLocal: name !== undefined && isLoopback(name),
    isAddress: name !== undefined && parseAddress(name) !== undefined,
  }
}

/** Returns whether the text is an http or https origin. An origin ends after the host and port, so a URL with a path is not one (RFC 6454 section 7). */
function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase()
}

/** Returns whether a page is the hub's own, or comes from a program on the reader's machine, which could read the hub itself. */
function isOwnOrigin(origin: string, headers: Headers, host: string, { baseUrl }: OwnAddresses): boolean {
  // Only the browser can set this header. For a form on a page without a referrer, it reports the origin as null.
  if (headers.get('Sec-Fetch-Site') === 'same-origin') return true
  if (origin === 'null') return false
  const url = new URL(origin)
  return url.origin === baseUrl || url.host === host.toLowerCase() || isLoopback(url.hostname)
}

/** Returns whether another site's page loads the response into itself. Following a link is allowed, because that page cannot read the result. */
function isCrossSiteRead(headers: Headers): boolean {
  const site = headers.get('Sec-Fetch-Site')
  const isLink = headers.get('Sec-Fetch-Mode') === 'navigate' && headers.get('Sec-Fetch-Dest') === 'document'
  return (site === 'cross-site' || site === 'same-site') && !isLink
}

/** The number of bytes to read from a body of unknown length before the sender is authenticated. */
const FIRST_BYTES = 65_536
/** Maximum number of bytes of all bodies that are arriving or in use: senders may take their time, and publishes wait for their turn. */
const MAX_HELD_BYTES = 64 * 1_048_576
/** Maximum number of bytes of one sender: two of the longest bodies, so that one who is slow leaves room for others. */
const MAX_SENDER_BYTES = 24 * 1_048_576

/** The number of bytes that each sender has in memory. */
const held = new Map<string, number>()
let heldBytes = 0

function hold(sender: string, count: number): void {
  heldBytes += count
  const own = (held.get(sender) ?? 0) + count
  if (own > 0) held.set(sender, own)
  else held.delete(sender)
}

/**
 * Opens a request's body without reading it.
 *
 * @param most the maximum number of bytes
 * @param tooLarge creates the error for a body that is too long, according to its Content-Length or its actual bytes
 */
export function openBody(request: Request, most: number, tooLarge: () => Error) {
  const announced = request.headers.get('Content-Length')
  const chunks: Uint8Array[] = []
  let size = 0
  let isWhole = false
  let chunksLeft: AsyncIterator<Uint8Array> | undefined
  const readUntil = async (enough: number, onBytes = (_count: number) => {}) => {
    chunksLeft ??= (request.body ?? noBytes())[Symbol.asyncIterator]()
    while (!isWhole && size < enough) {
      const next = await chunksLeft.next().catch(incomplete)
      isWhole = next.done === true
      if (next.done) return
      size += next.value.length
      onBytes(next.value.length)
      if (size > most) {
        await chunksLeft.return?.()
        throw tooLarge()
      }
      chunks.push(next.value)
    }
  }
  const use = async <Value>(work: (bytes: Buffer<ArrayBuffer>) => Promise<Value>, sender = ''): Promise<Value> => {
    if (Number(announced) > most) throw tooLarge()
    // All at once, because opening a stream of chunks takes longer than a tool call.
    if (announced !== null && Number(announced) <= FIRST_BYTES)
      return work(Buffer.from(await request.arrayBuffer().catch(incomplete)))
    let counted = 0
    try {
      await readUntil(Number.POSITIVE_INFINITY, (count) => {
        counted += count
        hold(sender, count)
        if (heldBytes > MAX_HELD_BYTES || held.get(sender)! > MAX_SENDER_BYTES) throw busy()
      })
      return await work(Buffer.concat(chunks.splice(0)))
    } finally {
      hold(sender, -counted)
    }
  }
  return {
    /** Checks early whether the body is too long, based on its declared length or, if it has none, on its first 64 KiB. @throws the error of `tooLarge` */
    async checkLength(): Promise<void> {
      if (Number(announced) > most) throw tooLarge()
      if (announced === null) await readUntil(FIRST_BYTES)
    },
    /** Reads the rest of the body. Call this or `use` once at most. @param sender whose share of the memory it takes: an address or a publisher; all without one have one share @throws the error of `tooLarge`; HubError `invalid_request` if the body was cut off, `unavailable` if too many bodies are in memory */
    read: (sender?: string) => use(async (bytes) => bytes, sender),
    /** Does the same, and counts the body as in memory until the work ends. */
    use,
  }
}

/** Not logged, because the client disconnected or was too slow, which the operator cannot fix. */
function incomplete(): never {
  throw new HubError('invalid_request', 'The body is incomplete. Send it again.')
}

function busy(): HubError {
  return new HubError('unavailable', 'Too many uploads are under way. Try again in a second.', { retryAfterSeconds: 1 })
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** The refusal of a text in another encoding. */
export const NOT_UTF_8 =
  'The Content-Type names another charset than UTF-8. Send UTF-8, with "charset=utf-8" or without a charset.'

/** Reads the media type, in lower case and without parameters, or empty if there is none, and whether a text of it is UTF-8, of which ASCII is a part, as far as its `charset` says. RFC 9110 section 8.3 */
export function readContentType(headers: Headers): { mediaType: string; isUtf8: boolean } {
  const [type = '', ...parameters] = (headers.get('Content-Type') ?? '').toLowerCase().split(';')
  const isUtf8 = parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=')
    return name.trim() !== 'charset' || UTF_8.has(value.trim().replaceAll('"', ''))
  })
  return { mediaType: type.trim(), isUtf8 }
}

const UTF_8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])
