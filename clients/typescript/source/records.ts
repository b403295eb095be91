// The types of the hub's responses, as far as this library reads them, and their validation.
import { type Publisher, readPublisher } from './publisher.ts'
import { isVersion } from './ranges.ts'
import { readFiles, type SkillFile } from './skills.ts'
import type { LabelTarget } from './split.ts'
import { PromptHubError } from './trouble.ts'
import { requireDigest } from './verify.ts'

/** A declared variable of a prompt. */
export interface Variable {
  name: string
  description: string
  type: 'string' | 'number' | 'integer' | 'boolean' | 'enum'
  required: boolean
  default: string | number | boolean | null
  /** The allowed values of an `enum`; empty otherwise. */
  options: readonly string[]
  example: string | number | boolean | null
}

/** One version; it never changes after publishing. */
export interface VersionRecord {
  full_name: string
  version: string
  /** Absent from a record that does not say it. */
  format: 'text' | 'chat' | undefined
  content: string
  content_sha256: string
  variables: Variable[]
  parameters: Record<string, unknown>
  /** The files of an Agent Skill, without its SKILL.md. */
  files: SkillFile[]
  /** The workflow that published it, as the hub says. */
  publisher: Publisher | undefined
  /** The versions whose content it includes, each once, as in `acme/house-style@1.4.0`. */
  included: string[]
  /** The description of an Agent Skill; undefined for any other prompt. */
  skill: string | undefined
}

/** An advisory about some versions. */
export interface Advisory {
  /** The affected versions, as a range. */
  range: string
  severity: string
  message: string
  /** The affected versions. */
  versions: string[]
}

/** The current state of a prompt's repository. Unlike a version, it may change. */
export interface RepositoryRecord {
  full_name: string
  status: string
  status_message: string | null
  latest_version: string | null
  labels: Record<string, LabelTarget>
  /** The recommended replacement. */
  replaced_by?: string | null
  /** The new location. */
  moved_to?: string | null
  advisories?: Advisory[]
  /** The full latest version, if the record contains all of it. */
  latest: VersionRecord | undefined
}

/** What a provider has announced about a model. */
export interface ModelStatus {
  model: string
  /** The day, in UTC, from which it is no longer served, as in `2026-12-11`. */
  retires_at: string
  /** The model that its provider recommends instead. */
  replaced_by: string | null
}

/** A prompt at a label. */
export interface LabelledPrompt {
  full_name: string
  version: string
  content_sha256: string
}

/** A version in the list of versions. */
export interface VersionRow {
  version: string
  yanked: boolean
  yank_reason: string | null
  content_sha256: string
  /** Since when readers can have it, as in `2026-11-20T10:00:00Z`. */
  available_at?: string
  /** When its model retires, or null if nothing is announced. */
  model_status?: ModelStatus | null
}

/** What a version changes for callers of the version before. */
export interface VersionChange {
  version: string
  /** Why it is a breaking change, such as `adds required variable lang`; empty if it is none. */
  reasons: string[]
}

/** Parses the list of what versions change for callers. @throws PromptHubError `unavailable` when the text is invalid */
export function readChanges(text: string, url: string): VersionChange[] {
  const data = readData(text, url)
  if (!Array.isArray(data)) throw noRecord(url)
  return data.map((row: unknown) => {
    const { to, reasons = [] } = isObject(row) ? row : {}
    const isChange =
      typeof to === 'string' && Array.isArray(reasons) && reasons.every((reason) => typeof reason === 'string')
    if (!isChange) throw noRecord(url)
    return { version: to, reasons }
  })
}

/** Parses a list of versions. @throws PromptHubError `unavailable` when the text is invalid */
export function readVersionList(text: string, url: string): VersionRow[] {
  const data = readData(text, url)
  const isList =
    Array.isArray(data) &&
    data.every((row) => isObject(row) && typeof row.version === 'string' && typeof row.yanked === 'boolean')
  if (!isList) throw noRecord(url)
  return data as VersionRow[]
}

/** Parses the list of an owner's prompts at a label. @throws PromptHubError `unavailable` when the text is invalid, or lacks some of the prompts */
export function readLabelList(text: string, url: string): LabelledPrompt[] {
  const data = readData(text, url)
  const isList =
    Array.isArray(data) &&
    data.every(
      (row) => isObject(row) && ['full_name', 'version', 'content_sha256'].every((key) => typeof row[key] === 'string'),
    )
  if (!isList) throw noRecord(url)
  const { meta } = JSON.parse(text) as { meta?: { total?: unknown } }
  if (meta?.total !== data.length)
    throw new PromptHubError('unavailable', `${url} does not list all prompts. Get them one by one.`)
  return data as LabelledPrompt[]
}

