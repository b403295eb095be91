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
  const known = new WeakMap<ListedPart, { byPath: Map<string, ListedFile>; byVersion: Map<string, ListedFile[]> }>()
  let expected: ListedFile[] = []
  /** What the last batch of expected files read, and what the last version's files are. */
  let batch = new Map<string, Buffer>()
  let version = new Map<string, Buffer>()
  const findPart = (path: string) => {
    const part = prompts.get(promptOf(path)) ?? others
    const found = known.get(part) ?? {
      byPath: new Map(part.files.map((file) => [file.path, file])),
      byVersion: groupAboutVersions(part.files, ({ path }) => path),
    }
    known.set(part, found)
    return found
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
      const { byPath, byVersion } = findPart(path)
      const file = byPath.get(path)
      if (!file) return { refusal: 'missing' }
      if (file.bytes > maxBytes) return { refusal: 'long' }
      let value = batch.get(file.id) ?? version.get(file.id)
      if (!value) {
        const at = expected.indexOf(file)
        if (at === -1) {
          const together = byVersion.get(findVersionOf(path)?.version ?? '') ?? []
          version = readAll(takeBatch([file, ...together.filter((one) => one !== file)]))
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
      expected = Array.from(paths, (path) => findPart(path).byPath.get(path)).filter((file) => file !== undefined)
    },
  }
}
