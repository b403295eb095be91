// Decides what a hub serves of a repository with problems: broken files in their last valid state, everything else as it is.

import { formatProblem, type Problem } from '../text/problems.ts'
import { parsePath } from './content-path.ts'
import type { RepositoryEntry } from './content-tree.ts'
import { checkRepository, type Neighbours } from './rules.ts'

/** A repository with problems. */
interface BrokenRepository {
  /** From its files. */
  now: RepositoryEntry
  /** The files with problems: versions by number, and `index.md`. */
  wrong: ReadonlySet<string>
  /** As currently served, if at all. */
  last: RepositoryEntry | undefined
}

/**
 * Chooses what to serve of a repository with problems: each broken file in its last valid state; if these do not fit together (a label may name a missing version), the served repository with the new versions; or else the served repository.
 *
 * @returns undefined when none of these satisfies the rules
 */
export function mendRepository(
  { now, wrong, last }: BrokenRepository,
  others: Neighbours,
): RepositoryEntry | undefined {
  const isGood = ({ version }: { version: string }) => !wrong.has(version)
  const good: RepositoryEntry = {
    owner: now.owner,
    name: now.name,
    file: wrong.has('index.md') ? last?.file : now.file,
    versions: [...now.versions.filter(isGood), ...(last?.versions ?? []).filter(({ version }) => wrong.has(version))],
  }
  const candidates = [good, ...(last ? [unite(last, good), last] : [])]
  // A missing replacement is only a dead link, which is no reason to hide the repository.
  return candidates.find((one) => checkRepository(one, others).every(({ key }) => key === 'replaced_by'))
}

/** The index that was served last with every version of then and now: a version that a reader has seen must not vanish because another file is broken. */
function unite(last: RepositoryEntry, now: RepositoryEntry): RepositoryEntry {
  const versions = new Map([...last.versions, ...now.versions].map((version) => [version.version, version]))
  return { owner: now.owner, name: now.name, file: last.file, versions: [...versions.values()] }
}

/** Problems as sentences, by the full name of the repository, or the handle of the owner, that is served in an older state because of them. */
export function groupProblems(problems: readonly Problem[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const problem of problems) {
    const place = parsePath(problem.file.replace(/^content\//, '')).value
    // A misplaced file that is never read affects nobody.
    if (!place || !('owner' in place)) continue
    const name = place.kind === 'owner' ? place.owner : `${place.owner}/${place.name}`
    groups.set(name, [...(groups.get(name) ?? []), `${problem.file}: ${formatProblem(problem)}`])
  }
  return groups
}
