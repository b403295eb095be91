// Answers requests with the application: sends what it says to any cache and client, compressed where that helps.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import type { Bytes } from '../../../built/site-files.ts'
import { shareRunning } from '../../../concurrency/promises.ts'
import { pathOf } from '../../../server/request.ts'
import { type MadeResponse, type Parts, respondWithParts } from '../../../server/respond.ts'
import type { Client } from './client-addresses.ts'

/** The context that the host adds to each request. */
interface HostContext<Site> {
  /** The network of the client. */
  client: string
  hub: Site
}

/** The application; errors become responses. */
export interface App<Context> {
  fetch(request: Request, context: Context): Response | Promise<Response>
}

/** Handles a request. */
export type Answer = (request: Request, client: Client) => Promise<Response>

/**
 * Handles every request with the application.
 *
 * @param siteOf returns the current site; a request uses the same site from start to finish
 */
export function createHandler<Site>(app: App<HostContext<Site>>, siteOf: () => Site) {
  const compressor = openCompressor()
  return async (request: Request, { network: client }: Pick<Client, 'network'>): Promise<Response> => {
    const isHead = request.method === 'HEAD'
    // A response to HEAD has the headers of the response to GET, which depend on its body.
    const asked = isHead ? new Request(request.url, { headers: request.headers }) : request
    const answer: MadeResponse = await app.fetch(asked, { client, hub: siteOf() })
    const { parts } = answer
    if (parts) {
      const made = await compressor.compress(asked, parts)
      if (isHead) return respondWithParts({ ...made, bytes: null })
      return made === parts ? answer : respondWithParts(made)
    }
    if (!isHead) return answer
    const { status, headers, body } = answer
    await body?.cancel()
    return new Response(null, { status, headers })
  }
}

type Encoding = 'br' | 'gzip'

/** Responses below this size are not compressed, because the headers would cost more than compression saves. */
const MIN_BYTES = 1_024
/** Responses above this size are not compressed. */
const MAX_BYTES = 32 * 1024 * 1024
/** Maximum size of the cache of compressed responses. All builds share the cache, and equal bytes share an entry. */
const CACHE_BYTES = 24 * 1024 * 1024
/** Maximum number of concurrent compressions. Compression uses the threads that also read files, so it must never occupy all of them. A few more responses wait, and all others are sent uncompressed. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 16
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|javascript|xml|atom\+xml|manifest\+json)|image\/svg\+xml)/

/** Creates a compressor with an empty cache. */
export function openCompressor() {
  const accepted = new LRUCache<string, Encoding | 'identity'>({ max: 1_000 })
  const kept = new LRUCache<string, Bytes>({ maxSize: CACHE_BYTES, sizeCalculation: ({ length }) => length })
  const queue = limitWork()
  /** Equal bytes are compressed only once, no matter how many clients request them. */
  const share = shareRunning<Bytes | undefined>()
  const make = async (key: string, plain: Bytes | null, encoding: Encoding, isForGood: boolean) => {
    const made = plain && (await queue(() => COMPRESS[encoding](plain, isForGood)))
    if (!made) return undefined
    // Copied, because Node returns a part of a buffer that is up to 64 kB larger, and the cache would keep all of it.
    const bytes = new Uint8Array(made)
    kept.set(key, bytes)
    return bytes
  }
  return {
    /**
     * @param answer has a validator if it may be cached
     * @returns the response, compressed if the client and the response allow it
     */
    async compress(request: Request, answer: Parts): Promise<Parts> {
      const given = answer.headers
      const etag = given.ETag
      const length = Number(given['Content-Length'])
      // An uncacheable response may contain a secret next to text chosen by an attacker, and its compressed length would leak the secret (https://www.breachattack.com).
      const isCacheable = given['Cache-Control']?.includes('no-store') === false
      if (!etag || !isCacheable || !(length >= MIN_BYTES && length <= MAX_BYTES)) return answer
      if (given['Content-Encoding'] !== undefined || !COMPRESSIBLE.test(given['Content-Type'] ?? '')) return answer
      const wanted = request.headers.get('Accept-Encoding')
      if (wanted === null || wanted.length > 200) return answer
      const encoding = accepted.get(wanted) ?? negotiate(wanted)
      accepted.set(wanted, encoding)
      if (encoding === 'identity') return answer
      const key = `${etag} ${encoding}`
      let bytes = kept.get(key)
      if (!bytes) {
        const isForGood = pathOf(request.url).startsWith('/assets/')
        bytes = await share(key, () => make(key, answer.bytes, encoding, isForGood))
      }
      if (!bytes) return answer
      // This digest is that of the uncompressed bytes (RFC 9530 section 2); `Unencoded-Digest` has the same for compressed ones.
      const { 'Repr-Digest': _, ...rest } = given
      const headers = {
        ...rest,
        'Content-Encoding': encoding,
        'Content-Length': String(bytes.length),
        // Different bytes need a different strong validator. respond.ts recognises this one when a client sends it back. RFC 9110 section 8.8.3.3
        ETag: `${etag.slice(0, -1)}-${encoding}"`,
      }
      return { bytes, status: answer.status, headers }
    },
  }
}

function negotiate(header: string): Encoding | 'identity' {
  const taken = new Negotiator({ headers: { 'accept-encoding': header } }).encodings(['br', 'gzip', 'identity'])
  if (taken[0] === 'identity') return 'identity'
  return taken.includes('br') ? 'br' : taken.includes('gzip') ? 'gzip' : 'identity'
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Files with a hash in their name are compressed once at the highest level; everything else is compressed fast, because a client is waiting. */
const COMPRESS: Readonly<Record<Encoding, (bytes: Bytes, isForGood: boolean) => Promise<Bytes>>> = {
  br: (bytes, isForGood) =>
    brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: isForGood ? 11 : 5,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes, isForGood) => zip(bytes, { level: isForGood ? 9 : 6 }),
}

/** @returns a function that queues work, or returns undefined if too much is waiting */
function limitWork() {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Value>(work: () => Promise<Value>): Promise<Value | undefined> => {
    if (running >= MAX_AT_ONCE) {
      if (waiting.length >= MAX_WAITING) return undefined
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}
