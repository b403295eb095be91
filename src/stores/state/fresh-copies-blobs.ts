// Stores fresh copies in the blob store. A copy that is unreadable or in another format is logged and counts as absent.
import type { BlobStore } from '../../ports/blob-store.ts'
import type { CopyStore, FreshCopy, KeptVersion } from '../../ports/fresh-copies.ts'

/**
 * The format of what is kept. Only a publish writes copies, from values of the records' types, so the format says all about the shape, and a read needs no
 * schemas to judge one; but a deploy also finds what an older one kept. tests/publish/fresh.test.ts says when it must be raised.
 */
const FORMAT = 2

/** A record as it lies in the store. */
interface Kept<Record> {
  format: number
  record: Record
}

/** Copies in a blob store, read anew each time. */
export function copiesInBlobs(blobs: BlobStore): CopyStore {
  return {
    find: (owner, name) => read(blobs, keyOf(owner, name)),
    findVersion: (owner, name, version) => read(blobs, versionKeyOf(owner, name, version)),
    keepVersion: (kept) =>
      write(blobs, versionKeyOf(kept.version.owner, kept.version.name, kept.version.version), kept),
    keep: (copy) => write(blobs, keyOf(copy.repository.owner, copy.repository.name), copy),
  }
}

/** Keeps copies in memory too, for the one process that publishes and reads, so that a read does not ask the store. */
export function rememberCopies(copies: CopyStore): CopyStore {
  const repositories = new Map<string, Promise<FreshCopy | undefined>>()
  const versions = new Map<string, KeptVersion>()
  const find: CopyStore['find'] = (owner, name) => {
    const key = keyOf(owner, name)
    const known = repositories.get(key) ?? copies.find(owner, name)
    repositories.set(key, known)
    if (repositories.size > MOST_REMEMBERED) repositories.delete(repositories.keys().next().value!)
    return known
  }
  return {
    find,
    async findVersion(owner, name, version) {
      const copy = await find(owner, name)
      if (!copy?.versions.some((listed) => listed.version === version)) return undefined
      return versions.get(versionKeyOf(owner, name, version)) ?? copies.findVersion(owner, name, version)
    },
    async keepVersion(kept) {
      const { owner, name, version } = kept.version
      versions.set(versionKeyOf(owner, name, version), kept)
      if (versions.size > MOST_VERSIONS) versions.delete(versions.keys().next().value!)
      await copies.keepVersion(kept).catch(ignoreFailure)
    },
    async keep(copy) {
      repositories.set(keyOf(copy.repository.owner, copy.repository.name), Promise.resolve(copy))
      await copies.keep(copy).catch(ignoreFailure)
    },
  }
}

/** A copy that could not be stored is in memory for as long as this process lives, and the next process begins with a build. */
function ignoreFailure(): void {}

/** How many repositories are remembered, so that requests for names that do not exist cannot fill the memory. */
const MOST_REMEMBERED = 10_000
/** How many versions are remembered, of up to 256 KiB each; older ones are read from the store again. */
const MOST_VERSIONS = 200

function write<Record>(blobs: BlobStore, key: string, record: Record): Promise<void> {
  const kept: Kept<Record> = { format: FORMAT, record }
  return blobs.set(key, JSON.stringify(kept))
}

async function read<Record>(blobs: BlobStore, key: string): Promise<Record | undefined> {
  try {
    const text = await blobs.get(key)
    if (text === undefined) return undefined
    const kept: Kept<Record> = JSON.parse(text)
    // What an older deploy kept is in the build of this one.
    if (kept.format < FORMAT) return undefined
    if (kept.format !== FORMAT) throw new Error(`expected format ${FORMAT}, got ${kept.format}`)
    return kept.record
  } catch (error) {
    // Imported with the first trouble, because most reads and publishes have none.
    const { logTrouble } = await import('../../ports/log.ts')
    logTrouble('warning', 'A fresh copy could not be read.', { key, cause: error })
    return undefined
  }
}

function keyOf(owner: string, name: string): string {
  return `fresh/repositories/${owner}/${name}`
}

function versionKeyOf(owner: string, name: string, version: string): string {
  return `fresh/versions/${owner}/${name}/${version}`
}
