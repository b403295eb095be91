// Owns finding records as values: the built file or the fresh copy, for every handler that needs a record and not its bytes.
import { HubError } from '../../domain/api/errors.ts'
import { DATA_FILES, ROUTES } from '../../domain/api/routes.ts'
import type { Repository, TagRecord, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import { printable } from '../../domain/content/printable.ts'
import { parseJsonFile, readBuilt } from '../site-json.ts'
import { findNewest, type Sources } from './newest-record.ts'

/** A repository, listed or not; undefined when there is none. */
export async function findRepository(owner: string, name: string, sources: Sources): Promise<Repository | undefined> {
  const { built, copy } = await findNewest(owner, name, sources)
  return copy ? copy.repository : built && parseJsonFile(built, ROUTES.getRepository.response).data
}

/** A version, yanked ones included; undefined when there is none. A version never changes, so whoever has it is right. */
export async function findVersion(
  owner: string,
  name: string,
  version: string,
  { siteFiles, fresh }: Sources,
): Promise<VersionRecord | undefined> {
  const built = await siteFiles.read(DATA_FILES.version(owner, name, version))
  return built ? parseJsonFile(built, ROUTES.getVersion.response).data : fresh.findVersion(owner, name, version)
}

/** The versions of a repository, highest first; undefined when there is no such repository. */
export async function findVersions(
  owner: string,
  name: string,
  sources: Sources,
): Promise<VersionSummary[] | undefined> {
  const { copy } = await findNewest(owner, name, sources)
  if (copy) return copy.versions
  const built = await sources.siteFiles.read(DATA_FILES.versions(owner, name))
  return built && parseJsonFile(built, ROUTES.listVersions.response).data
}

/** Every tag, most used first. */
export async function listTags({ siteFiles }: Sources): Promise<TagRecord[]> {
  return parseJsonFile(await readBuilt(siteFiles, DATA_FILES.tags()), ROUTES.listTags.response).data
}

/** Labels that a message names. */
const MOST_LABELS = 10

/**
 * The version that is asked for by its number or by a label.
 *
 * @returns undefined when neither is given: the latest
 * @throws HubError `invalid_request` for both at once, `not_found` with the labels that there are
 */
export function resolveVersion(
  { full_name, labels }: Pick<Repository, 'full_name' | 'labels'>,
  { version, label }: { version: string | undefined; label: string | undefined },
): string | undefined {
  if (label === undefined) return version
  if (version !== undefined) throw labelBesideVersion()
  if (Object.hasOwn(labels, label)) return labels[label]
  const known = Object.keys(labels)
  const listed = known.slice(0, MOST_LABELS).join(', ') + (known.length > MOST_LABELS ? ', …' : '')
  throw new HubError(
    'not_found',
    `${full_name} has no label ${printable(label)}. ${known.length === 0 ? 'It has no labels; give a version.' : `Its labels: ${listed}.`}`,
  )
}

/** The error for a question that names a version twice. */
export function labelBesideVersion(): HubError {
  return new HubError('invalid_request', 'label: expected either a label or a version, got both.')
}
