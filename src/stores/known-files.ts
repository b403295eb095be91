// Owns the files of the content folder that are at hand: each as it is, with what is wrong with it, and in its last good state.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../domain/content/problems.ts'
import type { KeptUnit, ParsedFiles } from './content-cache.ts'
import { type JudgedFile, judgeFile, type ParsedFile, placeFile } from './content-file.ts'
import { nameFile } from './content-files.ts'
import { type FileMark, type ListedFile, parseMarks } from './content-listing.ts'

/** A file at hand. Its SHA-256 is empty when it was not read. */
export interface KnownFile extends JudgedFile, FileMark {
  /** Its last state with which nothing was wrong. */
  good: GoodFile | undefined
}

/** The last good state of a file. */
export interface GoodFile extends FileMark {
  parsed: ParsedFile
}

/** Files at hand, by path. */
export type KnownFiles = Map<string, KnownFile>

/** What is known of files that were kept. */
export function recallFiles({ lines }: Pick<KeptUnit, 'lines'>, parsed: ParsedFiles): KnownFiles {
  const files: KnownFiles = new Map()
  for (const [path, mark] of parseMarks(lines)) {
    const good: GoodFile = { ...mark, parsed: parsed[path]! }
    files.set(path, { ...mark, parsed: { value: good.parsed }, broken: [], good })
  }
  return files
}

/** Reads the files that changed since they were known, and forgets those that are gone. @returns how many were read */
export function refreshFiles(dir: string, files: KnownFiles, listed: readonly ListedFile[]): number {
  const present = new Set<string>()
  let filesRead = 0
  for (const { path, stamp, size } of listed) {
    present.add(path)
    const before = files.get(path)
    if (before && isSame(before, stamp)) continue
    filesRead++
    files.set(path, { ...readKnown(path, join(dir, path), size, before), stamp })
  }
  for (const path of files.keys()) if (!present.has(path)) files.delete(path)
  return filesRead
}

/** Whether a file is as it was. @param stamp the one of now */
export function isSame(mark: FileMark, stamp: string): boolean {
  return stamp !== '' && mark.stamp === stamp
}

function readKnown(path: string, file: string, size: number, before: KnownFile | undefined): Omit<KnownFile, 'stamp'> {
  const good = before?.good
  const { value: place, problems } = placeFile(path, size)
  if (problems) return { sha256: '', parsed: { problems }, broken: [], good }
  const bytes = readOrNothing(file)
  const sha256 = bytes ? hash('sha256', bytes) : ''
  if (bytes && before?.sha256 === sha256) return before
  // A file that was broken and is now what it was before is its last good state.
  if (bytes && good?.sha256 === sha256) return { sha256, parsed: { value: good.parsed }, broken: [], good }
  return { sha256, ...judgeFile(place, bytes), good }
}

/** Reads a file. @returns undefined when it cannot be read */
export function readOrNothing(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** The files that parse, each as it is. */
export function chooseNow(files: KnownFiles): [path: string, file: GoodFile][] {
  const chosen: [string, GoodFile][] = []
  for (const [path, { stamp, sha256, parsed }] of files)
    if (parsed.value) chosen.push([path, { stamp, sha256, parsed: parsed.value }])
  return chosen
}

/** The files that have a good state, each in its last. */
export function chooseGood(files: KnownFiles): [path: string, file: GoodFile][] {
  const chosen: [string, GoodFile][] = []
  for (const [path, { good }] of files) if (good) chosen.push([path, good])
  return chosen
}

/** What is wrong with files, each seen alone. */
export function judgeFiles(files: KnownFiles): Problem[] {
  return [...files].flatMap(([path, { parsed, broken }]) =>
    (parsed.problems ?? broken).map((problem) => ({ file: nameFile(path), ...problem })),
  )
}

/** Notes each file with which nothing is wrong as its last good state. @param isWrong says of which something is @returns the paths of those whose state is new */
export function keepGood(files: KnownFiles, isWrong: (path: string) => boolean): string[] {
  const kept: string[] = []
  for (const [path, file] of files) {
    const { stamp, sha256, parsed, good } = file
    if (!parsed.value || (good?.sha256 === sha256 && good.stamp === stamp) || isWrong(path)) continue
    file.good = { stamp, sha256, parsed: parsed.value }
    kept.push(path)
  }
  return kept
}
