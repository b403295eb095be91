// Finds what a version can do: for skills in the built file, otherwise by the rules.
import { parseBuilt } from '../../built/site-files.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import { capabilitiesEnvelope } from '../../domain/api/envelope.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { VersionRecord } from '../../domain/api/schema.ts'
import { compareCapabilities } from '../../domain/inspect/compare.ts'
import { summariseAdded } from '../../domain/inspect/describe.ts'
import { type Capability, RULES_DATE } from '../../domain/inspect/kinds.ts'
import type { Hub } from '../hub.ts'
import { findFiles } from './files.ts'
import { inspectVersion } from './inspect-in-thread.ts'

type CapabilitiesHub = Pick<Hub, 'siteFiles' | 'fresh' | 'runLong'>

/** Builds the response with what a version can do or, with an older one, with the difference. */
export async function describeCapabilities(
  record: VersionRecord,
  older: VersionRecord | undefined,
  hub: CapabilitiesHub,
) {
  const found = await findCapabilities(record, hub)
  if (!older) return capabilitiesEnvelope(found)
  const before = await findCapabilities(older, hub)
  const data = { ...compareCapabilities(before, found), summary: summariseAdded(before, found) }
  return { data, meta: { rules: RULES_DATE } }
}

/** Returns what a version can do, in the order of its files. */
export async function findCapabilities(record: VersionRecord, hub: CapabilitiesHub): Promise<readonly Capability[]> {
  if (!record.skill) return hub.runLong(inspectVersion, record, [])
  const built = await hub.siteFiles.read(DATA_FILES.capabilities(record.owner, record.name, record.version))
  if (built) return parseBuilt<{ data: Capability[] }>(built).data
  return hub.runLong(inspectVersion, record, await findFiles(record, hub))
}

/** Returns the same, or nothing while it cannot be found: a page or an answer that only mentions it does not fail. */
export async function findCapabilitiesNow(record: VersionRecord, hub: CapabilitiesHub): Promise<readonly Capability[]> {
  try {
    return await findCapabilities(record, hub)
  } catch (error) {
    if (error instanceof HubError && error.code === 'unavailable') return []
    throw error
  }
}
