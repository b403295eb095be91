// Describes the files beside a skill's SKILL.md, and judges their paths. version-files.ts judges the files. This file imports no schemas, because reads use it.

import { LIMITS } from '../limits.ts'
import { compareText } from '../text/plain-text.ts'
import { isPortableName } from './names.ts'

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/
/** What systems, git and other programs leave in a folder; no skill has it. The clients have the same rule: tests/fixtures/paths.json. */
const JUNK =
  /^(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|\.git(?:ignore|attributes|keep)?|node_modules|__pycache__)$/is
/** Names of files and folders that a build ignores, because editors leave such files behind. */
const STRAY = /\.(?:tmp|swp)$/i

/**
 * Returns why no file of a version may have a path: it must be the same file on every operating system, and below the folder of the skill.
 *
 * @param path with forward slashes, relative to the folder of the version
 */
export function findFilePathProblem(path: string): string | undefined {
  const segments = path.split('/', LIMITS.fileSegments + 1)
  if (segments.length > LIMITS.fileSegments) return `expected at most ${LIMITS.fileSegments} parts between slashes`
  for (const segment of segments) {
    if (!SEGMENT.test(segment))
      return 'expected a relative path of 1 to 100 letters, digits, dots, hyphens and underscores between slashes, none of which begins with a dot or a hyphen'
    if (segment.endsWith('.')) return 'expected no name that ends with a dot, which Windows removes'
    if (!isPortableName(segment.toLowerCase().replace(/\..*/, '')))
      return `expected no name that is reserved on Windows, got ${segment}`
    if (segment.toLowerCase() === 'skill.md')
      return 'expected no SKILL.md: the hub writes it from the content, and agents read one in any folder as a skill of its own'
    if (STRAY.test(segment)) return 'expected no name of a temporary file (.tmp, .swp)'
  }
  return undefined
}

/** Returns whether a file or folder has the name of what systems, git and other programs leave in a folder. */
export const isJunk = (name: string): boolean => JUNK.test(name)

/** Returns whether a file of a version may have this path. */
export const isFilePath = (path: string): boolean => findFilePathProblem(path) === undefined

/** A file of a version, as its records describe it. */
export interface FileEntry {
  /** Relative to the folder that contains SKILL.md. */
  path: string
  size_bytes: number
  /** The SHA-256 of its bytes, in hex. */
  sha256: string
  media_type: MediaType
}

/** A file of a version with its bytes. */
export interface VersionFileBytes extends FileEntry {
  bytes: Uint8Array<ArrayBuffer>
}

/** All files of a version; there is at least one. */
export interface Bundle {
  /** The SHA-256 of the archive with SKILL.md and all files, in hex. */
  sha256: string
  /** In the order of their paths. */
  files: readonly FileEntry[]
}

/** The media types of files: text, images that no browser runs, and everything else. */
export const FILE_MEDIA_TYPES = [
  ...(['text/plain', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const),
  'application/octet-stream' as const,
] as const
/** The media type of a file. */
export type MediaType = (typeof FILE_MEDIA_TYPES)[number]

/** The first bytes of images, as Latin-1. Names are not trusted, so an image is one only if its bytes say so. */
const IMAGES: readonly [MediaType, RegExp][] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
]
const MAX_SIGNATURE_BYTES = 16

/** Decodes the bytes of a text file. @returns undefined for bytes that are not UTF-8 or contain NUL */
export function decodeFile(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Determines the media type of a file from its bytes. HTML and SVG are text, so no browser runs them. */
export function findMediaType(bytes: Uint8Array): MediaType {
  if (decodeFile(bytes) !== undefined) return 'text/plain'
  const start = String.fromCharCode(...bytes.subarray(0, MAX_SIGNATURE_BYTES))
  return IMAGES.find(([, signature]) => signature.test(start))?.[0] ?? 'application/octet-stream'
}

/** Sorts files by path. */
export function sortFiles<File extends { path: string }>(files: readonly File[]): File[] {
  return files.toSorted((a, b) => compareText(a.path, b.path))
}

/** Returns the records of files, without their bytes. */
export function entriesOf(files: readonly FileEntry[]): FileEntry[] {
  return files.map(({ path, size_bytes, sha256, media_type }) => ({ path, size_bytes, sha256, media_type }))
}

/** Returns whether two versions have the same files. */
export function areSameFiles(a: readonly FileEntry[], b: readonly FileEntry[]): boolean {
  return a.length === b.length && a.every(({ path, sha256 }, at) => b[at]!.path === path && b[at]!.sha256 === sha256)
}

/** Returns the number of bytes of all files together. */
export function countFileBytes(files: readonly Pick<FileEntry, 'size_bytes'>[]): number {
  return files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
}
