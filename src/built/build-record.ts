// Reads and writes the record of a finished build, next to the search index: its time, and the content commits that it has read.
import { renameSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { openFolder } from '../files/plain-files.ts'
import type { BuildSource } from '../state/fresh-copies.ts'

interface BuildRecord {
  /** When the last file of the build was in place, in UTC. */
  built_at: string
  source: BuildSource
}

/** The record lists at most 500 commits and the broken repositories. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024

/** Writes the record atomically. */
export function writeBuildRecord(path: string, record: BuildRecord): void {
  writeFileSync(`${path}.next`, JSON.stringify(record))
  renameSync(`${path}.next`, path)
}

/** Returns the record of a finished build; undefined if there is none. Not validated, because the same code wrote it. */
export function findBuildRecord(path: string): BuildRecord | undefined {
  try {
    return JSON.parse(openFolder(dirname(path)).read(basename(path), MAX_RECORD_BYTES).value?.toString() ?? '')
  } catch {
    return undefined
  }
}
