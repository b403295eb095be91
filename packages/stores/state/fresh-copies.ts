// Stores fresh copies in the state store. A corrupt copy counts as missing and is logged; so does a copy in another format, without being logged.
import { LRUCache } from 'lru-cache'
import {
  type BuildSource,
  COPY_MS,
  type CopiedFiles,
  type CopiedVersion,
  type CopyOrigin,
  type CopyStore,
  type FreshCopy,
  isAhead,
  type OwnerCopy,
} from '../../../src/ports/fresh-copies.ts'
import type { Lifetime, StateStore } from '../../../src/ports/state-store.ts'
import { listKeys } from '../state-entries.ts'

/**
 * Identifies the shape of the records. Only a publish writes copies, from values of the records' types, so reads need no schemas for validation. A deploy also finds the copies of older deploys. tests/publish/fresh.test.ts fails when the shape changes, and names the new value.
 */
const FORMAT = 'b241fdeb43f13a3b'

/** The marker, whose value changes with every stored copy where several machines share a store: while it stays the same, cached copies are current. */
export const COPIES_MARKER = 'marker/fresh-copies'

interface Kept<Record> {
  format: string
  record: Record
}

interface StoredCopies extends CopyStore {
  /** Stores a copy unless a newer one exists, atomically with respect to other writers of this repository. */
  keepNewer(copy: FreshCopy, isOvertaken: (mine: FreshCopy, there: FreshCopy) => boolean): Promise<void>
  /** Does the same for the copy of an owner. */
  keepNewerOwner(copy: OwnerCopy, isOvertaken: (mine: OwnerCopy, there: OwnerCopy) => boolean): Promise<void>
}

/** Opens the copies in a state store. Each call reads them from the store, and rejects if the store fails. */
export function openCopies(state: StateStore): StoredCopies {
  return {
    find: (owner, name) => read(state, keyOf(owner, name)),
    findVersion: (owner, name, version) => read(state, versionKeyOf(owner, name, version)),
    listNames: (owner) => listNames(state, owner),
    findFiles: (owner, name, version) => read<CopiedFiles>(state, filesKeyOf(owner, name, version)),
    keepFiles: (kept) => write(state, filesKeyOf(kept.owner, kept.name, kept.version), kept),
    keepVersion: (kept) =>
      write(state, versionKeyOf(kept.version.owner, kept.version.name, kept.version.version), kept),
    keep: (copy) => write(state, keyOf(copy.repository.owner, copy.repository.name), copy),
    findOwner: (handle) => read(state, ownerKeyOf(handle)),
    keepOwner: (copy) => write(state, ownerKeyOf(copy.handle), copy),
    keepNewer: (copy, isOvertaken) =>
      writeNewer(state, keyOf(copy.repository.owner, copy.repository.name), copy, isOvertaken),
    keepNewerOwner: (copy, isOvertaken) => writeNewer(state, ownerKeyOf(copy.handle), copy, isOvertaken),
  }
}

async function writeNewer<Record>(
  state: StateStore,
  key: string,
  copy: Record,
  isOvertaken: (mine: Record, there: Record) => boolean,
): Promise<void> {
  const text = format(copy)
  const lifetime = startLifetime()
  // Each further attempt means that another machine stored a copy.
  for (;;) {
    const found = await state.get(key)
    const there = found && parse<Record>(found.value)
    if (there && isOvertaken(copy, there)) return
    const isKept = found
      ? await state.replace(key, text, found.version, lifetime)
      : await state.add(key, text, lifetime)
    if (isKept) return
  }
}

/**
 * Removes the copies that a build includes. Used only if a single process serves the store, because another machine's build may not include them yet.
 *
 * @returns the number of removed copies
 */
export async function removeBuiltCopies(state: StateStore, source: BuildSource): Promise<number> {
  let removed = 0
  for await (const key of listKeys(state, 'fresh/')) {
    const found = await state.get(key)
    if (!found) continue
    const [, , owner = '', name] = key.split('/')
    const origin = findOrigin(found.value)
    if (origin && isAhead(origin, owner, name, source)) continue
    // The copy is kept if a publish has stored a newer one in the meantime.
    if (await state.replace(key, '', found.version, { expiresAt: 0 })) removed++
  }
  await state.removeExpired()
  return removed
}

/**
 * Removes the copies of a repository, or only its own copy and those of one version and its files.
 *
 * @returns the number of removed copies. Processes may keep them in memory until a build includes a later commit
 */
export async function removeCopies(
  state: StateStore,
  { owner, name, version }: { owner: string; name: string; version?: string | undefined },
): Promise<number> {
  const keys = [keyOf(owner, name)]
  if (version !== undefined) keys.push(versionKeyOf(owner, name, version), filesKeyOf(owner, name, version))
  else
    for (const keyOfAll of [versionKeyOf, filesKeyOf])
      for await (const key of listKeys(state, keyOfAll(owner, name, ''))) keys.push(key)
  let removed = 0
  for (const key of keys) {
    if (await state.get(key)) removed++
    await state.delete(key)
  }
  const marker = await state.get(COPIES_MARKER)
  if (marker) await state.set(COPIES_MARKER, `${marker.value.split(' ', 1)[0]} ${Math.random()}`)
  return removed
}

/** @returns undefined if a copy is corrupt or in another format */
function findOrigin(text: string): CopyOrigin | undefined {
  try {
    const { format, record }: Kept<CopyOrigin> = JSON.parse(text)
    return format === FORMAT ? record : undefined
  } catch {
    return undefined
  }
}

