// Defines a repository's parsed files, from which its records are built.

import type { Bundle } from '../values/file-entry.ts'
import type { RepositoryFile, VersionFile } from './prompt-file.ts'
import type { ResultFile } from './result-file.ts'

/** A version file with values derived from its bytes. */
export interface VersionEntry extends VersionFile {
  version: string
  /** The SHA-256 of the content's bytes, in hex. */
  content_sha256: string
  /** The length of the content in UTF-8 bytes. */
  size_bytes: number
  /** The files beside its SKILL.md; omitted if there are none. */
  bundle?: Bundle
}

/** A result file, with what its path says. */
export interface ResultEntry extends ResultFile {
  version: string
  suite: string
}

/** A repository's files. */
export interface RepositoryEntry {
  owner: string
  name: string
  /** Its `index.md`, if it exists. */
  file: RepositoryFile | undefined
  /** Its versions, in no particular order. */
  versions: VersionEntry[]
  /** The results of test suites for these versions; omitted if there are none. */
  results?: ResultEntry[]
  /** The bytes of all its files, for quotas; omitted if they were not counted. */
  bytes?: number
}
