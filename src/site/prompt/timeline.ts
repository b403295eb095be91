// Arranges versions as a timeline: by major version, with runs of patches that nothing marks folded.
import type { VersionSummary } from '../../domain/api/schema.ts'
import { partOf } from './version-tape.ts'

/** A version, or the patches of one fold, highest first. */
type Entry<Row> = { row: Row } | { folded: Row[] }

/** The versions of one major version, highest first. */
interface Era<Row> {
  major: string
  entries: Entry<Row>[]
}

/** A run of fewer patches is not folded, because a fold takes as much space as a version. */
const SHORTEST_FOLD = 2

/** Groups versions. @param shown highest first @param isMarked whether a version is shown even if it is a patch */
export function arrangeTimeline<Row extends Pick<VersionSummary, 'version'>>(
  shown: readonly Row[],
  isMarked: (row: Row) => boolean,
): Era<Row>[] {
  const byMajor = Map.groupBy(shown, ({ version }) => version.slice(0, version.indexOf('.')))
  return Array.from(byMajor, ([major, rows]) => ({ major, entries: foldPatches(rows, isMarked) }))
}

function foldPatches<Row extends Pick<VersionSummary, 'version'>>(
  rows: readonly Row[],
  isMarked: (row: Row) => boolean,
): Entry<Row>[] {
  const entries: Entry<Row>[] = []
  let run: Row[] = []
  const endRun = () => {
    entries.push(...(run.length < SHORTEST_FOLD ? run.map((row) => ({ row })) : [{ folded: run }]))
    run = []
  }
  for (const row of rows) {
    if (partOf(row.version) === 'patch' && !isMarked(row)) {
      run.push(row)
      continue
    }
    endRun()
    entries.push({ row })
  }
  endRun()
  return entries
}
