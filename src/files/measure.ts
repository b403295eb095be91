// Measures a string or a file: digest and length in bytes. These functions are passed to `domain`, which does not import Node.
import { hash } from 'node:crypto'
import type { VersionFiles } from '../domain/content/first-files.ts'
import type { Measure } from '../domain/publishing/request.ts'
import { findMediaType, type VersionFileBytes } from '../domain/values/file-entry.ts'

/** Computes the SHA-256 of a string's UTF-8 bytes. */
export const digestText = (text: string): string => hash('sha256', text)

/** Describes a file of a skill. */
export function measureFile(path: string, bytes: Uint8Array<ArrayBuffer>): VersionFileBytes {
  return { path, size_bytes: bytes.length, sha256: hash('sha256', bytes), media_type: findMediaType(bytes), bytes }
}

/** Measures the UTF-8 bytes of a prompt's content. */
export const measure: Measure = (content) => ({
  content_sha256: digestText(content),
  size_bytes: Buffer.byteLength(content),
})

/** Computes the SHA-256, in hex, of the paths and object IDs of a version's files, by which the hub remembers a version that it published. */
export function digestVersionFiles(files: VersionFiles): string {
  const lines: string[] = []
  for (const [path, id] of files) lines.push(`${path}\0${id}\n`)
  return hash('sha256', lines.sort().join(''))
}
