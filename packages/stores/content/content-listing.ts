// Lists the content folder without reading files, with stamps that show which files have changed since.
import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../../../src/domain/text/problems.ts'
import { type ListingProblems, listContentFiles, nameFile } from './content-files.ts'

/** A file at the time of listing. */
export interface ListedFile {
  /** Relative to the content folder. */
  path: string
  /** A stamp that changes whenever the file changes; empty if the file changed too recently to be certain. */
  stamp: string
  bytes: number
}

/** The files of a content folder at the time of listing. */
export interface ContentListing extends ListingProblems {
  files: ListedFile[]
}

/** A file that changed this recently may change again within the same clock tick; some file systems have a timestamp resolution of 2 s. */
const RACY_MS = 2_000

/** Lists a content folder. @param below if given, only this subfolder is listed */
export function listContent(dir: string, below = ''): ContentListing {
  const listing: ContentListing = { problems: [], ignored: [], files: [] }
  const settledNs = BigInt(Date.now() - RACY_MS) * 1_000_000n
  for (const path of listContentFiles(dir, listing, below)) {
    const stats = lstatSync(join(dir, path), { bigint: true, throwIfNoEntry: false })
    if (stats) listing.files.push({ path, stamp: stampFile(stats, settledNs), bytes: Number(stats.size) })
  }
  return listing
}

/**
 * Lists some of a folder's repositories again and assumes that all others are unchanged. A full listing of 10,000 prompts with 5 versions each takes 0.8 s.
 *
 * @param fullNames repositories with a changed file
 */
export function listContentAgain(dir: string, before: ContentListing, fullNames: readonly string[]): ContentListing {
  const folders = fullNames.map((name) => `${name}/`)
  const isOther = (path: string) => !folders.some((folder) => path.startsWith(folder))
  const isOtherFile = (file: string) => isOther(file.replace(/^content\//, ''))
  const listings = fullNames.map((name) => listContent(dir, name))
  return {
    files: [...before.files.filter(({ path }) => isOther(path)), ...listings.flatMap(({ files }) => files)],
    problems: [
      ...before.problems.filter(({ file }) => isOtherFile(file)),
      ...listings.flatMap(({ problems }): Problem[] => problems),
    ],
    ignored: [...before.ignored.filter(isOtherFile), ...listings.flatMap(({ ignored }) => ignored)],
  }
}

/** Returns the stamp of a file that is read from git, not from the folder. @param id its blob */
export const keptStamp = (id: string): string => `git ${id}`
/** Returns whether a file is read from git. */
export const isKept = (stamp: string): boolean => stamp.startsWith('git ')

/** Returns whether the folder itself cannot be read, so that its contents are unknown. */
export const isFolderUnreadable = ({ problems }: Pick<ListingProblems, 'problems'>) =>
  problems.some(({ file }) => file === nameFile(''))

/** Returns when a file was last changed; an empty string if it may change again unnoticed. */
function stampFile({ ino, mtimeNs, ctimeNs, size }: BigIntStats, settledNs: bigint): string {
  return mtimeNs < settledNs && ctimeNs < settledNs ? `${ino}:${mtimeNs}:${ctimeNs}:${size}` : ''
}

/** Returns a line for each file, which stays the same as long as the file does. It begins with a space if that is uncertain. */
export function markFiles(files: readonly Pick<ListedFile, 'path' | 'stamp'>[]): string {
  return files.map(({ path, stamp }) => `${stamp} ${path}`).join('\n')
}

/** Returns whether no file may have changed unnoticed. @param marks from `markFiles` */
export const areCertain = (marks: string): boolean => marks !== '' && !/^ /m.test(marks)
