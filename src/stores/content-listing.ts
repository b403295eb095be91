// Owns looking at the content folder without reading a file: what lies there, and stamps by which a later look sees what changed since.
import { hash } from 'node:crypto'
import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type Findings, listContentFiles } from './content-files.ts'

/** A file as it was when the folder was looked at. */
export interface ListedFile {
  /** From the content folder. */
  path: string
  /** Changes whenever the file does; empty when the file changed too recently for that to be certain. */
  stamp: string
  /** In bytes. */
  size: number
}

/** The files of a content folder, as they were when it was looked at. */
export interface ContentListing extends Findings {
  files: ListedFile[]
}

/** A file that changed this recently may change again within the same tick of its clock; some file systems count in steps of 2 s. */
const RACY_MS = 2_000

/** Looks at a content folder. */
export function listContent(dir: string): ContentListing {
  const listing: ContentListing = { problems: [], ignored: [], files: [] }
  const stampFile = openStamps()
  for (const path of listContentFiles(dir, listing)) {
    const stats = lstatSync(join(dir, path), { bigint: true, throwIfNoEntry: false })
    if (stats) listing.files.push({ path, stamp: stampFile(stats), size: Number(stats.size) })
  }
  return listing
}

/** @returns the same as long as no file is added, changed or removed; undefined when that cannot be told, or when something is wrong with the folder */
export function fingerprintContent({ problems, files }: ContentListing): string | undefined {
  if (problems.length > 0 || files.some(({ stamp }) => stamp === '')) return undefined
  return hash('sha256', JSON.stringify(files.map(({ path, stamp }) => [path, stamp])))
}

/** Makes a function that says when a file was last changed, or an empty text when it may change again unnoticed. */
function openStamps(): (stats: BigIntStats) => string {
  const settledNs = BigInt(Date.now() - RACY_MS) * 1_000_000n
  return ({ ino, mtimeNs, ctimeNs, size }) =>
    mtimeNs < settledNs && ctimeNs < settledNs ? `${ino}:${mtimeNs}:${ctimeNs}:${size}` : ''
}

/** What a file was when it was parsed. */
export interface FileMark {
  stamp: string
  /** Of its bytes, in hex. */
  sha256: string
}

/** Writes marks as lines, in the order of paths. */
export function formatMarks(marks: Iterable<readonly [path: string, mark: FileMark]>): string {
  return Array.from(marks, ([path, { stamp, sha256 }]) => `${stamp} ${sha256} ${path}`).join('\n')
}

/** Reads what `formatMarks` wrote. */
export function parseMarks(lines: string): Map<string, FileMark> {
  const marks = new Map<string, FileMark>()
  for (const line of lines.split('\n')) {
    const afterStamp = line.indexOf(' ')
    const afterSha256 = line.indexOf(' ', afterStamp + 1)
    const [stamp, sha256] = [line.slice(0, afterStamp), line.slice(afterStamp + 1, afterSha256)]
    if (afterSha256 > 0) marks.set(line.slice(afterSha256 + 1), { stamp, sha256 })
  }
  return marks
}

const SHA256_DIGITS = 64

/** Whether lines are the marks of files as they are now, told without taking them apart. */
export function areMarksOf(lines: string, listed: readonly ListedFile[]): boolean {
  let at = 0
  for (const { path, stamp } of listed) {
    const pathAt = at + stamp.length + SHA256_DIGITS + 2
    const isNext = stamp !== '' && lines.startsWith(stamp, at) && lines[at + stamp.length] === ' '
    if (!isNext || !lines.startsWith(path, pathAt)) return false
    at = pathAt + path.length
    if (at < lines.length && lines[at] !== '\n') return false
    at++
  }
  return at > lines.length
}
