// Decides what a publish would do, from the build and the fresh copies, never from the git host. It writes nothing.

import type { PublishDecision } from '../../domain/publishing/decision.ts'
import { recallVersion } from '../../domain/publishing/repository-state.ts'
import type { PublishInput } from '../../domain/publishing/request.ts'
import type { Provenance } from '../../domain/values/values.ts'
import { unpackFiles } from '../../files/read-archive.ts'
import type { Sources } from '../hub.ts'
import { findArchive } from '../read/files.ts'
import { findVersion } from '../read/records.ts'
import { type DecisionSources, decideAround, neighboursInRecords } from './decide.ts'
import type { WrittenVersion } from './read-from-git.ts'

/** Checks a publish. @throws HubError like the decision */
export async function checkPublish(
  { owner, name }: { owner: string; name: string },
  body: PublishInput,
  parts: DecisionSources,
  {
    nowMs,
    publishedBy,
    provenance,
    needsMajor = false,
  }: { nowMs: number; publishedBy: string; provenance?: Provenance | undefined; needsMajor?: boolean },
): Promise<PublishDecision> {
  const readNeighbour = neighboursInRecords(parts)
  const { state } = await readNeighbour({ owner, name })
  const latest = await recallWritten({ owner, name }, state.latest, parts)
  const publisher = { published_by: publishedBy, clock: { nowMs, isShared: false }, provenance }
  return decideAround(body, state, { latest, publisher, needsMajor }, readNeighbour, parts)
}

/** Rebuilds a version from its record and its archive. */
async function recallWritten(
  { owner, name }: { owner: string; name: string },
  version: string | undefined,
  sources: Sources,
): Promise<WrittenVersion> {
  const record = version === undefined ? undefined : (await findVersion(owner, name, version, sources))?.value()
  if (!record) return { file: undefined, files: [] }
  const archive = await findArchive(record, sources)
  return { file: recallVersion(record), files: archive ? unpackFiles(archive.bytes) : [] }
}
