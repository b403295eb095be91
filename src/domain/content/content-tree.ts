// Owns the parsed content folder: what was found where, before anything is concluded from it.
import type { RecordDigests, RepositoryOutline } from '../catalogue/outline.ts'
import type { Equivalents } from '../search/equivalents.ts'
import type { Usage } from './front-matter.ts'
import type { OwnerFile, RepositoryFile, VersionFile } from './prompt-file.ts'

/** A version file with what only its bytes can tell. */
export interface VersionEntry extends VersionFile {
  version: string
  /** SHA-256 of the content's bytes, in hex. */
  content_sha256: string
  /** Length of the content in bytes of UTF-8. */
  size_bytes: number
}

/** A repository's files. */
export interface RepositoryEntry {
  owner: string
  name: string
  /** Its `index.md`, when there is one. */
  file: RepositoryFile | undefined
  /** In no particular order. */
  versions: VersionEntry[]
  /** Changes whenever one of its files does; absent where nobody asks for it. */
  digest?: string
  /** What was concluded from it, when that was kept. It spares reading `file` and `versions`, which then come from a store each time they are asked for. */
  kept?: KeptOutline
}

/** An outline and what it was made by. */
export interface KeptOutline {
  /** Stands for what else decides about it beside the files. */
  given: string
  outline: RepositoryOutline
  digests: RecordDigests
}

/** Everything below content/. */
export interface ContentTree {
  /** Owners with an `index.md`, by handle. */
  owners: ReadonlyMap<string, OwnerFile>
  /** By full name. */
  repositories: ReadonlyMap<string, RepositoryEntry>
  /** Download counts by full name; empty when nothing is counted. */
  usage: ReadonlyMap<string, Usage[string]>
  /** What means the same to people who search; empty without the file. */
  equivalents: Equivalents
}
