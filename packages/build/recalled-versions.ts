// Takes the versions of a repository whose files have not changed from their served records, because parsing a version file takes much longer: otherwise, each new version of a prompt would cost as much as all of its versions.
import { DATA_FILES } from '../../src/domain/api/data-paths.ts'
import type { VersionEntry } from '../../src/domain/content/content-tree.ts'
import { restoreVersion } from '../catalogue/recall.ts'
import { groupAboutVersions } from '../stores/content/version-files.ts'
import type { StoredRepository } from './data-sink.ts'

/** Returns a function that finds a version whose files are as they were when the repository was written. @param marks of its files now */
export function openRecall(
  before: StoredRepository | undefined,
  marks: string,
  read: (path: string) => string | undefined,
): (version: string) => VersionEntry | undefined {
  if (!before || before.marks === '') return () => undefined
  const { summary, releases } = before.outline
  const [then, now] = [groupLines(before.marks), groupLines(marks)]
  const served = new Set(releases.map(({ version }) => version))
  return (version) => {
    const lines = now.get(version)?.join('\n') ?? ''
    if (!served.has(version) || lines === '' || lines !== then.get(version)?.join('\n')) return undefined
    const text = read(DATA_FILES.version(summary.owner, summary.name, version))
    return text === undefined ? undefined : restoreVersion(JSON.parse(text).data)
  }
}

const groupLines = (marks: string): Map<string, string[]> =>
  groupAboutVersions(marks.split('\n'), (line) => line.slice(line.lastIndexOf(' ') + 1))
