// Reads a request body up to its limit, and only its beginning until the rest is needed.
import { HubError } from '../domain/api/errors.ts'

/** How much of a body of unknown length is read before anything else is known of its sender. */
const FIRST_BYTES = 65_536

/** A body of which nothing, or only the beginning, has been read. */
export interface IncomingBody {
  /**
   * Finds out whether the body is too long, as far as that can be known early: by its announced length, else from its first 64 KiB.
   *
   * @throws what `tooLarge` makes
   */
  checkLength(): Promise<void>
  /** Reads it to its end, once. @throws what `tooLarge` makes; HubError `invalid_request` when it was cut off */
  read(): Promise<Buffer<ArrayBuffer>>
}

/**
 * Opens a request's body; nothing is read yet.
 *
 * @param most bytes
 * @param tooLarge makes the error for a longer body, whether Content-Length says so or only its bytes show it
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
        // The cause is not logged: the client has gone or was too slow, and nobody here can mend that.
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
