// Defines the parsed content folder, from which the catalogue is built, and checks it as a whole.
import { formatPath } from '../../src/domain/content/content-path.ts'
import type { RepositoryEntry } from '../../src/domain/content/content-tree.ts'
import type { Usage } from '../../src/domain/content/front-matter.ts'
import type { Models } from '../../src/domain/content/models.ts'
import type { OwnerFile } from '../../src/domain/content/prompt-file.ts'
import { checkRepository, checkVersion } from '../../src/domain/content/rules.ts'
import type { TrustedRootFile } from '../../src/domain/content/trusted-root-file.ts'
import type { Problem } from '../../src/domain/text/problems.ts'
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

/**
 * Checks all rules for a whole content folder; returns an empty list if all rules are satisfied. The reader reports files that do not parse.
 *
 * @param given whether the parser has already applied `checkVersion` to each version
 */
export function checkTree(tree: ContentTree, given: { areVersionsChecked?: boolean } = {}): Problem[] {
  const problems: Problem[] = []
  for (const repository of tree.repositories.values()) {
    const { owner, name } = repository
    const indexFile = `content/${formatPath({ kind: 'repository', owner, name })}`
    for (const problem of checkRepository(repository, tree)) problems.push({ file: indexFile, ...problem })
    if (given.areVersionsChecked) continue
    for (const version of repository.versions) {
      const file = `content/${formatPath({ kind: 'version', owner, name, version: version.version })}`
      for (const problem of checkVersion(version)) problems.push({ file, ...problem })
    }
  }
  return problems
}
