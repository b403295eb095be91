// Collects what a prompt's page says about the prompts that its version includes: newer versions, yanks, advisories and takedowns.
import { repositoryCacheTag } from '../../domain/api/caching.ts'
import type { Advisory, VersionRecord } from '../../domain/api/schema.ts'
import { splitFullName } from '../../domain/values/names.ts'
import { compareVersions } from '../../domain/values/versions.ts'
import type { PageData } from '../rendering.ts'

/** A version that a version includes, as it stands now. */
export interface ShownPart {
  repository: string
  version: string
  /** Whether this hub no longer has it, because it was taken down. */
  isGone: boolean
  /** The latest version, if it is higher than the included one. */
  newer: string | undefined
  /** Why it was yanked; null if it was not. */
  yankReason: string | null
  /** The advisories about it. */
  advisories: readonly Advisory[]
}

/** Reads how the included versions stand, each once. */
export async function readParts(
  hub: Pick<PageData, 'findRepository' | 'findVersions'>,
  { includes = [] }: Pick<VersionRecord, 'includes'>,
): Promise<ShownPart[]> {
  const addresses = new Map(includes.map((include) => [`${include.repository}@${include.version}`, include]))
  return Promise.all(
    Array.from(addresses.values(), async ({ repository, version }) => {
      const { owner, name } = splitFullName(repository)!
      const [record, versions] = await Promise.all([hub.findRepository(owner, name), hub.findVersions(owner, name)])
      const latest = record?.latest_version ?? null
      const found = versions?.find((one) => one.version === version)
      return {
        repository,
        version,
        isGone: found === undefined,
        newer: latest !== null && compareVersions(version, latest) > 0 ? latest : undefined,
        yankReason: found?.yank_reason ?? null,
        advisories: record?.advisories.filter((advisory) => advisory.versions.includes(version)) ?? [],
      }
    }),
  )
}

/** Returns the cache tags of the included repositories, whose changes the page shows. */
export function tagsOfParts(parts: readonly ShownPart[]): string[] {
  const names = new Set(parts.map(({ repository }) => repository))
  return Array.from(names, (fullName) => {
    const { owner, name } = splitFullName(fullName)!
    return repositoryCacheTag(owner, name)
  })
}
