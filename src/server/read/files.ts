// Finds the files of a skill and their archive, in the build or, if there is a newer publish, in the fresh copy.

import type { Bytes } from '../../built/site-files.ts'
import { mapConcurrently } from '../../concurrency/promises.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { VersionRecord } from '../../domain/api/schema.ts'
import { ATTESTATION_MEDIA_TYPE } from '../../domain/values/attestation-name.ts'
import type { Sources } from '../hub.ts'
import { findVersion } from './records.ts'

/** A version, by names that are valid. */
export interface VersionPlace {
  owner: string
  name: string
  version: string
}

/** A file that was found. */
interface FoundFile {
  bytes: Bytes
  mediaType: VersionRecord['files'][number]['media_type'] | 'application/gzip' | typeof ATTESTATION_MEDIA_TYPE
}

/** Finds a file of a skill. @returns undefined if the version does not exist or has no such file */
export async function findFile(place: VersionPlace, path: string, sources: Sources): Promise<FoundFile | undefined> {
  const record = (await findVersion(place.owner, place.name, place.version, sources))?.value()
  const file = record?.files.find((one) => one.path === path)
  if (!record || !file) return undefined
  const built = await sources.siteFiles.read(DATA_FILES.blob(place.owner, place.name, file.sha256))
  const bytes = built ?? (await readCopied(record, sources)).find((one) => one.path === path)?.bytes
  if (!bytes) throw filesUnavailable(record)
  return { bytes, mediaType: file.media_type }
}

/** Finds the archive of a skill with files. @returns undefined if the version does not exist or has no files */
export async function findArchive(place: VersionPlace, sources: Sources): Promise<FoundFile | undefined> {
  const record = (await findVersion(place.owner, place.name, place.version, sources))?.value()
  if (!record?.skill || record.bundle_sha256 === null) return undefined
  const built = await sources.siteFiles.read(DATA_FILES.blob(place.owner, place.name, record.bundle_sha256))
  const bytes = built ?? (await packCopied({ ...record, skill: record.skill }, sources))
  return { bytes, mediaType: 'application/gzip' }
}

/** Finds all files of a version, in the order of its record. @throws if some cannot be read right now */
export async function findFiles(
  record: VersionRecord,
  sources: Sources,
): Promise<{ path: string; bytes: Uint8Array<ArrayBuffer> }[]> {
  const { owner, name, files } = record
  const built = await mapConcurrently(AT_ONCE, files, async ({ path, sha256 }) => {
    const bytes = await sources.siteFiles.read(DATA_FILES.blob(owner, name, sha256))
    return bytes ? [{ path, bytes }] : []
  })
  const found = built.flat()
  return found.length === files.length ? found : readAllCopied(record, sources)
}

/** How many files of a version are read at once. */
const AT_ONCE = 8

/** Finds an attestation. @returns undefined if the version does not exist or has no such attestation */
export async function findAttestation(
  place: VersionPlace,
  name: string,
  sources: Sources,
): Promise<FoundFile | undefined> {
  const record = (await findVersion(place.owner, place.name, place.version, sources))?.value()
  const index = record?.attestations.findIndex((one) => one.name === name) ?? -1
  const { sha256 } = record?.attestations[index] ?? {}
  if (!record || sha256 === undefined) return undefined
  const built = await sources.siteFiles.read(DATA_FILES.blob(place.owner, place.name, sha256))
  if (built) return { bytes: built, mediaType: ATTESTATION_MEDIA_TYPE }
  const copied = (await sources.fresh.find('files', place.owner, place.name, place.version))?.attestations?.[index]
  if (copied === undefined) throw filesUnavailable(record)
  return { bytes: new TextEncoder().encode(copied), mediaType: ATTESTATION_MEDIA_TYPE }
}

async function packCopied(record: VersionRecord & { skill: NonNullable<VersionRecord['skill']> }, sources: Sources) {
  // Imported on first use, because most archives are files of the build.
  const { packSkill } = await import('../../files/archive.ts')
  return packSkill(record, await readAllCopied(record, sources))
}

async function readAllCopied(record: VersionRecord, sources: Sources) {
  const files = await readCopied(record, sources)
  if (files.length !== record.files.length) throw filesUnavailable(record)
  return files
}

/** Reads the files of a version that no build includes yet. */
async function readCopied({ owner, name, version }: VersionPlace, { fresh }: Sources) {
  const { files = [] } = (await fresh.find('files', owner, name, version)) ?? {}
  return files.map(({ path, base64 }) => ({ path, bytes: new Uint8Array(Buffer.from(base64, 'base64')) }))
}

/** A copy disappears when a build includes it, and that build has the files. */
function filesUnavailable({ owner, name, version }: VersionPlace): HubError {
  return new HubError('unavailable', `The files of ${owner}/${name}@${version} cannot be read right now. Try again.`, {
    retryAfterSeconds: 5,
  })
}
