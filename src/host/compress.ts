// Owns compressing answers on our own host: what is worth it, what a client takes, and keeping what was compressed for as long as its bytes are asked for.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Bytes } from '../ports/site-files.ts'

type Encoding = 'br' | 'gzip'

/** Below it, the headers of compression cost more than it saves. */
const LEAST_BYTES = 1_024
/** Beyond it, a client that wants less asks for a page of the list. */
const MOST_BYTES = 32 * 1024 * 1024
/** What is kept of compressed answers, over all builds: the same bytes are the same answer. */
const CACHE_BYTES = 48 * 1024 * 1024
/** Compressing shares its threads with reading files, so it never takes all of them; who comes beyond gets the plain answer. */
const MOST_AT_ONCE = 2
const MOST_WAITING = 16
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|javascript|xml|atom\+xml|manifest\+json)|image\/svg\+xml)/

/** Compresses answers. */
export interface Compressor {
  /** Whether a client takes anything but the plain answer. */
  isWanted(request: Request): boolean
  /**
   * @param response with a validator when it may be kept
   * @param askForBody asks what a HEAD left out
   * @returns it, compressed where the client and the answer allow it
   */
  compress(request: Request, response: Response, askForBody: () => Promise<Response>): Promise<Response>
}

/** Opens a compressor. */
export function openCompressor(): Compressor {
  const accepted = new Map<string, Encoding | undefined>()
  const kept = keepBounded(CACHE_BYTES)
  const queue = limitWork()
  /** The same bytes are compressed once, however many ask. */
  const underWay = new Map<string, Promise<Bytes | undefined>>()
  const encodingFor = (request: Request): Encoding | undefined => {
    const header = request.headers.get('Accept-Encoding')
    if (header === null || header.length > 200) return undefined
    if (!accepted.has(header)) {
      if (accepted.size >= 1_000) accepted.clear()
      accepted.set(header, negotiate(header))
    }
    return accepted.get(header)
  }
  const make = async (key: string, response: Response, encoding: Encoding, isForGood: boolean) => {
    // What was asked for again may be another answer by now.
    if (!key.startsWith(`${response.headers.get('ETag')} `)) return undefined
    const plain = new Uint8Array(await response.arrayBuffer())
    const bytes = await queue(() => COMPRESS[encoding](plain, isForGood))
    if (bytes) kept.set(key, bytes)
    return bytes
  }
  return {
    isWanted: (request) => encodingFor(request) !== undefined,
    async compress(request, response, askForBody) {
      const { headers } = response
      if (!isKept(headers.get('Cache-Control'))) return response
      headers.append('Vary', 'Accept-Encoding')
      const encoding = encodingFor(request)
      const length = Number(headers.get('Content-Length'))
      const etag = headers.get('ETag')
      if (!encoding || !etag || !(length >= LEAST_BYTES && length <= MOST_BYTES)) return response
      if (headers.has('Content-Encoding') || !COMPRESSIBLE.test(headers.get('Content-Type') ?? '')) return response
      const key = `${etag} ${encoding}`
      const isForGood = new URL(request.url).pathname.startsWith('/assets/')
      const isHead = request.method === 'HEAD'
      let bytes = kept.get(key)
      if (!bytes) {
        const others = underWay.get(key)
        const work = others ?? make(key, isHead ? await askForBody() : response.clone(), encoding, isForGood)
        if (!others) underWay.set(key, work)
        bytes = await work.finally(() => underWay.delete(key))
      }
      if (!bytes) return response
      headers.set('Content-Encoding', encoding)
      headers.set('Content-Length', String(bytes.length))
      // Other bytes, another strong validator; respond.ts knows it again. RFC 9110 section 8.8.3.3
      headers.set('ETag', `${etag.slice(0, -1)}-${encoding}"`)
      return new Response(isHead ? null : bytes, { status: response.status, headers })
    },
  }
}

/** What is kept by nobody may hold secrets beside what its sender chose: the lengths of compressed answers would tell. https://www.breachattack.com */
export function isKept(cacheControl: string | null | undefined): boolean {
  return cacheControl?.includes('no-store') === false
}

/** @returns undefined for a client that wants the plain answer */
function negotiate(header: string): Encoding | undefined {
  const taken = new Negotiator({ headers: { 'accept-encoding': header } }).encodings(['br', 'gzip', 'identity'])
  if (taken[0] === 'identity') return undefined
  return taken.includes('br') ? 'br' : taken.includes('gzip') ? 'gzip' : undefined
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Files with their digest in their name are compressed once, as well as it goes; everything else fast enough to be waited for. */
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

/** Bytes by key, the oldest forgotten first. */
function keepBounded(mostBytes: number) {
  const all = new Map<string, Bytes>()
  let total = 0
  return {
    get: (key: string) => all.get(key),
    set(key: string, bytes: Bytes) {
      if (all.has(key)) return
      all.set(key, bytes)
      total += bytes.length
      for (const [oldest, { length }] of all) {
        if (total <= mostBytes) return
        all.delete(oldest)
        total -= length
      }
    },
  }
}

/** @returns what does work in its turn, or not at all when too much waits already */
function limitWork() {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Value>(work: () => Promise<Value>): Promise<Value | undefined> => {
    if (running >= MOST_AT_ONCE) {
      if (waiting.length >= MOST_WAITING) return undefined
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
