// The record of a finished build, which lies beside the search index: when it was finished, and which commits of the content it has read.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { BuildSource } from '../../ports/fresh-copies.ts'

/** What is said of a build that was finished. */
interface BuildRecord {
  /** When its last file was in place: a moment in UTC. */
  built_at: string
  source: BuildSource
}

/** Says that a build is finished; whoever reads it finds all of it or none. */
export function writeBuildRecord(path: string, record: BuildRecord): void {
  writeFileSync(`${path}.next`, JSON.stringify(record))
  renameSync(`${path}.next`, path)
}

/** The record of a build that was finished; undefined when there is none. It is not judged: the build of this very code wrote it. */
export function findBuildRecord(path: string): BuildRecord | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
