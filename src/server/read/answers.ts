// Serves each route of the read API from the built file or, if there is a newer publish, from the fresh copy.

import { type Bytes, readBuilt } from '../../built/site-files.ts'
import { importOnce } from '../../concurrency/promises.ts'
import { addressesBelow, DATA_FILES } from '../../domain/api/data-paths.ts'
import { dependentsEnvelope, onlyPage } from '../../domain/api/envelope.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters, ReadId } from '../../domain/api/routes.ts'
import type { Repository, VersionRecord } from '../../domain/api/schema.ts'
import { chooseVersion, targetOf } from '../../domain/values/label-target.ts'
import { splitFullName } from '../../domain/values/names.ts'
import type { Hub } from '../hub.ts'
import { activeVersionNotFound, repositoryNotFound, versionNotFound } from './not-found.ts'
import { LATEST, readFromQuery, readVersionQuery, resolveVersion } from './query-values.ts'
import { encode, type FoundAnswer, findContent, findRepository, findTags, findUser, findVersion } from './records.ts'

/** Serves a route. @throws HubError if the resource does not exist or the request is invalid */
export type RouteHandler = (parameters: PathParameters, query: URLSearchParams, hub: Hub) => Promise<FoundAnswer>

// Imported on first use, because most responses are a single file and need neither a list nor a query.
const list = importOnce(() => import('./list.ts'))
const activity = importOnce(() => import('./activity.ts'))
const files = importOnce(() => import('./files.ts'))
const results = importOnce(() => import('./results.ts'))
const capabilities = importOnce(() => import('./capabilities.ts'))
const labels = importOnce(() => import('./labels.ts'))

/** One handler per route. @throws HubError if the resource does not exist or the request is invalid */
export const ANSWERS: Readonly<Record<ReadId, RouteHandler>> = {
  listRepositories: async (_parameters, query, hub) => (await list()).findList(query, hub),
  getRepository: async ({ owner = '', name = '' }, _query, hub) => {
    const repository = await findRepository(owner, name, hub)
    if (!repository) throw await repositoryNotFound(owner, name, hub)
    const { moved_to } = repository.facts
    return { bytes: repository.bytes(), headers: moved_to === null ? {} : await successorLink(moved_to, hub, '') }
  },
  listVersions: async ({ owner = '', name = '' }, query, hub) => {
    const found = await (await list()).findVersionList(owner, name, query, hub)
    if (!found) throw await repositoryNotFound(owner, name, hub)
    const { bytes, links, repository } = found
    const { moved_to } = repository.facts
    const successor = moved_to === null ? {} : await successorLink(moved_to, hub, '/versions')
    const all = [...links, ...Object.values(successor)]
    const headers: Record<string, string> = all.length === 0 ? {} : { Link: all.join(', ') }
    return { bytes, headers }
  },
  getVersion: async ({ owner = '', name = '', version = '' }, _query, hub) => {
    const record = await findVersion(owner, name, version, hub)
    if (!record) throw await versionNotFound(owner, name, version, hub)
    return { bytes: record.bytes() }
  },
  getFile: async ({ owner = '', name = '', version = '', path = '' }, _query, hub) => {
    const found = await (await files()).findFile({ owner, name, version }, path, hub)
    if (found) return { ...found, hasDigest: true }
    const record = await requireVersion(owner, name, version, hub)
    throw new HubError('not_found', `${owner}/${name}@${version} has no file ${path}. ${record.url} lists its files.`)
  },
  getArchive: async ({ owner = '', name = '', version = '' }, _query, hub) => {
    const found = await (await files()).findArchive({ owner, name, version }, hub)
    if (found) {
      const headers = { 'Content-Disposition': `attachment; filename="${name}-${version}.tar.gz"` }
      return { ...found, hasDigest: true, headers }
    }
    const record = await requireVersion(owner, name, version, hub)
    throw new HubError(
      'not_found',
      record.skill
        ? `${owner}/${name}@${version} has no files, so its SKILL.md is all of it: /${owner}/${name}/v/${version}/SKILL.md.`
        : `${owner}/${name}@${version} is not an Agent Skill, so it has no archive. Its content is at ${record.raw_url}.`,
    )
  },
  listCapabilities: async ({ owner = '', name = '', version = '' }, query, hub) => {
    const from = readFromQuery(query)
    const [record, older] = await Promise.all([
      requireVersion(owner, name, version, hub),
      from === undefined ? undefined : requireVersion(owner, name, from, hub),
    ])
    return { bytes: encode(JSON.stringify(await (await capabilities()).describeCapabilities(record, older, hub))) }
  },
  listResults: async ({ owner = '', name = '', version = '' }, _query, hub) => {
    const found = await (await results()).findResults(owner, name, version, hub)
    if (found.length === 0) await requireVersion(owner, name, version, hub)
    return { bytes: encode(JSON.stringify(onlyPage([...found]))) }
  },
  listAttestations: async ({ owner = '', name = '', version = '' }, _query, hub) => {
    const { attestations } = await requireVersion(owner, name, version, hub)
    return { bytes: encode(JSON.stringify(onlyPage(attestations))) }
  },
  getAttestation: async ({ owner = '', name = '', version = '', attestation = '' }, _query, hub) => {
    const found = await (await files()).findAttestation({ owner, name, version }, attestation, hub)
    if (found) return { ...found, hasDigest: true }
    const { url } = await requireVersion(owner, name, version, hub)
    throw new HubError(
      'not_found',
      `${owner}/${name}@${version} has no attestation ${attestation}. ${url}/attestations lists those it has.`,
    )
  },
  getRaw: async ({ owner = '', name = '' }, query, hub) => {
    const asked = query.size === 0 ? LATEST : readVersionQuery(query)
    if (asked.version !== undefined) {
      const [bytes, repository] = await Promise.all([
        readContent(owner, name, asked.version, hub),
        findRepository(owner, name, hub),
      ])
      const headers = { 'X-Prompt-Version': asked.version }
      // This response is cached forever, so it cannot show whether the version is yanked.
      const isYanked = repository !== undefined && !repository.facts.versions.includes(asked.version)
      return isYanked
        ? { bytes, hasDigest: true, headers: { ...headers, 'X-Prompt-Yanked': 'true' } }
        : { bytes, hasDigest: true, headers, cache: 'immutable' }
    }
    const { label, at, key } = asked
    if (label !== undefined && at !== undefined) return rawAt(owner, name, { label, at }, hub)
    const found = await findRepository(owner, name, hub)
    if (!found) throw await repositoryNotFound(owner, name, hub)
    const facts = found.facts
    let version = facts.latest_version
    if (label !== undefined) {
      version = resolveVersion(facts, asked) ?? null
      const target = key === undefined ? undefined : targetOf(facts.labels, label)
      if (target && key !== undefined) version = await chooseVersion(target, key)
    }
    if (version === null) throw activeVersionNotFound(owner, name)
    // The record contains the latest content, so only one file is read, and the content always matches the version number.
    const latest = version === facts.latest_version ? facts.latestContent : undefined
    return {
      bytes: latest ?? (await readContent(owner, name, version, hub)),
      hasDigest: true,
      headers: await describeRaw(version, facts, hub),
      ...(key !== undefined && { cache: 'personal' as const }),
    }
  },
  listActivity: async ({ owner = '', name = '' }, _query, hub) => {
    const found = await (await activity()).findActivity(owner, name, hub)
    if (!found) throw await repositoryNotFound(owner, name, hub)
    const { activities, since } = found
    const meta = { page: 1, pages: 1, total: activities.length, since }
    return { bytes: encode(JSON.stringify({ data: activities, meta })) }
  },
  listDependents: async ({ owner = '', name = '' }, _query, hub) => {
    const [bytes, repository] = await Promise.all([
      hub.siteFiles.read(DATA_FILES.dependents(owner, name)),
      findRepository(owner, name, hub),
    ])
    if (!repository) throw await repositoryNotFound(owner, name, hub)
    return { bytes: bytes ?? encode(JSON.stringify(dependentsEnvelope([]))) }
  },
  listTags: async (_parameters, _query, hub) => ({ bytes: (await findTags(hub)).bytes() }),
  getUser: async ({ handle = '' }, _query, hub) => {
    const user = await findUser(handle, hub)
    if (!user) throw userNotFound(handle)
    return { bytes: user.bytes() }
  },
  listLabelled: async ({ handle = '', label = '' }, _query, hub) => {
    const found = await (await labels()).findLabelled(handle, label, hub)
    if (!found) throw userNotFound(handle)
    return { bytes: found.bytes }
  },
  getOpenapi: async (_parameters, _query, { siteFiles }) => ({
    bytes: await readBuilt(siteFiles, DATA_FILES.openapi()),
  }),
}

