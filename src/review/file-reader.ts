// Reads many files into one shared buffer. Separate buffers for each file would fill the memory before garbage collection runs.
import { readSync } from 'node:fs'
import { MAX_ANY_FILE_BYTES } from '../content/content-file.ts'
import { type Opened, openFolder } from '../files/plain-files.ts'
import { beginBlobId } from '../git/git-store.ts'
import type { FileHere } from './content-changes.ts'

interface ReadFile extends FileHere {
  /** Valid until the next file is read; undefined if the file exceeds the maximum length. */
  bytes: Buffer | undefined
}

/** Files up to this size are hashed, because a file that is too long may still be unchanged. */
const MAX_HASHED_BYTES = 64 * MAX_ANY_FILE_BYTES

/** Creates a reader of a folder's files. @param hexDigits length of git IDs: 40, or 64 in a SHA-256 repository */
export function openFileReader(dir: string, hexDigits: number): (path: string) => Opened<ReadFile> {
  const folder = openFolder(dir)
  const buffer = Buffer.allocUnsafe(MAX_ANY_FILE_BYTES)
  return (path) =>
    folder.open(path, ({ descriptor, stats: { size, mode } }) => {
      const hash = beginBlobId(size, hexDigits)
      let length = 0
      for (let left = size > MAX_HASHED_BYTES ? 0 : size; left > 0; left -= length) {
        length = readSync(descriptor, buffer, 0, Math.min(left, buffer.length), null)
        if (length === 0) break
        hash.update(buffer.subarray(0, length))
      }
      const isWhole = size <= buffer.length && length === size
      return {
        bytes: isWhole ? buffer.subarray(0, size) : undefined,
        id: hash.digest('hex'),
        isExecutable: (mode & 0o100) !== 0,
      }
    })
}
