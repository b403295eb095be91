// Gives the versions of a renamed prompt the time at which they came under its first name, so that feeds do not show them as new and nobody may delete them again.
import type { Git } from '../git/git-command.ts'
import { listTree } from '../git/git-objects.ts'
import { findVersionOf } from './version-files.ts'

/** A commit that lets a prompt name a successor. */
export interface Succession {
  commit: string
  /** When it came to the branch. */
  at: string
  before: string
  now: string
}

/**
 * Changes the times of versions that a commit copied while it let their prompt name the copy as its successor. The copy must have nothing else, as `npm run rename` makes it: otherwise, a version would look older in a prompt that others use.
 *
 * @param successions oldest first
 * @param added the times by version, as JSON, by the prompt's full name. Without a time, a version has the one in its file
 */
export async function keepTimes(git: Git, successions: readonly Succession[], added: Map<string, string>) {
  for (const { commit, at, before, now } of successions) {
    if (before === now) continue
    const times: Record<string, string> = JSON.parse(added.get(now) ?? '{}')
    const copied = Object.keys(times).filter((version) => times[version] === at)
    if (copied.length === 0) continue
    const [own, others] = listVersions(await listTree(git, commit, [before, now]), [before, now])
    if (!others!.entries().every(([version, files]) => own!.get(version) === files)) continue
    const first: Record<string, string> = JSON.parse(added.get(before) ?? '{}')
    for (const version of copied) {
      if (!others!.has(version)) continue
      if (first[version] === undefined) delete times[version]
      else times[version] = first[version]
    }
    added.set(now, JSON.stringify(times))
  }
}

/** Describes the files of each version of prompts. */
function listVersions(tree: ReadonlyMap<string, { id: string }>, names: readonly string[]): Map<string, string>[] {
  const found = new Map(names.map((fullName) => [fullName, new Map<string, string>()]))
  for (const [path, { id }] of tree) {
    const { fullName = '', version = '' } = findVersionOf(path) ?? {}
    const versions = found.get(fullName)
    versions?.set(version, `${versions.get(version) ?? ''}${path.slice(fullName.length)} ${id}\n`)
  }
  return [...found.values()]
}
