// Reads the files of a version from git. Bytes that the hub has anyway are used if git lists the same bytes, which saves a call for each file.

import { LIMITS } from '../../domain/limits.ts'
import { brokenFileError } from '../../domain/publishing/repository-state.ts'
import { sortFiles, type VersionFileBytes } from '../../domain/values/file-entry.ts'
import { findFilePathProblem } from '../../domain/values/file-path.ts'
import { blobId, type CallOptions, type FolderState, type GitStore } from '../../ports/git-store.ts'
import { mapConcurrently } from '../../ports/map-concurrently.ts'
import { measureFile } from '../../ports/measure.ts'

/** Maximum number of files that are read at once. */
const AT_ONCE = 4

/** Where files are read. */
interface FileSources {
  git: Pick<GitStore, 'listFolder' | 'readBlob'>
  call: CallOptions
  /** Returns the bytes that the hub has for a path; undefined if it has none. */
  find: (path: string) => Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** Reads the files beside the SKILL.md of a version, sorted by path. @throws HubError `upstream_error` for files that no version may have */
export async function readVersionFiles(
  place: { owner: string; name: string; version: string },
  { folders }: Pick<FolderState, 'folders'>,
  { git, call, find }: FileSources,
): Promise<VersionFileBytes[]> {
  const id = folders.get(place.version)
  if (id === undefined) return []
  const listed = [...(await git.listFolder(id, call))]
  const wrong = listed.find(([path]) => findFilePathProblem(path) !== undefined)
  if (wrong || listed.length > LIMITS.filesPerVersion)
    throw brokenFileError({ kind: 'version', ...place }, [
      {
        key: 'files',
        message: wrong ? 'expected valid paths' : `expected at most ${LIMITS.filesPerVersion} files`,
      },
    ])
  const files = await mapConcurrently(AT_ONCE, listed, async ([path, blob]) => {
    const known = await find(path)
    const isSame = known && blobId(known, blob.length) === blob
    return measureFile(path, isSame ? known : await git.readBlob(blob, { ...call, maxBytes: LIMITS.fileBytes }))
  })
  return sortFiles(files)
}
