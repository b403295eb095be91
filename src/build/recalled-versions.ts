// Takes the versions of a repository whose files have not changed from their served records, because parsing a version file takes much longer: otherwise, each new version of a prompt would cost as much as all of its versions.

import type { RepositoryOutline } from '../catalogue/outline.ts'
import type { RecalledVersion, VersionTrouble } from '../content/content-dir.ts'
import type { ListedFile } from '../content/content-listing.ts'
import { findVersionOf, groupAboutVersions } from '../content/version-files.ts'
import { DATA_FILES } from '../domain/api/data-paths.ts'
import type { RepositoryEntry } from '../domain/content/content-tree.ts'
import { recallVersion } from '../domain/publishing/repository-state.ts'
import { compareVersions } from '../domain/values/versions.ts'
import type { StoredRepository } from './data-sink.ts'

/** What was wrong with the versions of a repository, by number, with the marks of their files. */
export type KnownTroubles = ReadonlyMap<string, { lines: string | undefined; trouble: VersionTrouble }>

/**
 * Opens what is known of the versions of a repository whose files are as they were.
 *
 * @param troubles what was wrong with the versions that are not served as they are
 * @param marks of its files now
 */
export function openRecall(
  before: StoredRepository | undefined,
  troubles: KnownTroubles | undefined,
  marks: string,
  read: (path: string) => string | undefined,
) {
  const now = groupLines(marks)
  const then = groupLines(before?.marks ?? '')
  const served = new Set(before?.outline.releases.map(({ version }) => version))
  const recalled = new Set<string>()
  return {
    /** The versions that were taken from their records. */
    recalled,
    recall(version: string): RecalledVersion | undefined {
      if (!before && !troubles) return undefined
      const lines = now.get(version)
      const known = troubles?.get(version)
      if (known && known.lines === lines) return { trouble: known.trouble }
      if (!before || !served.has(version) || lines === undefined || lines !== then.get(version)) return undefined
      const { owner, name } = before.outline.summary
      const text = read(DATA_FILES.version(owner, name, version))
      if (text === undefined) return undefined
      recalled.add(version)
      return { entry: recallVersion(JSON.parse(text).data) }
    },
    /** Returns what is to be known of troubles for as long as the files stay the same. */
    note: (found: ReadonlyMap<string, VersionTrouble>): KnownTroubles =>
      new Map(Array.from(found, ([version, trouble]) => [version, { lines: now.get(version), trouble }])),
  }
}

/** Lists the files to read of a repository, without those of versions that were read before. @param before the marks of the files that were read before */
export function listUnread(files: readonly ListedFile[], before: string | undefined): string[] {
  const known = new Set(before?.split('\n'))
  return files.flatMap(({ path, id }) => (findVersionOf(path) !== undefined && known.has(`${id} ${path}`) ? [] : path))
}

/** Lists the files beside those of versions, whose bytes are read again when a version is packed. */
export function listBeside(files: readonly ListedFile[]): string[] {
  return files.flatMap(({ path }) => (path.split('/').length > VERSION_DEPTH ? path : []))
}

/** The parts of the path of a version file: `owner/name/versions/1.0.0.md`. */
const VERSION_DEPTH = 4

/** Lists the versions whose records are as they were: their files have not changed, and they follow the same version. */
export function listUnchanged(
  { versions }: Pick<RepositoryEntry, 'versions'>,
  recalled: ReadonlySet<string>,
  { releases }: Pick<RepositoryOutline, 'releases'>,
): Set<string> {
  const before = new Map(releases.map(({ version, previous_version }) => [version, previous_version]))
  const numbers = versions.map(({ version }) => version).sort(compareVersions)
  return new Set(
    numbers.filter((version, at) => recalled.has(version) && before.get(version) === (numbers[at + 1] ?? null)),
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

/** Groups the marks of files by version. The versions of a repository that is read for the first time are grouped only if somebody asks. */
function groupLines(marks: string): { get(version: string): string | undefined } {
  let groups: Map<string, string[]> | undefined
  return {
    get(version) {
      groups ??= groupAboutVersions(marks.split('\n'), (line) => line.slice(line.indexOf(' ') + 1))
      return groups.get(version)?.join('\n')
    },
  }
}
