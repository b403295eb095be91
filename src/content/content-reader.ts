// Reads the files of content from git objects, many at once.
import type { Git } from '../git/git-command.ts'
import { readObjects, readObjectsSync } from '../git/git-objects.ts'
import type { ContentReader } from './content-files.ts'
import { type ContentListing, type ListedFile, type ListedPart, promptOf, sizeOf } from './content-listing.ts'
import { findVersionOf, groupAboutVersions } from './version-files.ts'

/** The most that is read at once, unless one file is longer. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024
const MAX_BATCH_FILES = 1_000
/** Of more prompts than this, files are read while their data is derived. */
const MAX_PROMPTS_AHEAD = 20

/** The bytes of files, by object ID. */
type ReadObjects = ReadonlyMap<string, Buffer>

/** Reads the files of a few changed prompts: in contrast to what a reader does when it is asked, without a process that is started by this one. @returns nothing if there are many */
export async function readAhead(
  git: Git,
  { prompts }: ContentListing,
  changed: ReadonlySet<string> | 'all',
): Promise<ReadObjects> {
  if (changed === 'all' || changed.size > MAX_PROMPTS_AHEAD) return new Map()
  const files = [...changed].flatMap((name) => prompts.get(name)?.files ?? [])
  const bytes = sizeOf(files)
  if (files.length === 0 || files.length > MAX_BATCH_FILES || bytes > MAX_BATCH_BYTES) return new Map()
  const objects = await readObjects(
    git,
    files.map(({ id }) => id),
  )
  return new Map(objects.flatMap((object) => (object ? [[object.id, object.bytes] as const] : [])))
}

/** Opens the files of a listing. @param git git, with the objects of the listing @param ahead what was read already */
export function openObjects(
  git: Git,
  { others, prompts }: ContentListing,
  ahead: ReadObjects = new Map(),
): ContentReader {
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
      sizeOf(files),
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
      let value = ahead.get(file.id) ?? batch.get(file.id) ?? version.get(file.id)
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
