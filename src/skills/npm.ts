// Formats the versions of a prompt for npm, pnpm, bun and Yarn: a packument. https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md

import type { Repository, VersionSummary } from '../domain/api/schema.ts'
import { firstVersions } from '../domain/values/label-target.ts'

/** What npm verifies of a package. */
export interface PackageDigests {
  /** `sha512-` followed by the digest in base64. */
  integrity: string
  /** The SHA-1, in hex. */
  shasum: string
}

/** The repository and its versions, highest first. */
interface Listed {
  repository: Pick<
    Repository,
    | 'owner'
    | 'name'
    | 'description'
    | 'latest_version'
    | 'labels'
    | 'advisories'
    | 'status'
    | 'status_message'
    | 'moved_to'
  >
  versions: readonly Pick<VersionSummary, 'version' | 'available_at' | 'yanked' | 'yank_reason'>[]
}

/** The most characters of a reason that a version repeats: a thousand versions may have it. */
const REASON_MOST = 160

/** Formats a packument. A version has only what is needed to install it, so that a thousand versions have less than a megabyte. @param digests of each version's package */
export function formatPackument(
  { repository, versions }: Listed,
  digests: ReadonlyMap<string, PackageDigests>,
  baseUrl: string,
): string {
  const { owner, name, latest_version, labels } = repository
  const full = `@${owner}/${name}`
  const reasons = listReasons(repository)
  const over = describeEnd(repository)
  const describe = ({ version, yanked, yank_reason }: Listed['versions'][number]) => {
    const deprecated = yanked ? `Yanked: ${yank_reason ?? ''}` : (reasons.get(version) ?? over)
    const tarball = `${baseUrl}/npm/${full}/-/${name}-${version}.tgz`
    return {
      name: full,
      version,
      ...(deprecated !== undefined && { deprecated: deprecated.slice(0, REASON_MOST) }),
      dist: { tarball, ...digests.get(version) },
    }
  }
  const times = versions.map(({ available_at }) => available_at).sort()
  const known = new Set(versions.map(({ version }) => version))
  return JSON.stringify({
    _id: full,
    name: full,
    description: repository.description,
    homepage: `${baseUrl}/${owner}/${name}`,
    'dist-tags': {
      ...Object.fromEntries(Object.entries(firstVersions(labels)).filter(([, version]) => known.has(version))),
      ...(latest_version !== null && { latest: latest_version }),
    },
    versions: Object.fromEntries(versions.map((one) => [one.version, describe(one)])),
    time: {
      created: times[0],
      modified: times.at(-1),
      ...Object.fromEntries(versions.map(({ version, available_at }) => [version, available_at])),
    },
  })
}

/** What npm is told of every version of a prompt that is no longer maintained. */
const OVER: Partial<Record<Repository['status'], string>> = { deprecated: 'Deprecated', archived: 'Archived' }

/** Says where a prompt is now, or that it is no longer maintained; undefined if all is well. */
function describeEnd({ status, status_message, moved_to }: Listed['repository']): string | undefined {
  if (moved_to !== null) return `Moved to @${moved_to}`
  const over = OVER[status]
  return over && status_message ? `${over}: ${status_message}` : over
}

/** Lists the first advisory about each version, by number. */
function listReasons({ advisories }: Pick<Repository, 'advisories'>): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>()
  for (const { versions, severity, message } of advisories)
    for (const version of versions)
      if (!reasons.has(version)) reasons.set(version, `Advisory (${severity}): ${message}`)
  return reasons
}

/** Reads the digests of some versions from a packument, which a build wrote. */
export function readDigests(packument: string | undefined, versions: ReadonlySet<string>): Map<string, PackageDigests> {
  if (packument === undefined) return new Map()
  const known: { versions: Record<string, { version: string; dist: PackageDigests }> } = JSON.parse(packument)
  return new Map(
    Object.values(known.versions).flatMap(({ version, dist: { integrity, shasum } }) =>
      versions.has(version) ? [[version, { integrity, shasum }]] : [],
    ),
  )
}
