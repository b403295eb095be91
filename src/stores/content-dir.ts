// Owns reading the content folder: every file below it, once, into a tree; a file that may not be there is reported; links are not followed.

import { hash } from 'node:crypto'
import { type BigIntStats, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContentTree } from '../domain/content/content-tree.ts'
import { mendTree } from '../domain/content/last-good.ts'
import type { Problem } from '../domain/content/problems.ts'
import { checkTree } from '../domain/content/rules.ts'
import { type JudgedFile, judgeFile, type ParsedFile, placeFile } from './content-file.ts'
import { type Findings, listContentFiles, nameFile } from './content-files.ts'
import { growTrees } from './grow-trees.ts'

/** What was found in the content folder. */
interface ContentReading {
  tree: ContentTree
  /** Everything that is wrong, in the order of paths; a tree with problems must not be deployed. */
  problems: Problem[]
  /** What editors and systems left there; it was passed by. */
  ignored: string[]
  /** How many files were read from disk this time; the others came from the cache. */
  filesRead: number
  /** What `fingerprintContent` says of the files that were read. */
  fingerprint: string | undefined
  /** The tree that can be served although something is wrong: each wrong file is replaced by its last good state, or left out when it had none. */
  servable(): ContentTree
}

/** The last good state of a file. */
export interface GoodFile {
  /** Changes whenever the file does; empty when the file changed too recently for that to be certain. */
  stamp: string
  /** SHA-256 of the file's bytes, in hex. */
  sha256: string
  parsed: ParsedFile
}

/** Where parsed files are kept for the next process. What is missing there is read and parsed again. */
export interface FileCache {
  load(): ReadonlyMap<string, GoodFile>
  /** @param files everything that is there now @param kept the paths whose good state is new */
  save(files: ReadonlyMap<string, { good: GoodFile | undefined }>, kept: readonly string[]): void
}

interface KnownFile extends JudgedFile {
  stamp: string
  /** Empty when it was not read. */
  sha256: string
  /** Its last state with which nothing was wrong. */
  good: GoodFile | undefined
}

/** A file that changed this recently may change again within the same tick of its clock; some file systems count in steps of 2 s. */
const RACY_MS = 2_000

/**
 * Opens a content folder for reading.
 *
 * @param dir the folder; it may be missing, which is a problem like any other
 * @param cache where parsed files are kept beyond this process
 * @param listing what a look at the folder found just now; it spares the first reading that
 * @returns a function that reads it. Called again, it reads only the files that changed in between, and what did not change is the same object.
 */
export function openContentDir(dir: string, cache?: FileCache, listing?: ContentListing): () => ContentReading {
  const known = new Map<string, KnownFile>()
  for (const [path, good] of cache?.load() ?? [])
    known.set(path, { ...good, parsed: { value: good.parsed }, broken: [], good })
  const grow = growTrees<KnownFile>()
  const growServable = growTrees<KnownFile>()
  let served: ContentTree | undefined
  return () => {
    const findings = listing ?? listContent(dir)
    listing = undefined
    const filesRead = readChanged(dir, known, findings)
    const tree = grow(known, ({ parsed }) => parsed.value)
    const problems = [...findings.problems]
    for (const [path, { parsed, broken }] of known)
      for (const problem of parsed.problems ?? broken) problems.push({ file: nameFile(path), ...problem })
    problems.push(...checkTree(tree, { areVersionsChecked: true }))
    problems.sort((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)))
    const kept = keepGood(known, new Set(problems.map(({ file }) => file)))
    cache?.save(known, kept)
    return {
      tree,
      problems,
      ignored: findings.ignored,
      filesRead,
      fingerprint: problems.length > 0 ? undefined : hashStamps([...known].map(([path, { stamp }]) => [path, stamp])),
      servable: () =>
        (served =
          problems.length === 0
            ? tree
            : mendTree(
                growServable(known, ({ good }) => good?.parsed),
                served,
              )),
    }
  }
}

/** The files of a content folder, as they were when it was looked at. */
export interface ContentListing extends Findings {
  files: { path: string; stamp: string; size: bigint }[]
}

/** Looks at a content folder without reading a file. */
export function listContent(dir: string): ContentListing {
  const listing: ContentListing = { problems: [], ignored: [], files: [] }
  const stampFile = openStamps()
  for (const path of listContentFiles(dir, listing)) {
    const stats = lstatSync(join(dir, path), { bigint: true, throwIfNoEntry: false })
    if (stats) listing.files.push({ path, stamp: stampFile(stats), size: stats.size })
  }
  return listing
}

/** @returns the same as long as no file is added, changed or removed; undefined when that cannot be told, or when something is wrong with the folder */
export function fingerprintContent({ problems, files }: ContentListing): string | undefined {
  return problems.length > 0 ? undefined : hashStamps(files.map(({ path, stamp }) => [path, stamp]))
}

function hashStamps(stamps: readonly (readonly [path: string, stamp: string])[]): string | undefined {
  if (stamps.some(([, stamp]) => stamp === '')) return undefined
  return hash('sha256', JSON.stringify([...stamps].sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Makes a function that says when a file was last changed, or an empty text when it may change again unnoticed. */
function openStamps(): (stats: BigIntStats) => string {
  const settledNs = BigInt(Date.now() - RACY_MS) * 1_000_000n
  return ({ ino, mtimeNs, ctimeNs, size }) =>
    mtimeNs < settledNs && ctimeNs < settledNs ? `${ino}:${mtimeNs}:${ctimeNs}:${size}` : ''
}

/** @returns how many files were read */
function readChanged(dir: string, known: Map<string, KnownFile>, { files }: ContentListing): number {
  const present = new Set<string>()
  let filesRead = 0
  for (const { path, stamp, size } of files) {
    present.add(path)
    const before = known.get(path)
    if (before && stamp !== '' && before.stamp === stamp) continue
    filesRead++
    known.set(path, { ...readKnown(path, join(dir, path), size, before), stamp })
  }
  for (const path of known.keys()) if (!present.has(path)) known.delete(path)
  return filesRead
}

function readKnown(path: string, file: string, size: bigint, before: KnownFile | undefined): Omit<KnownFile, 'stamp'> {
  const good = before?.good
  const { value: place, problems } = placeFile(path, Number(size))
  if (problems) return { sha256: '', parsed: { problems }, broken: [], good }
  const bytes = readOrNothing(file)
  const sha256 = bytes ? hash('sha256', bytes) : ''
  if (bytes && before?.sha256 === sha256) return before
  // A file that was broken and is now what it was before is its last good state.
  if (bytes && good?.sha256 === sha256) return { sha256, parsed: { value: good.parsed }, broken: [], good }
  return { sha256, ...judgeFile(place, bytes), good }
}

function readOrNothing(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Records every file without problems as its last good state. @returns the paths whose recorded state changed */
function keepGood(known: ReadonlyMap<string, KnownFile>, wrong: ReadonlySet<string>): string[] {
  const kept: string[] = []
  for (const [path, file] of known) {
    const { stamp, sha256, parsed, good } = file
    if (!parsed.value || (good?.sha256 === sha256 && good.stamp === stamp)) continue
    if (wrong.size > 0 && wrong.has(nameFile(path))) continue
    file.good = { stamp, sha256, parsed: parsed.value }
    kept.push(path)
  }
  return kept
}
