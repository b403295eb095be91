// Reads many files into one shared buffer. Separate buffers for each file would fill the memory before garbage collection runs.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { beginBlobId } from '../../ports/git-store.ts'
import type { FileHere } from './content-changes.ts'
import { MAX_FILE_BYTES } from './content-file.ts'

interface ReadFile extends FileHere {
  size: number
  /** Valid until the next file is read; undefined if the file exceeds the maximum length. */
  bytes: Buffer | undefined
}

/** Creates a reader. @param hexDigits length of git IDs: 40, or 64 in a SHA-256 repository @returns a function that reads a file; it returns undefined if the file cannot be read */
export function openFileReader(hexDigits: number): (file: string) => ReadFile | undefined {
  const buffer = Buffer.allocUnsafe(MAX_FILE_BYTES)
  return (file) => {
    let descriptor: number
    try {
      // A symbolic link that has replaced a file since the listing is not followed.
      descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch {
      return undefined
    }
    try {
      const { size, mode } = fstatSync(descriptor)
      const hash = beginBlobId(size, hexDigits)
      let length = 0
      for (let left = size; left > 0; left -= length) {
        length = readSync(descriptor, buffer, 0, Math.min(left, buffer.length), null)
        if (length === 0) break
        hash.update(buffer.subarray(0, length))
      }
      const isWhole = size <= buffer.length && length === size
      return {
        size,
        bytes: isWhole ? buffer.subarray(0, size) : undefined,
        id: hash.digest('hex'),
        isExecutable: (mode & 0o100) !== 0,
      }
    } catch {
      return undefined
    } finally {
      closeSync(descriptor)
    }
  }
}