/** Responds with the content to which a label pointed at a time. It is cached like the label now: a takedown, or a commit that is pushed later with an earlier date, changes the past. */
async function rawAt(owner: string, name: string, when: { label: string; at: string }, hub: Hub): Promise<FoundAnswer> {
  const found = await (await labels()).findVersionAt(owner, name, when, hub)
  if (!found) throw await repositoryNotFound(owner, name, hub)
  const facts = found.repository.facts
  return {
    bytes: await readContent(owner, name, found.version, hub),
    hasDigest: true,
    headers: {
      ...(await describeRaw(found.version, facts, hub)),
      ...(facts.versions.includes(found.version) ? {} : { 'X-Prompt-Yanked': 'true' }),
    },
  }
}

/** Builds the headers of content whose version the hub has chosen. */
async function describeRaw(
  version: string,
  facts: Pick<Repository, 'status' | 'moved_to'>,
  hub: Hub,
): Promise<Record<string, string>> {
  return {
    'X-Prompt-Version': version,
    ...(facts.status === 'deprecated' && { 'X-Prompt-Deprecated': 'true' }),
    ...(facts.moved_to !== null && (await successorLink(facts.moved_to, hub, '/raw'))),
  }
}

async function requireVersion(owner: string, name: string, version: string, hub: Hub): Promise<VersionRecord> {
  const record = (await findVersion(owner, name, version, hub))?.value()
  if (!record) throw await versionNotFound(owner, name, version, hub)
  return record
}

function userNotFound(handle: string): HubError {
  return new HubError('not_found', `User not found: ${handle}. /api/v1/repos lists prompts with their owners.`)
}

async function readContent(owner: string, name: string, version: string, hub: Hub): Promise<Bytes> {
  const bytes = await findContent(owner, name, version, hub)
  if (!bytes) throw await versionNotFound(owner, name, version, hub)
  return bytes
}

/** Returns a Link header with the new location of a repository that has moved (RFC 5829 section 3.4). @param movedTo its full name @param rest the end of the URL that was asked for */
async function successorLink(movedTo: string, { baseUrl }: Hub, rest: string): Promise<Record<string, string>> {
  const { owner, name } = splitFullName(movedTo) ?? {}
  if (owner === undefined || name === undefined) return {}
  return { Link: `<${addressesBelow(baseUrl).repository(owner, name).url}${rest}>; rel="successor-version"` }
}
