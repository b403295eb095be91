// Decides what a hub serves for a repository with problems: the last valid version of each invalid file, and the current version of everything else.

import { parsePath } from '../domain/content/content-path.ts'
import type { RepositoryEntry, ResultEntry } from '../domain/content/content-tree.ts'
import { checkRepository, isTakenDown, type Neighbours } from '../domain/content/rules.ts'
import { formatProblem, type Problem } from '../domain/text/problems.ts'

/** A repository with problems. */
interface BrokenRepository {
  /** The repository as read from its files. */
  now: RepositoryEntry
  /** The files with problems: versions by number, or `index.md`. */
  wrong: ReadonlySet<string>
  /** The repository as currently served, if at all. */
  last: RepositoryEntry | undefined
}

/**
 * Chooses what to serve for a repository with problems: the last valid version of each invalid file. If the files do not fit together (a label may name a missing version), it chooses the currently served repository plus the new versions, the currently served repository alone, or otherwise the valid files without the labels and yanks that do not fit.
 *
 * @returns undefined when none of these satisfies the rules, and when no valid `index.md` is known: it may yank a version or archive the repository
 */
export function fixRepository({ now, wrong, last }: BrokenRepository, others: Neighbours): RepositoryEntry | undefined {
  if (wrong.has('index.md') && !last) return undefined
  const isGood = ({ version }: { version: string }) => !wrong.has(version)
  const good: RepositoryEntry = {
    owner: now.owner,
    name: now.name,
    file: wrong.has('index.md') ? last?.file : now.file,
    versions: [...now.versions.filter(isGood), ...(last?.versions ?? []).filter(({ version }) => wrong.has(version))],
    ...resultsOf([...(now.results ?? []).filter(isGood), ...(last?.results ?? []).filter((one) => !isGood(one))]),
  }
  const candidates = [good, ...(last ? [unite(last, good), last] : []), withoutMisfits(good, others)]
  // A missing repository that the index names is only a dead link, which is no reason to hide this one.
  const isServable = (one: RepositoryEntry) =>
    !isTakenDown(one) && checkRepository(one, others).every(({ key }) => key === 'replaced_by' || key === 'moved_to')
  return candidates.find(isServable)
}

/** Leaves out the labels and yanks of versions that are missing, invalid or, for a label, yanked. */
function withoutMisfits(entry: RepositoryEntry, others: Neighbours): RepositoryEntry {
  if (!entry.file) return entry
  const wrong = new Set(checkRepository(entry, others).map(({ key }) => key))
  const fitting = <Value>(name: string, values: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(values).filter(([key]) => !wrong.has(`${name}.${key}`)))
  const { labels, yanked } = entry.file
  return { ...entry, file: { ...entry.file, labels: fitting('labels', labels), yanked: fitting('yanked', yanked) } }
}

/** Combines the last served index with all previous and current versions: a version that a reader has seen must not disappear because another file is invalid. */
function unite(last: RepositoryEntry, now: RepositoryEntry): RepositoryEntry {
  const versions = new Map([...last.versions, ...now.versions].map((version) => [version.version, version]))
  const results = [...(now.results ?? []), ...(last.results ?? [])]
  const bySuite = new Map(results.toReversed().map((result) => [`${result.version}/${result.suite}`, result]))
  return {
    owner: now.owner,
    name: now.name,
    file: last.file,
    versions: [...versions.values()],
    ...resultsOf([...bySuite.values()]),
  }
}

const resultsOf = (results: ResultEntry[]): Pick<RepositoryEntry, 'results'> => (results.length > 0 ? { results } : {})

/** Formats problems as messages, grouped by the repository (full name) or owner (handle) whose previous version is served because of them. */
export function groupProblems(problems: readonly Problem[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const problem of problems) {
    const place = parsePath(problem.file.replace(/^content\//, '')).value
    // A misplaced file is never read, and a result that cannot be read only does not count, so neither has an effect on what else is served.
    if (!place || !('owner' in place) || place.kind === 'result' || place.kind === 'tests') continue
    const name = place.kind === 'owner' ? place.owner : `${place.owner}/${place.name}`
    const group = groups.get(name) ?? []
    group.push(`${problem.file}: ${formatProblem(problem)}`)
    groups.set(name, group)
  }
  return groups
}
