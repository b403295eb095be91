// Owns writing a site again at the cost of what changed: groups of files whose key is the same as last time stay as they are.
import { hash } from 'node:crypto'
import type { WrittenGroup } from '../../stores/build-cache.ts'
import { openFileWriter } from './files-into.ts'

/** Files that are the same as long as their key is. */
export interface SiteGroup {
  /** Names the group among all others of the site. */
  id: string
  /** Whatever decides about the files beside the code; undefined when only their bytes tell. */
  key: string | undefined
  /** Makes them: paths from the site's root, with a leading slash, and what stands there. */
  files: () => SiteFile[] | Promise<SiteFile[]>
  /** What was found out while they were made, beside the key; complete when they are. */
  facts?: Record<string, string>
  /** Whether what was found out the last time still holds. */
  areUnchanged?: (facts: Record<string, string>) => boolean
}

/** A file of the site. */
export type SiteFile = readonly [path: string, content: string | Uint8Array]

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

/**
 * Writes what differs.
 *
 * @param before every group as it was the last time
 * @param dir where changed files are written; only what differs is put there
 * @param onGroup called after each group, whether it was written or not
 */
export async function writeDifference(
  groups: Iterable<SiteGroup> | AsyncIterable<SiteGroup>,
  before: ReadonlyMap<string, WrittenGroup>,
  dir: string,
  onGroup: () => void = () => {},
): Promise<SiteDifference> {
  const now = new Map<string, WrittenGroup>()
  const changed = new Map<string, WrittenGroup>()
  const written: string[] = []
  const writer = openFileWriter(dir)
  const takeGroup = async (group: SiteGroup) => {
    const known = before.get(group.id)
    const given = group.key === undefined ? undefined : hashKey([group.key])
    if (known !== undefined && known.key === given && (group.areUnchanged?.(known.facts ?? {}) ?? true)) {
      now.set(group.id, known)
      return
    }
    const files = await group.files()
    const key = given ?? hashKey(files.flat())
    const paths = files.map(([path]) => path)
    const next = { key, paths, ...(group.facts ? { facts: group.facts } : {}) }
    now.set(group.id, next)
    if (given === undefined && known?.key === key) return
    changed.set(group.id, next)
    for (const [path, content] of files) {
      await writer.put(path, content)
      written.push(path)
    }
  }
  try {
    for await (const group of groups) {
      await takeGroup(group)
      onGroup()
    }
  } finally {
    await writer.end()
  }
  const removed = [...before.keys()].filter((id) => !now.has(id))
  // A path that one group gave up may be another's now.
  const isWritten = new Set(written)
  const given = [...changed.keys(), ...removed].flatMap((id) => before.get(id)?.paths ?? [])
  return { groups: now, changed, removed, written, gone: given.filter((path) => !isWritten.has(path)) }
}

function hashKey(parts: readonly (string | Uint8Array)[]): string {
  if (parts.length === 1 && parts[0] !== undefined) return hash('sha256', parts[0]).slice(0, 32)
  return hash('sha256', parts.map((part) => hash('sha256', part)).join(' ')).slice(0, 32)
}
