// Defines the parsed content folder, from which the catalogue is built.

import type { Equivalents } from '../search/equivalents.ts'
import type { Bundle } from '../values/file-entry.ts'
import type { Usage } from './front-matter.ts'
import type { Models } from './models.ts'
import type { OwnerFile, RepositoryFile, VersionFile } from './prompt-file.ts'
import type { ResultFile } from './result-file.ts'
import type { TrustedRootFile } from './trusted-root-file.ts'

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
}

/** All parsed files below content/. */
export interface ContentTree {
  /** Owners with an `index.md`, by handle. */
  owners: ReadonlyMap<string, OwnerFile>
  /** Repositories by full name. */
  repositories: ReadonlyMap<string, RepositoryEntry>
  /** Download counts by full name; empty if there is no `usage.json`. */
  usage: ReadonlyMap<string, Usage[string]>
  /** Search synonyms; empty if there is no synonym file. */
  equivalents: Equivalents
  /** The models with an announced end, by ID; empty if there is no `models.yml`. */
  models: Models
  /** The Sigstore instances whose attestations the hub accepts; undefined if there is no `trusted-root.json`. */
  trustedRoot?: TrustedRootFile | undefined
}