/** Copies by key, each as it was first read. Bounded, so that requests for unknown names cannot fill the memory. */
export type Remembered<Value> = LRUCache<string, Promise<Value | undefined>>

/** Maximum number of cached repositories and of cached owners. */
export const MAX_REMEMBERED = 10_000
/** Maximum number of cached versions, of up to 256 KiB each; older versions are read from the store again. */
export const MAX_VERSIONS = 200

/** How long a store that failed is not asked for the same copy again. */
const FAILED_MS = 5_000

/** Reads a copy once. A later read does not extend its lifetime, and a failure is remembered only for a moment. */
export function remember<Value>(
  known: Remembered<Value>,
  key: string,
  read: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  const before = known.get(key)
  if (before !== undefined) return before
  const found = read()
  known.set(key, found)
  found.catch(() => known.set(key, Promise.resolve(undefined), { ttl: FAILED_MS }))
  return found
}

/** Caches copies in memory, for a single process that publishes and reads, so that a read does not access the store. */
export function rememberCopies(copies: CopyStore): CopyStore {
  // Counted by the monotonic clock.
  const repositories: Remembered<FreshCopy> = new LRUCache({ max: MAX_REMEMBERED, ttl: COPY_MS })
  const versions = new LRUCache<string, CopiedVersion>({ max: MAX_VERSIONS, ttl: COPY_MS })
  const owners: Remembered<OwnerCopy> = new LRUCache({ max: MAX_REMEMBERED, ttl: COPY_MS })
  const find: CopyStore['find'] = (owner, name) =>
    remember(repositories, keyOf(owner, name), () => copies.find(owner, name))
  return {
    find,
    async listNames(owner) {
      const stored = await copies.listNames(owner).catch(() => [])
      const start = keyOf(owner, '')
      const known = [...repositories].filter(([key]) => key.startsWith(start))
      // What was only looked up has no copy.
      const hasCopy = await Promise.all(known.map(([, copy]) => copy.catch(() => undefined)))
      const kept = known.filter((_, index) => hasCopy[index]).map(([key]) => key.slice(start.length))
      return [...new Set([...stored, ...kept])]
    },
    findFiles: (owner, name, version) => copies.findFiles(owner, name, version),
    // Unlike records, files are too large to be kept in memory until the process exits. If they cannot be stored, the next build shows the version.
    keepFiles: (kept) => copies.keepFiles(kept),
    async findVersion(owner, name, version) {
      const copy = await find(owner, name)
      if (!copy?.versions.some((listed) => listed.version === version)) return undefined
      return versions.get(versionKeyOf(owner, name, version)) ?? copies.findVersion(owner, name, version)
    },
    findOwner: (handle) => remember(owners, handle, () => copies.findOwner(handle)),
    async keepOwner(copy) {
      owners.set(copy.handle, Promise.resolve(copy))
      await copies.keepOwner(copy).catch(ignoreFailure)
    },
    async keepVersion(kept) {
      const { owner, name, version } = kept.version
      versions.set(versionKeyOf(owner, name, version), kept)
      await copies.keepVersion(kept).catch(ignoreFailure)
    },
    async keep(copy) {
      repositories.set(keyOf(copy.repository.owner, copy.repository.name), Promise.resolve(copy))
      await copies.keep(copy).catch(ignoreFailure)
    },
  }
}

/** A copy that could not be stored stays in memory until the process exits; the next process starts with a build. */
function ignoreFailure(): void {}

function write<Record extends CopyOrigin>(state: StateStore, key: string, record: Record): Promise<void> {
  return state.set(key, format(record), startLifetime())
}

function format<Record>(record: Record): string {
  const kept: Kept<Record> = { format: FORMAT, record }
  return JSON.stringify(kept)
}

function startLifetime(): Lifetime {
  return { expiresAt: Date.now() + COPY_MS }
}

/** @returns undefined for a copy of a deploy with other records. An older deploy's copies are in this deploy's build */
function parse<Record>(text: string): Record | undefined {
  const kept: Kept<Record> = JSON.parse(text)
  if (typeof kept.format !== 'string') throw new Error('expected a copy with its format')
  return kept.format === FORMAT ? kept.record : undefined
}

async function read<Record>(state: StateStore, key: string): Promise<Record | undefined> {
  const found = await state.get(key)
  try {
    return found && parse<Record>(found.value)
  } catch (error) {
    // Imported when the first problem occurs, because most reads and publishes cause no problem.
    const { logProblem } = await import('../../../src/ports/log.ts')
    logProblem('warning', 'A fresh copy is corrupt.', { key, cause: error })
    return undefined
  }
}

async function listNames(state: StateStore, owner: string): Promise<string[]> {
  const start = keyOf(owner, '')
  const names: string[] = []
  for await (const key of listKeys(state, start)) names.push(key.slice(start.length))
  return names
}

function keyOf(owner: string, name: string): string {
  return `fresh/repositories/${owner}/${name}`
}

function filesKeyOf(owner: string, name: string, version: string): string {
  return `fresh/files/${owner}/${name}/${version}`
}

function versionKeyOf(owner: string, name: string, version: string): string {
  return `fresh/versions/${owner}/${name}/${version}`
}

function ownerKeyOf(handle: string): string {
  return `fresh/owners/${handle}`
}
