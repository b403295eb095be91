// Lists what a version can do in a thread, because a large skill takes a quarter of a second.
import { allowInThreads } from '../../concurrency/long-work.ts'
import * as rules from '../../domain/inspect/inspect-version.ts'
import { digestText } from '../../files/measure.ts'

/** Lists what a version can do. @param files those of a skill, by path */
export const inspectVersion = (
  version: rules.InspectedVersion,
  files: readonly { path: string; bytes: Uint8Array }[],
) => rules.inspectVersion(version, files, digestText)

allowInThreads(import.meta.url, { inspectVersion })
