// Reads the type of a request body, and its bytes up to a size limit. Only the beginning is read until the rest is needed.
import { HubError } from '../domain/api/errors.ts'

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
