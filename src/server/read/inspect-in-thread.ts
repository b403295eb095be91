// Lists what a version can do in a thread, because a large skill takes a quarter of a second.
import { allowInThreads } from '../../concurrency/long-work.ts'
import { type InspectedVersion, inspectVersion } from '../../domain/inspect/inspect-version.ts'
import type { Capability } from '../../domain/inspect/kinds.ts'

/** Lists what a skill and its files can do. */
export function inspectSkill(
  version: InspectedVersion,
  files: readonly { path: string; bytes: Uint8Array }[],
): Capability[] {
  return inspectVersion(version, files)
}

allowInThreads(import.meta.url, { inspectSkill })
