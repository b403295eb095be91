// Reads the files of content from git objects, many at once.
import type { Git } from '../git/git-command.ts'
import { readObjectsSync } from '../git/git-objects.ts'
import type { ContentReader } from './content-files.ts'
import { type ContentListing, type ListedFile, type ListedPart, promptOf } from './content-listing.ts'
import { findVersionOf, groupAboutVersions } from './version-files.ts'

/** The most that is read at once, unless one file is longer. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024
const MAX_BATCH_FILES = 1_000

/** Opens the files of a listing. @param git git, with the objects of the listing */
export function openObjects(git: Git, { others, prompts }: ContentListing): ContentReader {
  const byPath = new WeakMap<ListedPart, Map<string, ListedFile>>()
  const byVersion = new WeakMap<ListedPart, Map<string, ListedFile[]>>()
  let expected: ListedFile[] = []
  /** What the last batch of expected files read, and what the last version's files are. */
  let batch = new Map<string, Buffer>()
  let version = new Map<string, Buffer>()
  const partOf = (path: string) => prompts.get(promptOf(path)) ?? others
  const findFile = (path: string): ListedFile | undefined => {
    const part = partOf(path)
    const files = byPath.get(part) ?? new Map(part.files.map((file) => [file.path, file]))
    byPath.set(part, files)
    return files.get(path)
  }
  /** Finds the files of the version that a file belongs to. */
  const findTogether = (path: string): readonly ListedFile[] => {
    const part = partOf(path)
    const files = byVersion.get(part) ?? groupAboutVersions(part.files, (file) => file.path)
    byVersion.set(part, files)
    return files.get(findVersionOf(path)?.version ?? '') ?? []
  }
  const readAll = (files: readonly ListedFile[]) => {
    const objects = readObjectsSync(
      git,
      files.map(({ id }) => id),
      files.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    return new Map(objects.flatMap((object) => (object ? [[object.id, object.bytes] as const] : [])))
  }
  /** Takes the first files of a list that may be read at once, and at least one. */
  const takeBatch = (files: readonly ListedFile[]) => {
    let left = MAX_BATCH_BYTES
    const end = files.findIndex(({ bytes }, at) => {
      left -= bytes
      return at > 0 && (left < 0 || at >= MAX_BATCH_FILES)
    })
    return end === -1 ? files : files.slice(0, end)
  }
  return {
    read(path, maxBytes) {
      const file = findFile(path)
      if (!file) return { refusal: 'missing' }
      if (file.bytes > maxBytes) return { refusal: 'long' }
      let value = batch.get(file.id) ?? version.get(file.id)
      if (!value) {
        const at = expected.indexOf(file)
        if (at === -1) {
          version = readAll(takeBatch([file, ...findTogether(path).filter((one) => one !== file)]))
        } else {
          const taken = takeBatch(expected.slice(at))
          expected = expected.slice(at + taken.length)
          batch = readAll(taken)
        }
        value = batch.get(file.id) ?? version.get(file.id)
      }
      return value ? { value } : { refusal: 'unreadable' }
    },
    expect(paths) {
      expected = Array.from(paths, findFile).filter((file) => file !== undefined)
    },
  }
}
