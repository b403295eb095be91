// Owns fresh copies in the blob store; its troubles are logged and go no further.

import type { z } from 'zod'
import type { BlobStore } from '../domain/blob-store.ts'
import { type FreshCopies, FreshCopy } from '../domain/fresh-copy.ts'
import { VersionRecord } from '../domain/schema.ts'

/** Fresh copies in a blob store, read anew each time. */
export function freshInBlobs(blobs: BlobStore): FreshCopies {
  return {
    find: (owner, name) => read(blobs, keyOf(owner, name), FreshCopy),
    findVersion: (owner, name, version) => read(blobs, `${keyOf(owner, name)}/${version}`, VersionRecord),
    async keep(copy, version) {
      const { owner, name } = copy.repository
      // The version first: a copy never names one that cannot be read.
      if (version) await blobs.set(`${keyOf(owner, name)}/${version.version}`, JSON.stringify(version))
      await blobs.set(`${keyOf(owner, name)}/latest`, JSON.stringify(copy))
    },
  }
}

/** The same, remembered by the one process that publishes and reads: reading then costs nothing but a look into memory. */
export function rememberFresh(copies: FreshCopies): FreshCopies {
  const repositories = new Map<string, Promise<FreshCopy | undefined>>()
  const versions = new Map<string, VersionRecord>()
  const remember = (owner: string, name: string): Promise<FreshCopy | undefined> => {
    const key = keyOf(owner, name)
    const known = repositories.get(key) ?? copies.find(owner, name)
    repositories.set(key, known)
    if (repositories.size > MOST_REMEMBERED) repositories.delete(repositories.keys().next().value!)
    return known
  }
  return {
    find: remember,
    async findVersion(owner, name, version) {
      return (
        versions.get(`${keyOf(owner, name)}/${version}`) ??
        ((await remember(owner, name)) ? copies.findVersion(owner, name, version) : undefined)
      )
    },
    async keep(copy, version) {
      const { owner, name } = copy.repository
      if (version) versions.set(`${keyOf(owner, name)}/${version.version}`, version)
      if (versions.size > MOST_VERSIONS) versions.delete(versions.keys().next().value!)
      repositories.set(keyOf(owner, name), Promise.resolve(copy))
      await copies.keep(copy, version)
    },
  }
}

/** Whoever asks for names that do not exist must not fill the memory. */
const MOST_REMEMBERED = 10_000
/** A version may be 256 KiB long; older ones are read from the store again. */
const MOST_VERSIONS = 200

async function read<Schema extends z.ZodType>(
  blobs: BlobStore,
  key: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    const text = await blobs.get(key)
    return text === undefined ? undefined : schema.parse(JSON.parse(text))
  } catch (error) {
    console.error(
      JSON.stringify({
        level: 'warning',
        message: 'A fresh copy could not be read.',
        key,
        cause: error instanceof Error ? error.message : String(error),
      }),
    )
    return undefined
  }
}

function keyOf(owner: string, name: string): string {
  return `fresh/${owner}/${name}`
}
