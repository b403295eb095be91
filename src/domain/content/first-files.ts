// Decides what of a version is served: what its files first were on the branch, for ever. A later change is a problem, not another version.

/** The files of a version: its version file, the files in its folder, and its attestations. Git's object IDs, by path below the content folder. */
export type VersionFiles = ReadonlyMap<string, string>

/** What the branch knows of a version. */
export interface PastVersion {
  /** What it was when it first came to the branch. */
  first: VersionFiles
  /** The first commit with these files. */
  commit: string
  /** Whether the `removed` of a commit since then names it: it was taken down. */
  wasRemoved: boolean
}

/** What is served of a version: its files as they are, its first files, or nothing. `path` is the file that the problem is about. */
type VersionVerdict =
  | { serve: 'found'; path?: never; message?: never }
  | { serve: 'first' | 'nothing'; path: string; message: string }
  | { serve: 'nothing'; path?: never; message?: never }

const FOUND: VersionVerdict = { serve: 'found' }

/**
 * Decides what of a version is served.
 *
 * @param file the path of its version file
 * @param now its files now; none if it is gone
 * @param past undefined if it is not on the branch yet
 * @param isRemoved whether `removed` names it now
 */
export function judgeVersion(
  file: string,
  now: VersionFiles,
  past: PastVersion | undefined,
  isRemoved: boolean,
): VersionVerdict {
  if (isRemoved && now.size === 0) return { serve: 'nothing' }
  if (isRemoved) return { serve: 'nothing', path: file, message: 'expected no file for a version that was taken down' }
  if (!past) return FOUND
  const path = findDifference(file, now, past.first)
  if (path === undefined) return FOUND
  const commit = past.commit.slice(0, 12)
  if (past.wasRemoved) {
    const message =
      now.size === 0
        ? 'expected removed in index.md to name this version, which was taken down; its number stays used. Put the entry back'
        : `expected the files of commit ${commit}, because this version was taken down, and its number means no other text; it is not served. Delete the files, and put the entry back into removed`
    return { serve: 'nothing', path, message }
  }
  const got = now.has(path) ? (past.first.has(path) ? 'other bytes' : 'a file that was added later') : 'nothing'
  const way = past.first.has(path) ? `Restore it (git restore --source=${commit} -- FILE)` : 'Remove it'
  return {
    serve: 'first',
    path,
    message: `expected the version as it came to the branch in commit ${commit}, got ${got}; the first files are served. ${way}, and publish the change as the next version; npm run takedown removes a version`,
  }
}

/** Finds a path that differs: that of the version file, if it does. */
function findDifference(file: string, now: VersionFiles, first: VersionFiles): string | undefined {
  const paths = [...new Set([...first.keys(), ...now.keys()])].filter((path) => now.get(path) !== first.get(path))
  return paths.includes(file) ? file : paths[0]
}
