// Says what a hub serves of a repository in which something is wrong: what is broken stands in its last good state, and nothing else is touched.

import { formatProblem, type Problem } from '../text/problems.ts'
import { parsePath } from './content-path.ts'
import type { RepositoryEntry } from './content-tree.ts'
import { checkRepository, type Neighbours } from './rules.ts'

/** A repository with which something is wrong. */
interface BrokenRepository {
  /** As its files are. */
  now: RepositoryEntry
  /** The files with which something is wrong: versions by their numbers, and `index.md`. */
  wrong: ReadonlySet<string>
  /** As it is served, if it is. */
  last: RepositoryEntry | undefined
}

/**
 * Chooses what is served of a repository with which something is wrong: it with each wrong file in its last good state; or, when these do not fit together (a
 * label may name a version that is gone), as it was served before with the versions that came since; or as it was served before.
 *
 * @returns undefined when none of these keeps the rules
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
  // A replacement that does not exist only makes a dead link, which is no reason to leave the repository out.
  return candidates.find((one) => checkRepository(one, others).every(({ key }) => key === 'replaced_by'))
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
    if (!place || !('owner' in place)) continue
    const name = place.kind === 'owner' ? place.owner : `${place.owner}/${place.name}`
    groups.set(name, [...(groups.get(name) ?? []), `${problem.file}: ${formatProblem(problem)}`])
  }
  return groups
}
