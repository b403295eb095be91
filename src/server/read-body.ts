// Reads a request body up to a size limit; until the rest is needed, only its beginning is read.
import { HubError } from '../domain/api/errors.ts'

/** The number of bytes read from a body of unknown length before the sender is known. */
const FIRST_BYTES = 65_536

/** A body of which nothing, or only the beginning, has been read. */
interface IncomingBody {
  /**
   * Checks early whether the body is too long: by its declared length or, without one, by its first 64 KiB.
   *
   * @throws the error of `tooLarge`
   */
  checkLength(): Promise<void>
  /** Reads the rest of the body; call it only once. @throws the error of `tooLarge`; HubError `invalid_request` if the body was cut off */
  read(): Promise<Buffer<ArrayBuffer>>
}

/**
 * Opens a request's body without reading it.
 *
 * @param most maximum number of bytes
 * @param tooLarge creates the error for a longer body, whether Content-Length or the bytes reveal it
 */
export function openBody(request: Request, most: number, tooLarge: () => Error): IncomingBody {
  const announced = request.headers.get('Content-Length')
  const chunks: Uint8Array[] = []
  let size = 0
  let isWhole = false
  let chunksLeft: AsyncIterator<Uint8Array> | undefined
  const readUntil = async (enough: number) => {
    chunksLeft ??= (request.body ?? noBytes())[Symbol.asyncIterator]()
    while (!isWhole && size < enough) {
      const next = await chunksLeft.next().catch((): never => {
        // Not logged: the client disconnected or was too slow, and nobody here can fix that.
        throw new HubError('invalid_request', 'The body is incomplete. Send it again.')
      })
      isWhole = next.done === true
      if (next.done) return
      size += next.value.length
      if (size > most) {
        await chunksLeft.return?.()
        throw tooLarge()
      }
      chunks.push(next.value)
    }
  }
  return {
    async checkLength() {
      if (Number(announced) > most) throw tooLarge()
      if (announced === null) await readUntil(FIRST_BYTES)
    },
    async read() {
      if (Number(announced) > most) throw tooLarge()
      await readUntil(Number.POSITIVE_INFINITY)
      return Buffer.concat(chunks)
    },
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
