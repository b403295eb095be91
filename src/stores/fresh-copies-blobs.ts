// Owns fresh copies in the blob store. A copy that cannot be read, or was written in another format, is logged and counts as absent.
import type { VersionRecord } from '../domain/api/schema.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { FreshCopies, FreshCopy } from '../ports/fresh-copies.ts'

/**
 * The format of what is kept. Only a publish writes copies, from values of the records' types, so the format says all about the shape, and a read needs no
 * schemas to judge one; but a deploy also finds what an older one kept. tests/publish/fresh.test.ts says when it must be raised.
 */
const FORMAT = 2

/** A record as it lies in the store. */
interface Kept<Record> {
  format: typeof FORMAT
  record: Record
}

/** Fresh copies in a blob store, read anew each time. */
export function freshInBlobs(blobs: BlobStore): FreshCopies {
  return {
    find: (owner, name) => read(blobs, keyOf(owner, name)),
    findVersion: (owner, name, version) => read(blobs, versionKeyOf(owner, name, version)),
    keepVersion: (version) => write(blobs, versionKeyOf(version.owner, version.name, version.version), version),
    keep: (copy) => write(blobs, keyOf(copy.repository.owner, copy.repository.name), copy),
  }
}

/** Fresh copies of the one process that publishes and reads. */
export interface RememberedFresh extends FreshCopies {
  /** Drops all copies kept before a moment: a build that began then has read everything that they hold. */
  forgetBefore(moment: Date): void
}

/** Keeps copies in memory too, so that a read does not ask the store. */
export function rememberFresh(copies: FreshCopies): RememberedFresh {
  const repositories = new Map<string, Promise<FreshCopy | undefined>>()
  const versions = new Map<string, VersionRecord>()
  let forgottenMs = 0
  const find = async (owner: string, name: string): Promise<FreshCopy | undefined> => {
    const key = keyOf(owner, name)
    const known = repositories.get(key) ?? copies.find(owner, name)
    repositories.set(key, known)
    if (repositories.size > MOST_REMEMBERED) repositories.delete(repositories.keys().next().value!)
    const copy = await known
    return copy && Date.parse(copy.kept_at) >= forgottenMs ? copy : undefined
  }
  return {
    find,
    async findVersion(owner, name, version) {
      const copy = await find(owner, name)
      if (!copy?.versions.some((listed) => listed.version === version)) return undefined
      return versions.get(versionKeyOf(owner, name, version)) ?? copies.findVersion(owner, name, version)
    },
    async keepVersion(version) {
      versions.set(versionKeyOf(version.owner, version.name, version.version), version)
      if (versions.size > MOST_VERSIONS) versions.delete(versions.keys().next().value!)
      await copies.keepVersion(version).catch(ignoreFailure)
    },
    async keep(copy) {
      repositories.set(keyOf(copy.repository.owner, copy.repository.name), Promise.resolve(copy))
      await copies.keep(copy).catch(ignoreFailure)
    },
    forgetBefore(moment) {
      forgottenMs = moment.getTime()
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
    if (kept.format !== FORMAT) throw new Error(`expected format ${FORMAT}, got ${kept.format}`)
    return kept.record
  } catch (error) {
    // Imported with the first trouble, because most reads and publishes have none.
    const { logTrouble } = await import('../ports/log.ts')
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
