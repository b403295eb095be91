// Owns what a hub serves of a content folder in which something is wrong: a broken prompt keeps out itself, and nothing else.

import { parsePath } from './content-path.ts'
import type { ContentTree, RepositoryEntry } from './content-tree.ts'
import { formatProblem, type Problem } from './problems.ts'
import { checkRepository } from './rules.ts'

/**
 * Makes a tree servable whose files are each in their last good state, but need not go together: a label may name a version that is gone.
 *
 * @param before the tree that was served last, if any
 * @returns a tree in which a repository that breaks a rule stands as it was served before, with the versions that came since, or not at all
 */
export function mendTree(tree: ContentTree, before: ContentTree | undefined): ContentTree {
  const repositories = new Map<string, RepositoryEntry>()
  for (const [fullName, repository] of tree.repositories) {
    const isServable = (candidate: RepositoryEntry) => breaksNothing(candidate, tree)
    const last = before?.repositories.get(fullName)
    const candidates = [repository, ...(last ? [unite(last, repository), last] : [])]
    const chosen = candidates.find(isServable)
    if (chosen) repositories.set(fullName, chosen)
  }
  return { ...tree, repositories }
}

/** A replacement that does not exist leads a reader to a page that is not there; that is no reason to show them nothing. */
function breaksNothing(repository: RepositoryEntry, tree: ContentTree): boolean {
  return checkRepository(repository, tree).every(({ key }) => key === 'replaced_by')
}

/** The index that was served last, and every version of then and now: one that was answered to somebody never goes because of another file. */
function unite(last: RepositoryEntry, now: RepositoryEntry): RepositoryEntry {
  const versions = new Map([...last.versions, ...now.versions].map((version) => [version.version, version]))
  return { owner: now.owner, name: now.name, file: last.file, versions: [...versions.values()] }
}

/** What is wrong, a sentence each, by the full name of the repository, or by the owner, whose newest state it keeps from being served. */
export function groupProblems(problems: readonly Problem[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const problem of problems) {
    const place = parsePath(problem.file.replace(/^content\//, '')).value
    // A file that stands where none belongs keeps nothing from being served.
    if (!place || place.kind === 'usage' || place.kind === 'equivalents') continue
    const name = place.kind === 'owner' ? place.owner : `${place.owner}/${place.name}`
    groups.set(name, [...(groups.get(name) ?? []), `${problem.file}: ${formatProblem(problem)}`])
  }
  return groups
}
