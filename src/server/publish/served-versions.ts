// Joins what git lists of a repository with what the hub serves of it, because a commit by hand may have changed, deleted or moved published versions.
import { readIndex } from '../../domain/publishing/repository-state.ts'
import type { RepositoryPlace } from '../../domain/values/names.ts'
import type { FolderState } from '../../git/git-store.ts'
import type { Sources } from '../hub.ts'
import { findVersions } from '../read/records.ts'

/** The ID of a version file that git does not list, although the hub serves it. */
const NOT_LISTED = ''

/** Adds the versions that the hub serves to a listing, and removes those that were taken down and have a file again. */
export async function joinServed(
  { owner, name }: RepositoryPlace,
  folder: FolderState,
  deps: Sources,
): Promise<FolderState> {
  const served = (await findVersions(owner, name, deps))?.versions ?? []
  const removed = folder.index?.includes('removed') ? listRemoved({ owner, name }, folder.index) : []
  const versions = new Map(folder.versions)
  for (const { version } of served) if (!versions.has(version)) versions.set(version, NOT_LISTED)
  for (const version of removed) versions.delete(version)
  return { ...folder, versions }
}

/** @returns none for an `index.md` that cannot be read, which the decision refuses */
function listRemoved(place: RepositoryPlace, index: string): string[] {
  try {
    return Object.keys(readIndex(place, index).removed)
  } catch {
    return []
  }
}
