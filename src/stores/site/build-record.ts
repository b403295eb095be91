// Reads and writes the record of a finished build, next to the search index: its time, and the content commits that it has read.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { BuildSource } from '../../ports/fresh-copies.ts'

interface BuildRecord {
  /** When the last file of the build was in place, in UTC. */
  built_at: string
  source: BuildSource
}

/** Writes the record atomically. */
export function writeBuildRecord(path: string, record: BuildRecord): void {
  writeFileSync(`${path}.next`, JSON.stringify(record))
  renameSync(`${path}.next`, path)
}

/** Returns the record of a finished build; undefined if there is none. Not validated, because the same code wrote it. */
export function findBuildRecord(path: string): BuildRecord | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
