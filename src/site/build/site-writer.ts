// Owns writing a site again at the cost of what changed: groups of files whose key is the same as last time stay as they are.
import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WrittenGroup } from '../../stores/build-cache.ts'
import { filesInto } from '../../stores/write-files.ts'
import type { GroupTask } from './repository-groups.ts'

/** Of prompts whose pages are to be made. With fewer, a thread would not earn what it takes to load the pages once more: half a second and 100 MB. */
const FEWEST_FOR_THREADS = 400

/** Lists and pages of which each takes about a millisecond. */
const GROUPS_PER_TURN = 10

/** Files that are the same as long as their key is. */
export interface SiteGroup {
  /** Names the group among all others of the site. */
  id: string
  /** Stands for whatever decides about the files beside the code; undefined when only their bytes tell. */
  key: string | undefined
  /** Makes them. */
  make: () => MadeGroup | Promise<MadeGroup>
  /** Whether what was found out the last time, while they were made, still holds. */
  areUnchanged?: (facts: Record<string, string>) => boolean
  /** Says what to make, for a thread that is to do it; undefined when only this one can. */
  task?: GroupTask
}

/** What was made of a group. */
export interface MadeGroup {
  /** Each is made when it is taken, so that a repository with a thousand long versions needs no more room than others; taken once. */
  files: Iterable<SiteFile>
  /** What was found out while they were made, and decides about them beside the key; complete when the last of them was taken. */
  facts?: Record<string, string>
}

/** A file of the site: its path from the root, with a leading slash, and what stands there. */
export type SiteFile = readonly [path: string, content: string | Uint8Array]

/** A group that any thread can make. */
export interface NamedTask {
  id: string
  task: GroupTask
}

/** A group that was made and whose files are written. */
export interface NamedGroup extends Omit<WrittenGroup, 'key' | 'count'> {
  id: string
}

/** Makes many groups, writes their files, and tells of each. @param meanwhile other work of this thread, which goes first */
export type MakeMany = (
  tasks: readonly NamedTask[],
  onMade: (made: NamedGroup) => void,
  meanwhile: () => void | Promise<void>,
) => Promise<void>

/** What is going to be different, by the names of groups. */
export interface SitePlan {
  /** Those that are written. */
  changed: string[]
  /** Those that are gone. */
  removed: string[]
}

/** What is different from the site as it was. */
export interface SiteDifference {
  /** Every group as it is now. */
  groups: Map<string, WrittenGroup>
  /** Those that were written. */
  changed: Map<string, WrittenGroup>
  /** Those that are gone. */
  removed: string[]
  /** The files that were written. */
  written: string[]
  /** The files that are no part of the site any more. */
  gone: string[]
}

interface WritingOptions {
  /** Makes a key of a group's own one, with whatever else decides about every file. */
  keyOf?: (key: string) => string
  /** Where changed files are written; only what differs is put there. */
  dir: string
  /** Makes and writes groups that say their task, when there are so many of them that threads are worth it. */
  makeMany?: MakeMany
  /** Called once when it is known what is different, while much of it is still to be made: for work that need not wait until it is. */
  onPlanned?: (plan: SitePlan) => void | Promise<void>
  /** Called after each group, whether it was written or not. */
  onGroup?: () => void
}

/**
 * Writes what differs.
 *
 * @param before every group as it was the last time
 */
export async function writeDifference(
  groups: Iterable<SiteGroup>,
  before: ReadonlyMap<string, WrittenGroup>,
  { dir, keyOf = (key) => key, makeMany, onPlanned = () => {}, onGroup = () => {} }: WritingOptions,
): Promise<SiteDifference> {
  const now = new Map<string, WrittenGroup>()
  const changed = new Map<string, WrittenGroup>()
  const written: string[] = []
  const put = filesInto(dir)
  const note = (id: string, made: Omit<NamedGroup, 'id'> & { key: string }) => {
    const group = { ...made, count: made.paths.length }
    now.set(id, group)
    changed.set(id, group)
    written.push(...group.paths)
    onGroup()
  }
  const makeHere = async ({ id, make }: SiteGroup, given: string | undefined) => {
    const made = await make()
    if (given !== undefined) return note(id, { key: given, ...writeGroup(made, put) })
    const files = [...made.files]
    const key = hashKey(...files.flat())
    const known = before.get(id)
    if (known?.key !== key) return note(id, { key, ...writeGroup({ ...made, files }, put) })
    now.set(id, known)
    onGroup()
  }
  const ids = new Set<string>()
  const own: [SiteGroup, string | undefined][] = []
  const shared: [SiteGroup, string][] = []
  for (const group of groups) {
    ids.add(group.id)
    const known = before.get(group.id)
    const key = group.key === undefined ? undefined : keyOf(group.key)
    if (known !== undefined && known.key === key && (group.areUnchanged?.(known.facts ?? {}) ?? true)) {
      now.set(group.id, known)
      onGroup()
    } else if (key !== undefined && group.task) shared.push([group, key])
    else own.push([group, key])
  }
  const removed = [...before.keys()].filter((id) => !ids.has(id))
  /** What only this thread can do. Threads that make the shared groups meanwhile are heard between two turns of the event loop. */
  const makeOwn = async () => {
    for (const [index, [group, key]] of own.entries()) {
      await makeHere(group, key)
      if (index % GROUPS_PER_TURN === 0) await nextTurn()
    }
    const ownChanged = own.filter(([{ id }]) => changed.has(id))
    await onPlanned({ changed: [...ownChanged, ...shared].map(([{ id }]) => id), removed })
  }
  const prompts = shared.filter(([{ task }]) => task?.what === 'pages').length
  if (makeMany && prompts >= FEWEST_FOR_THREADS) {
    const keys = new Map(shared.map(([{ id }, key]) => [id, key]))
    await makeMany(
      shared.map(([{ id, task }]) => ({ id, task: task! })),
      ({ id, ...rest }) => note(id, { key: keys.get(id)!, ...rest }),
      makeOwn,
    )
  } else {
    await makeOwn()
    for (const [group, key] of shared) await makeHere(group, key)
  }
  // A path that one group gave up may be another's now.
  const isWritten = new Set(written)
  const given = [...changed.keys(), ...removed].flatMap((id) => before.get(id)?.paths ?? [])
  return { groups: now, changed, removed, written, gone: given.filter((path) => !isWritten.has(path)) }
}

/** Writes the files of a group. @returns what is remembered of it */
export function writeGroup({ files, facts }: MadeGroup, put: ReturnType<typeof filesInto>): Omit<NamedGroup, 'id'> {
  const paths: string[] = []
  for (const [path, content] of files) {
    put(path, content)
    paths.push(path)
  }
  return { paths, ...(facts && { facts }) }
}

/** A short stand-in for whatever decides about files. */
export function hashKey(...parts: readonly (string | Uint8Array)[]): string {
  if (parts.length === 1 && parts[0] !== undefined) return hash('sha256', parts[0]).slice(0, 32)
  return hash('sha256', parts.map((part) => hash('sha256', part)).join(' ')).slice(0, 32)
}
