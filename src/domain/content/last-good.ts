// Owns what a hub serves of a content folder in which something is wrong: a broken prompt is left out, and nothing else is.

import { parsePath } from './content-path.ts'
import type { ContentTree, RepositoryEntry } from './content-tree.ts'
import { formatProblem, type Problem } from './problems.ts'
import { checkRepository } from './rules.ts'

/**
 * Makes a tree that can be served of files that are each in their last good state. They may not fit together: a label may name a version that is gone.
 *
 * @param before the tree that was served last, if any
 * @param isSound whether it is known of a repository that it breaks no rule, whatever the others are, so that none need be asked
 * @returns a tree in which a repository that breaks a rule stands as it was served before, with the versions that came since, or not at all
 */
export function mendTree(
  tree: ContentTree,
  before: ContentTree | undefined,
  isSound: (fullName: string) => boolean,
): ContentTree {
  const repositories = new Map<string, RepositoryEntry>()
  for (const [fullName, repository] of tree.repositories) {
    if (isSound(fullName)) {
      repositories.set(fullName, repository)
      continue
    }
    const isServable = (candidate: RepositoryEntry) => breaksNothing(candidate, tree)
    const last = before?.repositories.get(fullName)
    const candidates = [repository, ...(last ? [unite(last, repository), last] : [])]
    const chosen = candidates.find(isServable)
    if (chosen) repositories.set(fullName, chosen)
  }
  return { ...tree, repositories }
}

/** A replacement that does not exist only makes a dead link, which is no reason to leave the repository out. */
function breaksNothing(repository: RepositoryEntry, tree: ContentTree): boolean {
  return checkRepository(repository, tree).every(({ key }) => key === 'replaced_by')
}

/** The index that was served last with every version of then and now: a version that a reader has seen must not vanish because another file is broken. */
function unite(last: RepositoryEntry, now: RepositoryEntry): RepositoryEntry {
  const versions = new Map([...last.versions, ...now.versions].map((version) => [version.version, version]))
  return { owner: now.owner, name: now.name, file: last.file, versions: [...versions.values()] }
}

/** Problems as sentences, grouped by the full name of the repository, or the handle of the owner, that is served in an older state because of them. */
export function groupProblems(problems: readonly Problem[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const problem of problems) {
    const place = parsePath(problem.file.replace(/^content\//, '')).value
    // A file in a place that nothing is read from affects nobody.
    if (!place || place.kind === 'usage' || place.kind === 'equivalents') continue
    const name = place.kind === 'owner' ? place.owner : `${place.owner}/${place.name}`
    groups.set(name, [...(groups.get(name) ?? []), `${problem.file}: ${formatProblem(problem)}`])
  }
  return groups
}
