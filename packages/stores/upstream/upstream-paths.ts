// Says which data files a hub reads from another hub, and checks what that hub sent: the form of a record, whose it is, and the SHA-256 of its content.
import { hash } from 'node:crypto'
import type * as z from 'zod'
import { DATA_FILES } from '../../../src/domain/api/data-paths.ts'
import {
  list,
  Repository,
  Result,
  single,
  User,
  VersionRecord,
  VersionSummary,
} from '../../../src/domain/api/schema.ts'
import { formatSkill } from '../../../src/domain/content/skill.ts'
import { isName, isOwner, isVersion } from '../../../src/domain/values/names.ts'
import { digestText } from '../../../src/ports/measure.ts'
import type { Bytes } from '../../../src/ports/site-files.ts'

/** A data file of the other hub. */
interface UpstreamFile {
  path: string
  /** Whether the file never changes. */
  isImmutable: boolean
  /** Returns whether the bytes are what this file must contain. */
  isSound(bytes: Bytes): boolean
}

/** What is read for a path: a file of the other hub, or a part of a record in it, so that content is never read without its record. */
export interface UpstreamSource {
  owner: string
  file: UpstreamFile
  /** Makes the bytes from those of the file; undefined if the record has no such part. */
  derive(bytes: Bytes): Bytes | undefined
}

declare module '../../../src/ports/text-work.ts' {
  interface TextJobs {
    /** Returns whether the bytes are what an upstream's data file must contain. A list may have a million wrong entries, each with several problems. */
    checkUpstreamFile(path: string, bytes: Bytes): boolean
  }
}

const USER = /^\/data\/v1\/users\/([a-z0-9-]+)\.json$/
const OF_REPOSITORY = /^\/data\/v1\/repos\/([a-z0-9-]+)\/([a-z0-9-]+)(\.json|\/.+)$/
const OF_VERSION = /^\/(?:versions|raw|skills)\/([\d.]+)\.(?:json|txt|md)$/
const RESULTS = /^\/results\/([\d.]+)\.json$/
const BLOB = /^\/blobs\/([0-9a-f]{64})\.bin$/
const MAX_PATH = 300

/** Finds what is read for the path of a data file. @returns undefined for a file that is never read from another hub */
export function findSource(path: string): UpstreamSource | undefined {
  if (path.length > MAX_PATH) return undefined
  const [, handle = ''] = USER.exec(path) ?? []
  if (isOwner(handle)) return { owner: handle, file: userFile(handle), derive: asItIs }
  const [, owner = '', name = '', rest = ''] = OF_REPOSITORY.exec(path) ?? []
  if (!isOwner(owner) || !isName(name)) return undefined
  if (path === DATA_FILES.repository(owner, name)) return { owner, file: repositoryFile(owner, name), derive: asItIs }
  if (path === DATA_FILES.versions(owner, name)) return { owner, file: versionsFile(owner, name), derive: asItIs }
  if (path === DATA_FILES.raw(owner, name))
    return { owner, file: repositoryFile(owner, name), derive: (bytes) => encode(dataOf<Repository>(bytes).content) }
  const [, sha256] = BLOB.exec(rest) ?? []
  if (sha256) return { owner, file: blobFile(owner, name, sha256), derive: asItIs }
  const [, tested = ''] = RESULTS.exec(rest) ?? []
  if (isVersion(tested)) return { owner, file: resultsFile(owner, name, tested), derive: asItIs }
  const [, version = ''] = OF_VERSION.exec(rest) ?? []
  if (!isVersion(version)) return undefined
  const file = versionFile(owner, name, version)
  if (path === DATA_FILES.version(owner, name, version)) return { owner, file, derive: asItIs }
  if (path === DATA_FILES.rawVersion(owner, name, version))
    return { owner, file, derive: (bytes) => encode(dataOf<VersionRecord>(bytes).content) }
  return path === DATA_FILES.skill(owner, name, version) ? { owner, file, derive: skillOf } : undefined
}

const asItIs = (bytes: Bytes) => bytes
const encode = (text: string | null): Bytes | undefined => (text === null ? undefined : new TextEncoder().encode(text))

function skillOf(bytes: Bytes): Bytes | undefined {
  const record = dataOf<VersionRecord>(bytes)
  return record.skill ? encode(formatSkill({ ...record, skill: record.skill })) : undefined
}

/** Returns the record in bytes that were checked. */
const dataOf = <Value>(bytes: Bytes): Value => JSON.parse(decode(bytes)).data

/** @throws TypeError for invalid UTF-8 */
const decode = (bytes: Bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

/** Creates the check of a JSON file. @param fits whether a record of the right form is the one that was asked for */
const jsonOf =
  <Schema extends z.ZodType>(schema: Schema, fits: (value: z.infer<Schema>) => boolean) =>
  (bytes: Bytes): boolean => {
    try {
      const { success, data } = schema.safeParse(JSON.parse(decode(bytes)))
      return success && fits(data)
    } catch {
      return false
    }
  }

const userFile = (handle: string): UpstreamFile => ({
  path: DATA_FILES.user(handle),
  isImmutable: false,
  isSound: jsonOf(
    single(User),
    ({ data }) => data.handle === handle && data.repos.every(({ owner }) => owner === handle),
  ),
})

const repositoryFile = (owner: string, name: string): UpstreamFile => ({
  path: DATA_FILES.repository(owner, name),
  isImmutable: false,
  isSound: jsonOf(
    single(Repository),
    ({ data: { full_name, content, content_sha256, ...data } }) =>
      data.owner === owner &&
      data.name === name &&
      full_name === `${owner}/${name}` &&
      content_sha256 === (content === null ? null : digestText(content)),
  ),
})

const versionsFile = (owner: string, name: string): UpstreamFile => ({
  path: DATA_FILES.versions(owner, name),
  isImmutable: false,
  isSound: jsonOf(list(VersionSummary), ({ data }) =>
    data.every(({ url, version }) => url.endsWith(`/api/v1/repos/${owner}/${name}/versions/${version}`)),
  ),
})

const resultsFile = (owner: string, name: string, version: string): UpstreamFile => ({
  path: DATA_FILES.results(owner, name, version),
  isImmutable: false,
  isSound: jsonOf(list(Result), ({ data }) => data.every((result) => result.version === version)),
})

const versionFile = (owner: string, name: string, version: string): UpstreamFile => ({
  path: DATA_FILES.version(owner, name, version),
  isImmutable: true,
  isSound: jsonOf(
    single(VersionRecord),
    ({ data }) =>
      data.owner === owner &&
      data.name === name &&
      data.full_name === `${owner}/${name}` &&
      data.version === version &&
      data.content_sha256 === digestText(data.content),
  ),
})

const blobFile = (owner: string, name: string, sha256: string): UpstreamFile => ({
  path: DATA_FILES.blob(owner, name, sha256),
  isImmutable: true,
  isSound: (bytes) => hash('sha256', bytes) === sha256,
})
