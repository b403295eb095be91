// Joins what git lists of a repository with what the hub serves of it, because a commit by hand may have changed, deleted or moved published versions.
import type { RepositoryPlace } from '../../domain/values/names.ts'
import type { FolderState } from '../../ports/git-store.ts'
import type { TextWork } from '../../ports/text-work.ts'
import type { Sources } from '../hub.ts'
import { findVersions } from '../read/records.ts'

/** The ID of a version file that git does not list, although the hub serves it. */
const NOT_LISTED = ''

/** Adds the versions that the hub serves to a listing, and removes those that were taken down and have a file again. */
export async function joinServed(
  { owner, name }: RepositoryPlace,
  folder: FolderState,
  deps: Sources & { text: TextWork },
): Promise<FolderState> {
  const served = (await findVersions(owner, name, deps))?.versions ?? []
  const removed = folder.index?.includes('removed') ? await listRemoved({ owner, name }, folder.index, deps) : []
  const versions = new Map(folder.versions)
  for (const { version } of served) if (!versions.has(version)) versions.set(version, NOT_LISTED)
  for (const version of removed) versions.delete(version)
  return { ...folder, versions }
}

/** @returns none for an `index.md` that cannot be read, which the decision refuses */
async function listRemoved(place: RepositoryPlace, index: string, { text }: { text: TextWork }): Promise<string[]> {
  const file = await text.run('readIndex', place, index).catch(() => undefined)
  return Object.keys(file?.removed ?? {})
}
