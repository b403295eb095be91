// Owns the id that git gives to a file's bytes.
import { createHash } from 'node:crypto'

/** The id of a blob. @param hexDigits 40, or 64 in a repository that git was told to keep with SHA-256 */
export function blobId(bytes: Uint8Array, hexDigits = 40): string {
  const hash = createHash(hexDigits === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
