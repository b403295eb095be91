// Takes the versions of a repository whose files have not changed from their served records, because parsing a version file takes much longer: otherwise, each new version of a prompt would cost as much as all of its versions.
import { DATA_FILES } from '../../src/domain/api/data-paths.ts'
import { restoreVersion } from '../catalogue/recall.ts'
import type { RecalledVersion, VersionTrouble } from '../stores/content/content-dir.ts'
import { findVersionOf, groupAboutVersions } from '../stores/content/version-files.ts'
import type { StoredRepository } from './data-sink.ts'

/** What was wrong with the versions of a repository, by number, with the lines of their files. */
export type KnownTroubles = ReadonlyMap<string, { lines: string; trouble: VersionTrouble }>

/**
 * Returns a function that recalls a version whose files are as they were.
 *
 * @param troubles what was wrong with the versions that are not served as they are
 * @param marks of its files now
 */
export function openRecall(
  before: StoredRepository | undefined,
  troubles: KnownTroubles | undefined,
  marks: string,
  read: (path: string) => string | undefined,
): (version: string) => RecalledVersion | undefined {
  const now = groupLines(marks)
  const linesOf = (version: string) => now.get(version)?.join('\n') ?? ''
  const then = groupLines(before?.marks ?? '')
  const served = new Set(before?.outline.releases.map(({ version }) => version))
  return (version) => {
    const lines = linesOf(version)
    const known = troubles?.get(version)
    if (known?.lines === lines) return { trouble: known.trouble }
    if (!before || !served.has(version) || lines === '' || lines !== then.get(version)?.join('\n')) return undefined
    const { owner, name } = before.outline.summary
    const text = read(DATA_FILES.version(owner, name, version))
    return text === undefined ? undefined : { entry: restoreVersion(JSON.parse(text).data) }
  }
}

/** Keeps what is wrong with versions for as long as their files stay the same. */
export function keepTroubles(troubles: ReadonlyMap<string, VersionTrouble>, marks: string): KnownTroubles {
  if (troubles.size === 0) return new Map()
  const lines = groupLines(marks)
  return new Map(
    Array.from(troubles, ([version, trouble]) => [version, { lines: lines.get(version)?.join('\n') ?? '', trouble }]),
  )
}

/** Returns the marks of a repository that must be looked at again by each build, because something is wrong with it: only of the files that are served. They differ from those of any files. @param wrong the other files: versions by number, or `index.md` */
export function marksOfServed(marks: string, wrong: ReadonlySet<string>): string {
  const lines = marks.split('\n').filter((line) => {
    const path = line.slice(line.indexOf(' ') + 1)
    return line !== '' && !wrong.has(findVersionOf(path)?.version ?? path.slice(path.lastIndexOf('/') + 1))
  })
  return ['', ...lines].join('\n')
}

const groupLines = (marks: string): Map<string, string[]> =>
  groupAboutVersions(marks.split('\n'), (line) => line.slice(line.indexOf(' ') + 1))