/**
 * Parses a version's record and verifies its content.
 *
 * @throws PromptHubError `unavailable` when the text is invalid, because then something other than a hub has responded; `integrity` when the content does not match the record's own SHA-256
 */
export async function readVersionRecord(text: string, url: string): Promise<VersionRecord> {
  const record = await findVersion(readObject(text, url))
  if (!record) throw noRecord(url)
  return record
}

/** Reads a version's fields and verifies its content. @returns undefined if a field is missing or invalid */
async function findVersion(data: Record<string, unknown>): Promise<VersionRecord | undefined> {
  const { full_name, version, content, content_sha256, parameters } = data
  const variables = readVariables(data.variables)
  if (typeof full_name !== 'string' || typeof version !== 'string' || !variables || !isObject(parameters))
    return undefined
  const files = readFiles(data.files)
  const included = readIncluded(data.includes)
  if (!included) return undefined
  if (typeof content !== 'string' || typeof content_sha256 !== 'string' || !files) return undefined
  await requireDigest(new TextEncoder().encode(content), content_sha256, `${full_name}@${version}`)
  const publisher = readPublisher(data)
  const format = data.format === 'text' || data.format === 'chat' ? data.format : undefined
  const skill = isObject(data.skill) ? String(data.skill.description ?? '') : undefined
  const record = { full_name, version, format, content, content_sha256, variables, parameters, files } as const
  return { ...record, publisher, included, skill }
}

/** Reads which versions a version includes. @returns undefined if a value is invalid */
function readIncluded(includes: unknown = []): string[] | undefined {
  if (!Array.isArray(includes)) return undefined
  const found = includes.map((each) => (isObject(each) ? `${each.repository}@${each.version}` : ''))
  return found.every((address) => INCLUDED.test(address)) ? [...new Set(found)] : undefined
}

const INCLUDED = /^[a-z0-9-]{1,39}\/[a-z0-9-]{1,64}@\d{1,6}\.\d{1,6}\.\d{1,6}$/

const TYPES = ['string', 'number', 'integer', 'boolean', 'enum']
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Parses the variables in a hub's response or in a lock, adding the defaults of omitted fields. @returns undefined when invalid */
export function readVariables(value: unknown): Variable[] | undefined {
  if (!Array.isArray(value)) return undefined
  const variables = value.map(readVariable)
  return variables.every((variable) => variable !== undefined) ? variables : undefined
}

function readVariable(value: unknown): Variable | undefined {
  if (!isObject(value)) return undefined
  const { name, description = '', type = 'string', required = true } = value
  const { default: fallback = null, options = [], example = null } = value
  const isVariable =
    typeof name === 'string' &&
    VARIABLE_NAME.test(name) &&
    typeof description === 'string' &&
    typeof type === 'string' &&
    TYPES.includes(type) &&
    typeof required === 'boolean' &&
    isScalar(fallback) &&
    Array.isArray(options) &&
    options.every((option) => typeof option === 'string') &&
    isScalar(example)
  if (!isVariable) return undefined
  return { name, description, type: type as Variable['type'], required, default: fallback, options, example }
}

function isScalar(value: unknown): value is Variable['default'] {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function isTarget(value: unknown): value is LabelTarget {
  if (!isObject(value) || typeof value.version !== 'string') return false
  const { split } = value
  return (
    split === null ||
    (isObject(split) &&
      typeof split.version === 'string' &&
      isVersion(split.version) &&
      Number.isInteger(split.percent) &&
      typeof split.salt === 'string' &&
      /^[A-Za-z0-9]{16,64}$/.test(split.salt))
  )
}

/** Parses a repository's record and verifies the latest version in it. @throws PromptHubError like `readVersionRecord` */
export async function readRepositoryRecord(text: string, url: string): Promise<RepositoryRecord> {
  const data = readObject(text, url)
  const isRecord =
    typeof data.full_name === 'string' &&
    typeof data.status === 'string' &&
    (data.latest_version === null || typeof data.latest_version === 'string') &&
    isObject(data.labels) &&
    Object.values(data.labels).every(isTarget) &&
    Array.isArray(data.versions)
  if (!isRecord) throw noRecord(url)
  const latest = await findVersion({ ...data, version: data.latest_version })
  return { ...(data as unknown as RepositoryRecord), latest }
}

function readObject(text: string, url: string): Record<string, unknown> {
  const data = readData(text, url)
  if (!isObject(data)) throw noRecord(url)
  return data
}

function readData(text: string, url: string): unknown {
  try {
    const answer: unknown = JSON.parse(text)
    if (isObject(answer)) return answer.data
  } catch {
    // A text that is not JSON is not a record either; the error is thrown below.
  }
  throw noRecord(url)
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function noRecord(url: string): PromptHubError {
  return new PromptHubError('unavailable', `${url} did not return a Prompt Hub record.`)
}
