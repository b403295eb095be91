// Builds the records of one repository and its versions. catalogue.ts builds the data of several repositories.
import type { Addresses } from '../api/data-paths.ts'
import type { Repository, Result, VersionRecord, VersionSummary } from '../api/schema.ts'
import type { VersionEntry } from '../content/content-tree.ts'
import { warnOfTexts } from '../content/findings.ts'
import { findModelStatus, type Models, modelOf } from '../content/models.ts'
import type { RepositoryFile } from '../content/prompt-file.ts'
import { CLOCK_SKEW_MS } from '../limits.ts'
import type { Measure } from '../publishing/request.ts'
import { canonicalJson } from '../text/json.ts'
import { attestationName } from '../values/attestation-name.ts'
import { kindOf, splitChat } from '../values/chat.ts'
import type { FileEntry } from '../values/file-entry.ts'
import { titleFromName } from '../values/names.ts'
import type { Stats } from '../values/values.ts'
import { selectVersions } from '../values/versions.ts'

/** The input of a repository's record. */
interface RepositoryParts {
  owner: string
  name: string
  file: RepositoryFile
  /** Its versions, highest first, including yanked versions; there is at least one. */
  versions: readonly VersionSummary[]
  /** The highest version that is not yanked, or undefined. */
  latest: VersionEntry | undefined
  /** The results of that version, newest first. */
  results: readonly Result[]
  stats: Stats | null
}

/** Builds a repository's record. */
export function describeRepository(
  { owner, name, file, versions, latest, results, stats }: RepositoryParts,
  addresses: Addresses,
): Repository {
  const numbers = versions.map(({ version }) => version)
  const times = versions.map((version) => version.published_at).sort((a, b) => Date.parse(a) - Date.parse(b))
  return {
    owner,
    name,
    full_name: `${owner}/${name}`,
    title: file.title ?? titleFromName(name),
    description: file.description,
    tags: file.tags,
    license: file.license,
    status: file.status,
    status_message: file.status_message,
    latest_version: latest?.version ?? null,
    versions_count: versions.length,
    variables_count: latest?.variables.length ?? 0,
    format: latest?.format ?? 'text',
    kind: latest ? kindOf(latest) : 'text',
    forked_from: file.forked_from,
    has_provenance: Boolean(latest?.provenance),
    has_results: results.length > 0,
    created_at: times[0]!,
    updated_at: times.at(-1)!,
    stats,
    ...addresses.repository(owner, name),
    content: latest?.content ?? null,
    content_sha256: latest?.content_sha256 ?? null,
    size_bytes: latest?.size_bytes ?? null,
    ...describeVersion(latest, { owner, name }, addresses),
    includes: latest?.includes ?? [],
    variables: latest?.variables ?? [],
    parameters: latest?.parameters ?? {},
    labels: file.labels,
    readme: file.readme,
    versions: versions.filter(({ yanked }) => !yanked).map(({ version }) => version),
    moved_to: file.moved_to,
    replaced_by: file.replaced_by,
    advisories: file.advisories.map((advisory) => ({ ...advisory, versions: selectVersions(numbers, advisory.range) })),
    warnings: latest ? warnOfTexts(latest, file) : [],
    model_status: versions.find(({ version }) => version === latest?.version)?.model_status ?? null,
    results: [...results],
  }
}

/** Builds the fields that the record of a version and that of its repository share. */
function describeVersion(
  entry: VersionEntry | undefined,
  { owner, name }: { owner: string; name: string },
  addresses: Addresses,
): Pick<VersionRecord, 'messages' | 'skill' | 'files' | 'bundle_sha256' | 'attestations' | 'publisher'> {
  const { skill, bundle, attestations = [], provenance, version = '' } = entry ?? {}
  // The workflow that an attestation proves or, without one, the one whose token the hub verified.
  const signer = attestations[0] ?? provenance
  return {
    messages: entry?.format === 'chat' ? splitChat(entry.content) : null,
    skill: recordSkill(skill),
    files: (bundle?.files ?? []).map((file) => ({ ...file, url: addresses.file(owner, name, version, file.path) })),
    bundle_sha256: bundle?.sha256 ?? null,
    attestations: attestations.map((facts, index) => ({
      name: attestationName(index),
      url: addresses.attestation(owner, name, version, attestationName(index)),
      ...facts,
    })),
    publisher: signer ? { repository: signer.repository, workflow: signer.workflow.split('@', 1)[0]! } : null,
  }
}

/** Builds the record of a skill; null for a version that is none. */
export function recordSkill(skill: VersionEntry['skill']): VersionRecord['skill'] {
  if (!skill) return null
  const { description, license, compatibility = null, allowed_tools = [], argument_hint = null, metadata = {} } = skill
  return { description, license: license ?? null, compatibility, allowed_tools, argument_hint, metadata }
}

/**
 * Builds a version's record for the version list.
 *
 * @param addedAt when its file came to the branch, if that is known. Its author may have written any other time into the file
 */
export function summariseVersion(
  entry: VersionEntry,
  file: RepositoryFile,
  addresses: { url: string; raw_url: string },
  models: Models,
  addedAt = entry.published_at,
): VersionSummary {
  const { version, changelog, published_at, published_by, content_sha256, size_bytes } = entry
  const yankReason = Object.hasOwn(file.yanked, version) ? file.yanked[version]! : null
  return {
    version,
    changelog,
    published_at,
    available_at: Math.abs(Date.parse(addedAt) - Date.parse(published_at)) > CLOCK_SKEW_MS ? addedAt : published_at,
    published_by,
    content_sha256,
    size_bytes,
    yanked: yankReason !== null,
    yank_reason: yankReason,
    provenance: entry.provenance ?? null,
    model_status: findModelStatus(models, modelOf(entry.parameters)),
    included: [...new Set((entry.includes ?? []).map(({ repository, version }) => `${repository}@${version}`))],
    ...addresses,
  }
}

/** Builds a version's full record. @param previous the next lower version, yanked or not, or null */
export function recordVersion(
  entry: VersionEntry,
  previous: string | null,
  { owner, name }: { owner: string; name: string },
  addresses: Addresses,
): VersionRecord {
  const { attestations, publisher, ...described } = describeVersion(entry, { owner, name }, addresses)
  return {
    owner,
    name,
    full_name: `${owner}/${name}`,
    version: entry.version,
    previous_version: previous,
    content: entry.content,
    content_sha256: entry.content_sha256,
    size_bytes: entry.size_bytes,
    format: entry.format,
    ...described,
    includes: entry.includes ?? [],
    variables: entry.variables,
    parameters: entry.parameters,
    changelog: entry.changelog,
    published_at: entry.published_at,
    published_by: entry.published_by,
    provenance: entry.provenance ?? null,
    attestations,
    publisher,
    ...addresses.version(owner, name, entry.version),
  }
}

/** The fields of a version's record that its manifest has. */
type Described = Pick<VersionRecord, 'content_sha256' | 'format' | 'variables' | 'parameters' | 'skill'> & {
  files: readonly Pick<FileEntry, 'path' | 'size_bytes' | 'sha256'>[]
}

/** Returns the SHA-256, in hex, of a version's manifest: everything beside the content that decides what its callers get. docs/contract.md section 7 */
export function digestManifest(
  { content_sha256, format, variables, parameters, skill, files }: Described,
  measure: Measure,
): string {
  const listed = files.map(({ path, size_bytes, sha256 }) => ({ path, size_bytes, sha256 }))
  const manifest = { content_sha256, format, variables, parameters, skill, files: listed }
  return measure(canonicalJson(manifest)).content_sha256
}
