// Owns the id that git gives to a file's bytes.
import { createHash, type Hash } from 'node:crypto'

/** Begins the id of a blob of so many bytes, which are then handed to it. @param hexDigits as for `blobId` */
export function beginBlobId(size: number, hexDigits: number): Hash {
  return createHash(hexDigits === 64 ? 'sha256' : 'sha1').update(`blob ${size}\0`)
}

/** The id of a blob. @param hexDigits 40, or 64 in a repository that git was told to keep with SHA-256 */
export function blobId(bytes: Uint8Array, hexDigits = 40): string {
  return beginBlobId(bytes.length, hexDigits).update(bytes).digest('hex')
}
