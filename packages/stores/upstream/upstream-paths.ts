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
import { pickFacts } from '../../../src/ports/repository-facts.ts'
import type { Bytes } from '../../../src/ports/site-files.ts'

/** A data file of the other hub. */
interface UpstreamFile {
  path: string
  /** Whether the file never changes. */
  isImmutable: boolean
  /** Checks the bytes, and takes the parts out of the record in them. @returns undefined if they are not what this file must contain */
  read(bytes: Bytes): UpstreamParts | undefined
}

/** The parts of a record that have paths of their own, by path. Content is never read without its record. */
export type UpstreamParts = ReadonlyMap<string, Bytes>

/** The path of a repository's facts, as JSON, among the parts of its record. */
export const FACTS = 'facts'

/** What is read for a path: a file of the other hub, or a part of it. */
export interface UpstreamSource {
  owner: string
  file: UpstreamFile
}

declare module '../../../src/ports/text-work.ts' {
  interface TextJobs {
    /** Reads an upstream's data file like `UpstreamFile.read`. A list may have a million wrong entries, each with several problems, and a record may take 0.2 s to parse. */
    readUpstreamFile(path: string, bytes: Bytes): UpstreamParts | undefined
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
  if (isOwner(handle)) return { owner: handle, file: userFile(handle) }
  const [, owner = '', name = '', rest = ''] = OF_REPOSITORY.exec(path) ?? []
  if (!isOwner(owner) || !isName(name)) return undefined
  if (path === DATA_FILES.repository(owner, name) || path === DATA_FILES.raw(owner, name))
    return { owner, file: repositoryFile(owner, name) }
  if (path === DATA_FILES.versions(owner, name)) return { owner, file: versionsFile(owner, name) }
  const [, sha256] = BLOB.exec(rest) ?? []
  if (sha256) return { owner, file: blobFile(owner, name, sha256) }
  const [, tested = ''] = RESULTS.exec(rest) ?? []
  if (isVersion(tested)) return { owner, file: resultsFile(owner, name, tested) }
  const [, version = ''] = OF_VERSION.exec(rest) ?? []
  const { version: record, rawVersion, skill } = DATA_FILES
  const isOfVersion = isVersion(version) && [record, rawVersion, skill].some((of) => of(owner, name, version) === path)
  return isOfVersion ? { owner, file: versionFile(owner, name, version) } : undefined
}

/** @throws TypeError for invalid UTF-8 */
const decode = (bytes: Bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

const NO_PARTS: UpstreamParts = new Map()

/** Creates the reader of a JSON file. @param fits whether a record of the right form is the one that was asked for @param partsOf its parts, by path */
const jsonOf =
  <Schema extends z.ZodType>(
    schema: Schema,
    fits: (value: z.infer<Schema>) => boolean,
    partsOf: (value: z.infer<Schema>) => Record<string, string> = () => ({}),
  ) =>
  (bytes: Bytes): UpstreamParts | undefined => {
    try {
      const { success, data } = schema.safeParse(JSON.parse(decode(bytes)))
      if (!success || !fits(data)) return undefined
      return new Map(Object.entries(partsOf(data)).map(([path, text]) => [path, new TextEncoder().encode(text)]))
    } catch {
      return undefined
    }
  }

const userFile = (handle: string): UpstreamFile => ({
  path: DATA_FILES.user(handle),
  isImmutable: false,
  read: jsonOf(single(User), ({ data }) => data.handle === handle && data.repos.every(({ owner }) => owner === handle)),
})

const repositoryFile = (owner: string, name: string): UpstreamFile => ({
  path: DATA_FILES.repository(owner, name),
  isImmutable: false,
  read: jsonOf(
    single(Repository),
    ({ data: { full_name, content, content_sha256, ...data } }) =>
      data.owner === owner &&
      data.name === name &&
      full_name === `${owner}/${name}` &&
      content_sha256 === (content === null ? null : digestText(content)),
    ({ data }): Record<string, string> => ({
      [FACTS]: JSON.stringify(pickFacts(data)),
      ...(data.content !== null && { [DATA_FILES.raw(owner, name)]: data.content }),
    }),
  ),
})

const versionsFile = (owner: string, name: string): UpstreamFile => ({
  path: DATA_FILES.versions(owner, name),
  isImmutable: false,
  read: jsonOf(list(VersionSummary), ({ data }) =>
    data.every(({ url, version }) => url.endsWith(`/api/v1/repos/${owner}/${name}/versions/${version}`)),
  ),
})

const resultsFile = (owner: string, name: string, version: string): UpstreamFile => ({
  path: DATA_FILES.results(owner, name, version),
  isImmutable: false,
  read: jsonOf(list(Result), ({ data }) => data.every((result) => result.version === version)),
})

const versionFile = (owner: string, name: string, version: string): UpstreamFile => ({
  path: DATA_FILES.version(owner, name, version),
  isImmutable: true,
  read: jsonOf(
    single(VersionRecord),
    ({ data }) =>
      data.owner === owner &&
      data.name === name &&
      data.full_name === `${owner}/${name}` &&
      data.version === version &&
      data.content_sha256 === digestText(data.content),
    ({ data }) => ({
      [DATA_FILES.rawVersion(owner, name, version)]: data.content,
      ...(data.skill && {
        [DATA_FILES.skill(owner, name, version)]: formatSkill({ ...data, skill: data.skill }),
      }),
    }),
  ),
})

const blobFile = (owner: string, name: string, sha256: string): UpstreamFile => ({
  path: DATA_FILES.blob(owner, name, sha256),
  isImmutable: true,
  read: (bytes) => (hash('sha256', bytes) === sha256 ? NO_PARTS : undefined),
})
