// The paths and the list of versions that APM, Microsoft's package manager for agents, asks of a registry. https://microsoft.github.io/apm/reference/registry-http-api/
import type { VersionRecord, VersionSummary } from '../domain/api/schema.ts'
import { digestArchive } from '../files/archive.ts'

/** A version that APM can install. */
export interface ApmVersion {
  version: string
  /** `sha256:` followed by the hex digest of the archive. */
  digest: string
  published_at: string
}

/** Describes a version for APM. @returns undefined if it is not a skill */
export function describeForApm(record: VersionRecord): ApmVersion | undefined {
  const { version, published_at, skill } = record
  return skill ? { version, digest: `sha256:${digestArchive({ ...record, skill })}`, published_at } : undefined
}

/** Formats the list of versions. Yanked versions are not listed, because APM would install them; their archives stay. */
export function formatForApm(fullName: string, versions: readonly ApmVersion[]): string {
  return JSON.stringify({ package: fullName, versions })
}

/** Formats the list of a repository's versions. @returns undefined if none is a skill */
export function listForApm(
  fullName: string,
  versions: readonly { summary: Pick<VersionSummary, 'yanked'>; record: VersionRecord }[],
): string | undefined {
  if (versions.every(({ record }) => !record.skill)) return undefined
  const active = versions.filter(({ summary }) => !summary.yanked)
  return formatForApm(
    fullName,
    active.flatMap(({ record }) => describeForApm(record) ?? []),
  )
}
