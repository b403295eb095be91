// Stores fresh copies in the state store. A corrupt copy counts as missing and is logged; so does a copy in another format, without being logged.
import { LRUCache } from 'lru-cache'
import {
  type BuildSource,
  COPY_MS,
  type CopyKind,
  type CopyKinds,
  type CopyOrigin,
  type FreshCopies,
  type FreshCopy,
  isAhead,
} from './fresh-copies.ts'
import { listKeys } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/**
 * Identifies the shape of the records. Only a publish writes copies, from values of the records' types, so reads need no schemas for validation. A deploy also finds the copies of older deploys. tests/publish/fresh.test.ts fails when the shape changes, and names the new value.
 */
const FORMAT = 'bfe1d0aebdd885a2'

/** The marker, whose value changes with every stored copy where several machines share a store: while it stays the same, cached copies are current. */
export const COPIES_MARKER = 'marker/fresh-copies'

interface Kept<Record> {
  format: string
  record: Record
}

/** Decides for some kinds whether an existing copy stays, because it belongs to a later write that another machine stored first. */
export type Overtaken = {
  [Kind in CopyKind]?: (mine: CopyKinds[Kind]['copy'], there: CopyKinds[Kind]['copy']) => boolean
}

/** Opens the copies in a state store. Each call reads them from the store, and rejects if the store fails. @param overtaken for a store that several machines write to */
export function openCopies(state: StateStore, overtaken: Overtaken = {}): FreshCopies {
  return {
    find: (kind, ...names) => read(state, keyOf(kind, names)),
    async listNames(owner) {
      const start = keyOf('repositories', [owner, ''])
      return (await Array.fromAsync(listKeys(state, start))).map((key) => key.slice(start.length))
    },
    async keep(kind, copy) {
      const key = keyOf(kind, NAMES[kind](copy))
      const kept: Kept<typeof copy> = { format: FORMAT, record: copy }
      const text = JSON.stringify(kept)
      const lifetime = { expiresAt: Date.now() + COPY_MS }
      const isOvertaken = overtaken[kind]
      if (!isOvertaken) return state.set(key, text, lifetime)
      // Each further attempt means that another machine stored a copy.
      for (;;) {
        const found = await state.get(key)
        const there = found && parse<typeof copy>(found.value)
        if (there && isOvertaken(copy, there)) return
        const isKept = found
          ? await state.replace(key, text, found.version, lifetime)
          : await state.add(key, text, lifetime)
        if (isKept) return
      }
    },
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

/** @returns undefined if a copy is corrupt or in another format */
function findOrigin(text: string): CopyOrigin | undefined {
  try {
    const { format, record }: Kept<CopyOrigin> = JSON.parse(text)
    return format === FORMAT ? record : undefined
  } catch {
    return undefined
  }
}

/** Maximum number of cached repositories and of cached owners; requests for unknown names cannot fill the memory. */
const MAX_REMEMBERED = 10_000
/** Maximum number of cached versions, of up to 256 KiB each; older versions are read from the store again. */
const MAX_VERSIONS = 200
/** How long a store that failed is not asked for the same copy again. */
const FAILED_MS = 5_000

/** Copies by key, each as it was first read. */
type Remembered<Copy> = LRUCache<string, Promise<Copy | undefined>>

/** Caches copies in memory, so that a read does not access the store. A copy that could not be stored stays in memory until the process exits; the next process starts with a build. @param ttl how long a copy is cached, by the monotonic clock */
export function rememberCopies(copies: FreshCopies, ttl = COPY_MS): FreshCopies {
  const repositories: Remembered<FreshCopy> = new LRUCache({ max: MAX_REMEMBERED, ttl })
  // Files are too large to be cached. If they cannot be stored, the next build shows the version.
  const known: { [Kind in CopyKind]?: Remembered<CopyKinds[Kind]['copy']> } = {
    repositories,
    owners: new LRUCache({ max: MAX_REMEMBERED, ttl }),
    versions: new LRUCache({ max: MAX_VERSIONS, ttl }),
  }
  const remembering: FreshCopies = {
    async find(kind, ...names) {
      const cache = known[kind]
      if (!cache) return copies.find(kind, ...names)
      if (kind === 'versions' && !(await isListed(names))) return undefined
      const key = keyOf(kind, names)
      // A later read does not extend the lifetime, and a failure is remembered only for a moment.
      const before = cache.get(key)
      if (before !== undefined) return before
      const found = copies.find(kind, ...names)
      cache.set(key, found)
      found.catch(() => cache.set(key, Promise.resolve(undefined), { ttl: FAILED_MS }))
      return found
    },
    async listNames(owner) {
      const stored = await copies.listNames(owner).catch(() => [])
      const start = keyOf('repositories', [owner, ''])
      const own = [...repositories].filter(([key]) => key.startsWith(start))
      // What was only looked up has no copy.
      const hasCopy = await Promise.all(own.map(([, copy]) => copy.catch(() => undefined)))
      const kept = own.filter((_, index) => hasCopy[index]).map(([key]) => key.slice(start.length))
      return [...new Set([...stored, ...kept])]
    },
    async keep(kind, copy) {
      const cache = known[kind]
      if (!cache) return copies.keep(kind, copy)
      cache.set(keyOf(kind, NAMES[kind](copy)), Promise.resolve(copy))
      await copies.keep(kind, copy).catch(ignoreFailure)
    },
  }
  /** Returns whether the copy of a repository lists a version, so that no other version is looked up. */
  const isListed = async ([owner = '', name = '', version]: readonly string[]) =>
    (await remembering.find('repositories', owner, name))?.versions.some((listed) => listed.version === version)
  return remembering
}

/** Opens the copies of a server that serves its hub alone. Nobody else writes some, so the store is asked only for what it has now and for what this server keeps: most prompts have no copy. */
export async function openOwnCopies(state: StateStore): Promise<FreshCopies> {
  const copies = rememberCopies(openCopies(state))
  const keys = new Set(await Array.fromAsync(listKeys(state, 'fresh/')))
  return {
    ...copies,
    held: keys,
    find: async (kind, ...names) => (keys.has(keyOf(kind, names)) ? copies.find(kind, ...names) : undefined),
    keep(kind, copy) {
      keys.add(keyOf(kind, NAMES[kind](copy)))
      return copies.keep(kind, copy)
    },
  }
}

function ignoreFailure(): void {}

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
    const { logProblem } = await import('../log.ts')
    logProblem('warning', 'fresh_copy_corrupt', 'A fresh copy is corrupt.', { key, cause: error })
    return undefined
  }
}

/** Returns the names by which a copy is found. */
const NAMES: { [Kind in CopyKind]: (copy: CopyKinds[Kind]['copy']) => CopyKinds[Kind]['names'] } = {
  repositories: ({ repository: { owner, name } }) => [owner, name],
  versions: ({ version: { owner, name, version } }) => [owner, name, version],
  files: ({ owner, name, version }) => [owner, name, version],
  owners: ({ handle }) => [handle],
}

const keyOf = (kind: CopyKind, names: readonly string[]) => ['fresh', kind, ...names].join('/')
