// Owns writing a site again at the cost of what changed: groups of files whose key is the same as last time stay as they are.
import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BuildCache, WrittenGroup } from '../../stores/build-cache.ts'
import { filesInto } from '../../stores/write-files.ts'
import type { GroupTask } from './repository-groups.ts'

/** Of prompts whose pages are to be made. With fewer, a thread would not earn what it takes to load the pages once more: half a second and 100 MB. */
const FEWEST_FOR_THREADS = 400

/** Lists and pages of which each takes about a millisecond. */
const GROUPS_PER_TURN = 10

/** Files that are the same as long as their key is. */
interface Group {
  /** Names the group among all others of the site. */
  id: string
  /** Stands for whatever decides about the files beside the code; undefined when only their bytes tell. */
  key: string | undefined
  /** Whether what was found out the last time, while they were made, still holds. */
  areUnchanged?: (facts: Record<string, string>) => boolean
}

/** Files that only this thread can make. */
export interface OwnGroup extends Group {
  make: () => MadeGroup | Promise<MadeGroup>
}

/** Files that any thread can make, which is told what. */
export interface SharedGroup extends Group {
  task: GroupTask
}

/** Files of a site. */
export type SiteGroup = OwnGroup | SharedGroup

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
export interface NamedGroup extends Pick<WrittenGroup, 'facts'> {
  id: string
  /** From the site's root. */
  paths: string[]
}

/** What remembers the groups of a site. */
type Ledger = Pick<BuildCache, 'readPaths' | 'stage'>

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
  /** The names of those that were written. */
  changed: string[]
  /** The names of those that are gone. */
  removed: string[]
  /** How many files were written. */
  count: number
  /** Which; left empty when nothing was there before, for then it is all of them. */
  written: string[]
  /** The files that are no part of the site any more. */
  gone: string[]
}

interface WritingOptions {
  /** Makes a key of a group's own one, with whatever else decides about every file. */
  keyOf?: (key: string) => string
  /** Where changed files are written; only what differs is put there. */
  dir: string
  /** Remembers what was written the last time, and is told what is written now. */
  ledger: Ledger
  /** Makes a shared group in this thread. */
  makeTask: (task: GroupTask) => MadeGroup | Promise<MadeGroup>
  /** Makes and writes shared groups, when there are so many of them that threads are worth it. */
  makeMany?: MakeMany
  /** Called once before anything is written, while `before` is only believed. @returns whether that is what lies there */
  confirm?: () => boolean | Promise<boolean>
  /** Called once when it is known what is different, while much of it is still to be made: for work that need not wait until it is. */
  onPlanned?: (plan: SitePlan) => void | Promise<void>
  /** Called after groups, whether they were written or not, with how many there are. */
  onGroups?: (done: number, total: number) => void
}

/**
 * Writes what differs.
 *
 * @param before every group as it was the last time
 * @returns undefined when nothing was written, because something else lies there
 */
export async function writeDifference(
  groups: Iterable<SiteGroup>,
  before: ReadonlyMap<string, WrittenGroup>,
  options: WritingOptions,
): Promise<SiteDifference | undefined> {
  const { dir, ledger, makeTask, keyOf = (key: string) => key, makeMany } = options
  const { confirm = () => true, onPlanned = () => {}, onGroups = () => {} } = options
  const now = new Map<string, WrittenGroup>()
  const difference: SiteDifference = { groups: now, changed: [], removed: [], count: 0, written: [], gone: [] }
  const isUpdate = before.size > 0
  const given: string[] = []
  const put = filesInto(dir)
  let total = 0
  const note = (id: string, key: string, { paths, facts }: Omit<NamedGroup, 'id'>) => {
    const group = { key, count: paths.length, ...(facts && { facts }) }
    if (before.has(id)) given.push(...ledger.readPaths(id))
    ledger.stage(id, group, paths)
    now.set(id, group)
    difference.changed.push(id)
    difference.count += paths.length
    if (isUpdate) difference.written.push(...paths)
    onGroups(now.size, total)
  }
  const makeHere = async (group: SiteGroup, key: string | undefined) => {
    const made = await ('task' in group ? makeTask(group.task) : group.make())
    if (key !== undefined) return note(group.id, key, writeGroup(made, put))
    const files = [...made.files]
    const found = hashKey(...files.flat())
    const known = before.get(group.id)
    if (known?.key !== found) return note(group.id, found, writeGroup({ ...made, files }, put))
    now.set(group.id, known)
    onGroups(now.size, total)
  }
  const own: [SiteGroup, string | undefined][] = []
  const shared = new Map<string, { id: string; task: GroupTask; key: string }>()
  const ids = new Set<string>()
  for (const group of groups) {
    total++
    if (isUpdate) ids.add(group.id)
    const known = before.get(group.id)
    const key = group.key === undefined ? undefined : keyOf(group.key)
    if (known !== undefined && known.key === key && (group.areUnchanged?.(known.facts ?? {}) ?? true))
      now.set(group.id, known)
    else if (key !== undefined && 'task' in group) shared.set(group.id, { id: group.id, task: group.task, key })
    else own.push([group, key])
  }
  if (!(await confirm()) && isUpdate) return undefined
  if (now.size > 0) onGroups(now.size, total)
  for (const id of before.keys())
    if (!ids.has(id)) {
      difference.removed.push(id)
      given.push(...ledger.readPaths(id))
    }
  /** What only this thread can do. Threads that make the shared groups meanwhile are heard between two turns of the event loop. */
  const makeOwn = async () => {
    const sharedIds = [...shared.keys()]
    const ownChanged: string[] = []
    for (const [index, [group, key]] of own.entries()) {
      await makeHere(group, key)
      if (now.get(group.id) !== before.get(group.id)) ownChanged.push(group.id)
      if (index % GROUPS_PER_TURN === 0) await nextTurn()
    }
    own.length = 0
    await onPlanned({ changed: [...ownChanged, ...sharedIds], removed: difference.removed })
  }
  const prompts = [...shared.values()].filter(({ task }) => task.what === 'pages').length
  if (makeMany && prompts >= FEWEST_FOR_THREADS) {
    const onMade = ({ id, ...made }: NamedGroup) => note(id, shared.get(id)!.key, made)
    await makeMany([...shared.values()], onMade, makeOwn)
  } else {
    await makeOwn()
    for (const group of shared.values()) await makeHere(group, group.key)
  }
  // A path that one group gave up may be another's now.
  const isWritten = new Set(difference.written)
  return { ...difference, gone: given.filter((path) => !isWritten.has(path)) }
}

/** Writes the files of a group. @returns what is remembered of it */
export function writeGroup({ files, facts }: MadeGroup, put: ReturnType<typeof filesInto>): Omit<NamedGroup, 'id'> {
  const paths: string[] = []
  for (const [path, content] of files) {
    put(path, content)
    paths.push(path)
  }
  return { paths, ...(facts && Object.keys(facts).length > 0 && { facts }) }
}

/** A short stand-in for whatever decides about files. */
export function hashKey(...parts: readonly (string | Uint8Array)[]): string {
  if (parts.length === 1 && parts[0] !== undefined) return hash('sha256', parts[0]).slice(0, 32)
  return hash('sha256', parts.map((part) => hash('sha256', part)).join(' ')).slice(0, 32)
}
