// Says in a line what a new version means for callers of the one before it.
import { compareForCallers, smallestBump } from '../../domain/catalogue/difference.ts'
import type { VersionEntry } from '../../domain/content/content-tree.ts'
import { summariseAdded } from '../../domain/inspect/describe.ts'
import type { Capability } from '../../domain/inspect/kinds.ts'
import type { FileEntry } from '../../domain/values/file-entry.ts'

/** Names in a line of each kind. */
const MAX_NAMES = 10

/**
 * Describes the impact of a new version.
 *
 * @param file its path in git
 * @param before the next lower version that is not yanked; undefined if it is the first
 * @param canDo lists what a version can do
 */
export function describeImpact(
  file: string,
  version: VersionEntry,
  before: VersionEntry | undefined,
  filesOf: (version: VersionEntry) => readonly FileEntry[],
  canDo: (version: VersionEntry) => readonly Capability[],
): string {
  const abilities = summariseAdded(before ? canDo(before) : [], canDo(version))
  const more = abilities === '' ? '' : `; ${abilities}`
  if (!before) return `${file}  a new prompt${more}`
  const change = compareForCallers({ ...before, files: filesOf(before) }, { ...version, files: filesOf(version) })
  const { breaking, reasons, variables, messages, parameters, files } = change
  const optional = variables.added.filter((name) => !variables.added_required.includes(name))
  const changed = variables.changed.map(({ name }) => name)
  const listed = [
    ...name('adds optional', optional),
    ...name('changes', changed),
    ...name('messages:', Object.values(messages).flat()),
    ...name('settings:', Object.values(parameters).flat()),
    ...name('files:', Object.values(files).flat()),
  ]
  const facts = [...reasons, ...listed, ...(change.content_changed ? ['another text'] : [])]
  const kind = breaking ? 'BREAKING' : smallestBump(change)
  return `${file}  ${kind} since ${before.version}: ${facts.join('; ') || 'nothing changes'}${more}`
}

function name(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const rest = names.length - MAX_NAMES
  return [`${what} ${names.slice(0, MAX_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`]
}
