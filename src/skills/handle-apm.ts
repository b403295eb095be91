// Serves skills to APM, Microsoft's package manager for agents, as a registry that it only reads. https://microsoft.github.io/apm/reference/registry-http-api/

import { type Bytes, parseBuilt } from '../built/site-files.ts'
import { mapConcurrently } from '../concurrency/promises.ts'
import { DATA_FILES } from '../domain/api/data-paths.ts'
import { HubError } from '../domain/api/errors.ts'
import { areValid, type PathParameters } from '../domain/api/routes.ts'
import type { VersionRecord, VersionRow } from '../domain/api/schema.ts'
import { printable } from '../domain/text/printable.ts'
import { packSkill } from '../files/archive.ts'
import type { Connect, Sources } from '../server/hub.ts'
import { findArchive, type VersionPlace } from '../server/read/files.ts'
import { encode, findNewest, findVersion } from '../server/read/records.ts'
import { findSkill } from '../server/read/skills.ts'
import { respondWithProblem } from '../server/refusals.ts'
import { countRequest, pathOf } from '../server/request.ts'
import { respondWith } from '../server/respond.ts'
import { type ApmVersion, describeForApm, formatForApm } from './apm.ts'

/** Handles one request. Never throws: errors are problem details (RFC 9457), which APM shows to its user. Files that the build wrote are outside the rate limit, as for skills. @param parameters as in the path; undefined for a path that is not in `APM_PATHS` */
export async function handleApm(
  request: Request,
  parameters: PathParameters | undefined,
  connect: Connect,
): Promise<Response> {
  const place = parameters && areValid(parameters) ? parameters : undefined
  const { owner = '', name = '', version } = place ?? {}
  try {
    if (!place) throw packageNotFound(request)
    const hub = await connect()
    const built = await findBuilt({ owner, name, version }, hub)
    if (!built) await countRequest(hub)
    const bytes =
      built ??
      (version === undefined
        ? await listApmVersions(owner, name, hub)
        : await makeArchive({ owner, name, version }, hub))
    if (!bytes) throw packageNotFound(request)
    return respondWith(request, {
      bytes,
      subject: { owner, name },
      hasDigest: true,
      ...(version === undefined
        ? { mediaType: 'application/json', cache: 'changing' }
        : { mediaType: 'application/gzip', cache: 'immutable' }),
    })
  } catch (thrown) {
    return respondWithProblem(request, thrown, { owner, name })
  }
}

/** Reads what the build wrote, unless a publish has changed it since. */
async function findBuilt(
  { owner, name, version }: { owner: string; name: string; version: string | undefined },
  { siteFiles, fresh }: Sources,
): Promise<Bytes | undefined> {
  if (version === undefined)
    return (await fresh.find('repositories', owner, name)) ? undefined : siteFiles.read(DATA_FILES.apm(owner, name))
  const built = await siteFiles.read(DATA_FILES.version(owner, name, version))
  if (!built) return undefined
  const { skill, ...record } = parseBuilt<{ data: VersionRecord }>(built).data
  if (!skill) return undefined
  if (record.bundle_sha256 !== null) return siteFiles.read(DATA_FILES.blob(owner, name, record.bundle_sha256))
  const archive = archives.get(built) ?? packSkill({ ...record, skill }, [])
  archives.set(built, archive)
  return archive
}

/** The archives of skills without other files, by the bytes of their records, which hosts cache. The build writes none, because only APM asks for them. */
const archives = new WeakMap<Bytes, Bytes>()

/** How many versions are read at once. */
const AT_ONCE = 8

/** Lists the versions of a repository that has changed since the build. Versions that the build has are not read again. */
export async function listApmVersions(owner: string, name: string, sources: Sources): Promise<Bytes | undefined> {
  const { copy } = await findNewest(owner, name, sources)
  if (!copy) return undefined
  const [list, summaries] = await Promise.all([
    sources.siteFiles.read(DATA_FILES.apm(owner, name)),
    sources.siteFiles.read(DATA_FILES.versions(owner, name)),
  ])
  const known = new Map(
    list ? parseBuilt<{ versions: ApmVersion[] }>(list).versions.map((one) => [one.version, one]) : [],
  )
  const builtVersions = summaries ? parseBuilt<{ data: VersionRow[] }>(summaries).data : []
  // What the build lists as active and not for APM is not a skill.
  const others = new Set(builtVersions.filter(({ yanked }) => !yanked).map(({ version }) => version))
  const active = copy.versions.filter(({ yanked }) => !yanked)
  const found = await mapConcurrently(AT_ONCE, active, async ({ version }) => {
    if (known.has(version) || others.has(version)) return known.get(version)
    const record = (await findVersion(owner, name, version, sources))?.value()
    return record && describeForApm(record)
  })
  const versions = found.filter((one) => one !== undefined)
  return versions.length === 0 && !list ? undefined : encode(formatForApm(copy.repository.full_name, versions))
}

/** Finds the archive of a version, or makes it from a SKILL.md without other files. */
async function makeArchive(place: VersionPlace, sources: Sources): Promise<Bytes | undefined> {
  const skill = await findSkill(place, sources)
  if (!skill) return undefined
  return skill.bundle_sha256 === null ? packSkill(skill, []) : (await findArchive(place, sources))?.bytes
}

function packageNotFound(request: Request): HubError {
  return new HubError(
    'not_found',
    `There is no Agent Skill at ${printable(pathOf(request.url))}. /docs/skills explains which prompts are skills, and /api/v1/repos lists all prompts.`,
  )
}
