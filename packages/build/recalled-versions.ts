// Takes the versions of a repository whose files have not changed from their served records, because parsing a version file takes much longer: otherwise, each new version of a prompt would cost as much as all of its versions.
import { DATA_FILES } from '../../src/domain/api/data-paths.ts'
import type { VersionEntry } from '../../src/domain/content/content-tree.ts'
import { restoreVersion } from '../catalogue/recall.ts'
import type { ListedFile } from '../stores/content/content-listing.ts'
import { findVersionOf } from '../stores/content/version-files.ts'
import type { StoredRepository } from './data-sink.ts'

/** Returns a line for each file, which stays the same as long as the file does. It begins with a space if that is uncertain. */
export function markFiles(files: readonly Pick<ListedFile, 'path' | 'stamp'>[]): string {
  return files.map(({ path, stamp }) => `${stamp} ${path}`).join('\n')
}

/** Returns whether no file may have changed unnoticed. @param marks from `markFiles` */
export const areCertain = (marks: string): boolean => marks !== '' && !/^ /m.test(marks)

/** Returns a function that finds a version whose files are as they were when the repository was written. @param marks of its files now */
export function openRecall(
  before: StoredRepository | undefined,
  marks: string,
  read: (path: string) => string | undefined,
): (version: string) => VersionEntry | undefined {
  if (!before || before.marks === '') return () => undefined
  const { summary, releases } = before.outline
  const [then, now] = [groupByVersion(before.marks), groupByVersion(marks)]
  const served = new Set(releases.map(({ version }) => version))
  return (version) => {
    const lines = now.get(version)
    if (!served.has(version) || lines === undefined || !areCertain(lines) || lines !== then.get(version))
      return undefined
    const text = read(DATA_FILES.version(summary.owner, summary.name, version))
    return text === undefined ? undefined : restoreVersion(JSON.parse(text).data)
  }
}

function groupByVersion(marks: string): Map<string, string> {
  const groups = new Map<string, string>()
  for (const line of marks.split('\n')) {
    const version = findVersionOf(line.slice(line.lastIndexOf(' ') + 1))?.version
    if (version === undefined) continue
    const before = groups.get(version)
    groups.set(version, before === undefined ? line : `${before}\n${line}`)
  }
  return groups
}
