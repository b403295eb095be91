// Defines the parsed content folder, from which the catalogue is built.
import type { RepositoryEntry } from '../domain/content/content-tree.ts'
import type { Usage } from '../domain/content/front-matter.ts'
import type { Models } from '../domain/content/models.ts'
import type { OwnerFile } from '../domain/content/prompt-file.ts'
import type { TrustedRootFile } from '../domain/content/trusted-root-file.ts'
import type { Equivalents } from './search/equivalents.ts'

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
