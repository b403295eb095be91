// Reads what a review compares with: the labels of a prompt and the file of its owner, as they are in the base.

import { MAX_FILE_BYTES } from '../content/content-file.ts'
import type { FileState } from '../content/content-walk.ts'
import { formatPath } from '../domain/content/content-path.ts'
import {
  type OwnerFile,
  parseOwnerFile,
  parseRepositoryFile,
  type RepositoryFile,
} from '../domain/content/prompt-file.ts'
import type { Comparison } from './content-changes.ts'
import type { openFileReader } from './file-reader.ts'
import type { ReviewedLabels } from './rules/review-results.ts'

/** Opens a reader of the base. @param read reads a file of the content folder @param states what the listing says about the owners' files, by path */
export function openBefore(
  comparison: Comparison | undefined,
  read: ReturnType<typeof openFileReader>,
  states: ReadonlyMap<string, FileState>,
): {
  ownerOf(owner: string): Promise<OwnerFile | 'broken' | undefined>
  labelsOf(index: FileState, isTouched: boolean, after: RepositoryFile['labels']): Promise<ReviewedLabels['before']>
} {
  const known = new Map<string, Promise<OwnerFile | 'broken' | undefined>>()
  const readOwner = async (owner: string) => {
    const path = formatPath({ kind: 'owner', owner })
    const state = states.get(path)
    const here = state?.isHere ? read(path).value : undefined
    // Without a base, and if the file is the same there, it is read from the folder.
    const isSame = comparison === undefined || (here !== undefined && here.id === state?.atBase?.id)
    const text = isSame ? here?.bytes?.toString() : await readBlob(comparison, state?.atBase?.id)
    const isThere = isSame ? state !== undefined : state?.atBase !== undefined
    return isThere ? ((text === undefined ? undefined : parseOwnerFile(text).value) ?? 'broken') : undefined
  }
  return {
    ownerOf(owner) {
      const found = known.get(owner) ?? readOwner(owner)
      known.set(owner, found)
      return found
    },
    async labelsOf({ atFork }, isTouched, after) {
      if (comparison === undefined) return undefined
      if (!isTouched) return after
      const text = await readBlob(comparison, atFork?.id)
      return (text === undefined ? undefined : parseRepositoryFile(text).value?.labels) ?? {}
    },
  }
}

/** @returns undefined if there is no such file, or if it is too long */
async function readBlob({ git }: Comparison, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined
  const { code, stdout } = await git.tryRun(['cat-file', 'blob', id])
  return code === 0 && stdout.length <= MAX_FILE_BYTES ? stdout.toString() : undefined
}
