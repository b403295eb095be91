// The text of the lock file: parses it strictly and formats it so that every client writes the same bytes. docs/lock-file.md.
import { DENIABLE } from './capabilities.ts'
import { type Publisher, toPublisher } from './publisher.ts'
import { isRange, isVersion, readWish, satisfies } from './ranges.ts'
import { isObject, readVariables, type Variable } from './records.ts'
import { findClash, isPortablePart, refuseFiles, SKILL, type SkillFile } from './skills.ts'
import type { Split } from './split.ts'
import { PromptHubError } from './trouble.ts'

/** Where a prompt is in the project. */
export interface Place {
  /** Path of its file, or of the folder of an Agent Skill, relative to the lock's folder. */
  path: string
  /** The files of the skill, of which one is SKILL.md; absent for a file. */
  files?: readonly SkillFile[]
}

/** One prompt of a lock. */
export interface LockedPrompt {
  /** The requested range, or the name of a label. */
  range: string
  /** The locked version. */
  version: string
  /** SHA-256 of its content, in hex. */
  sha256: string
  /** Where it is in the project, sorted by path. */
  places: readonly Place[]
  /** The workflow that published the version, as the hub said; absent for a token or a person. */
  publisher?: Publisher
  /** The second version of the label, for a share of callers. */
  split?: LockedSplit
  /** Whether a SKILL.md is written with the tools that it asks to use without a question. */
  keepsPermissions?: boolean
  /** The inputs of filling. */
  details: LockedDetails
}

/** A second version in a lock, with the SHA-256 of its content. */
export interface LockedSplit extends Split {
  sha256: string
}

/** The parts of a version in a lock besides its digest, so that it can be used without a hub. */
export interface LockedDetails {
  /** The declared variables. */
  variables: readonly Variable[]
  /** Model settings of its author, exactly as published. */
  parameters: Readonly<Record<string, unknown>>
}

/** The contents of `prompts.lock`. */
export interface Lock {
  /** The hub of the prompts. */
  hub: string
  /** The kinds of capability at which an update stops; absent if there are none. */
  deny?: readonly string[]
  /** By full name. */
  prompts: Record<string, LockedPrompt>
}

/** A repository's full name, `owner/name`. */
export const FULL_NAME: RegExp = /^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}\/[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,63}$/
const HUB = /^https?:\/\/[!-"$->A-~]+$/
/** The number of the format. Clients that know another format do not read it. */
const FORMAT = 1
const MAX_PROMPTS = 1_000
/** The most places of a prompt. */
export const MAX_PLACES = 20
/** The largest lock. */
export const MAX_LOCK_BYTES = 16_777_216
const MAX_DEPTH = 32

/** Formats a lock. Every client writes the same bytes for the same lock. */
export function formatLock({ hub, deny = [], prompts }: Lock): string {
  const sorted = Object.keys(prompts)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => {
      const { range, version, sha256, publisher: by, split: second, keepsPermissions, details } = prompts[name]!
      // The parser creates each variable with its keys in this order, but a program may pass a lock of its own.
      const variables = readVariables(details.variables) ?? []
      const places = sortPlaces(prompts[name]!.places).map(({ path, files }) => ({
        path,
        ...(files && { files: digestsOf(files) }),
      }))
      const publisher = by && { publisher: toPublisher(by) }
      const split = second && { split: orderSplit(second) }
      const kept = keepsPermissions && { keep_permissions: true }
      const { parameters } = details
      return [name, { range, version, sha256, places, ...kept, ...publisher, ...split, variables, parameters }] as const
    })
  const denied = deny.length > 0 ? { deny: DENIABLE.filter((kind) => deny.includes(kind)) } : {}
  return `${JSON.stringify({ lockfile: FORMAT, hub, ...denied, prompts: Object.fromEntries(sorted) }, null, 2)}\n`
}

const orderSplit = ({ version, percent, salt, sha256 }: LockedSplit): LockedSplit => ({
  version,
  percent,
  salt,
  sha256,
})

/** Places in the order of the lock. */
export function sortPlaces(places: readonly Place[]): Place[] {
  return [...places].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The digests by path, sorted. */
function digestsOf(files: readonly SkillFile[]): Record<string, string> {
  const sorted = files.map(({ path, sha256 }) => [path, sha256] as const).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted)
}

/** Whether every client stores a value as the same bytes: no lone surrogates, only JSON values, not nested too deeply. */
function isKeepable(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return value === null || typeof value === 'boolean'
  return depth > 0 && Object.entries(value).every(([key, each]) => key.isWellFormed() && isKeepable(each, depth - 1))
}

/**
 * Reads a lock.
 *
 * @throws PromptHubError `integrity` unless it is exactly what a client would write, so that manual edits and bad merges are rejected
 */
export function parseLock(text: string): Lock {
  if (new TextEncoder().encode(text).length > MAX_LOCK_BYTES) throw wrong(`it is larger than ${MAX_LOCK_BYTES} bytes`)
  const conflict = text.split('\n').findIndex((line) => /^(?:<{7}|={7}|>{7})(?: |\r?$)/.test(line))
  if (conflict >= 0)
    throw new PromptHubError(
      'integrity',
      `prompts.lock has a merge conflict in line ${conflict + 1}. Take one side (git checkout --ours prompts.lock, or --theirs), then add the other side's prompts again.`,
    )
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong('it is not JSON')
  }
  if (!isObject(value) || !isObject(value.prompts)) throw wrong('expected lockfile, hub and prompts')
  const { lockfile, hub, prompts } = value
  if (typeof lockfile !== 'number') throw wrong('expected lockfile, hub and prompts')
  if (lockfile !== FORMAT)
    throw new PromptHubError(
      'integrity',
      `prompts.lock: it was made by a newer client (lockfile ${lockfile}). This one knows ${FORMAT}; update it.`,
    )
  if (typeof hub !== 'string' || !isHubUrl(hub))
    throw wrong('hub: expected an http or https URL without a trailing slash')
  const names = Object.keys(prompts as Record<string, unknown>)
  if (names.length > MAX_PROMPTS) throw wrong(`it names more than ${MAX_PROMPTS} prompts`)
  const deny = readDenied(value.deny)
  const lock: Lock = { hub, ...(deny && { deny }), prompts: {} }
  for (const name of names) lock.prompts[name] = readLocked(name, (prompts as Record<string, unknown>)[name])
  const clash = findClash(Object.values(lock.prompts).flatMap(({ places }) => places.map(({ path }) => path)))
  if (clash !== undefined) throw wrong(`two places have the path ${clash}, or one is inside the other`)
  const written = formatLock(lock)
  if (written !== text && text.replaceAll('\r\n', '\n') === written)
    throw new PromptHubError(
      'integrity',
      `prompts.lock: git changed its line endings, as with core.autocrlf. ${mendEnds('prompts.lock')}`,
    )
  if (written !== text) throw wrong('it was edited by hand or merged')
  return lock
}

function readDenied(value: unknown): string[] | undefined {
  if (value === undefined) return undefined
  const kinds: unknown[] = Array.isArray(value) ? value : []
  const known = kinds.filter((kind): kind is string => typeof kind === 'string' && DENIABLE.includes(kind))
  if (known.length === 0 || known.length < kinds.length) throw wrong(`deny: expected a list of ${DENIABLE.join(', ')}`)
  return known
}

/** Whether a string is a valid URL of a hub: http or https, without a trailing slash, query or user name, at most 2,000 characters long. */
function isHubUrl(text: string): boolean {
  if (text.length > 2_000 || !HUB.test(text) || text.endsWith('/') || text.includes('?') || !URL.canParse(text))
    return false
  return new URL(text).username === ''
}

/** The URL of a hub, without a trailing slash. @throws PromptHubError `invalid_request` for any other */
export function requireHubUrl(text: string): string {
  const url = text.replace(/\/$/, '')
  if (isHubUrl(url)) return url
  throw new PromptHubError('invalid_request', `url: expected the URL of a hub, got ${JSON.stringify(url)}`)
}

function readLocked(name: string, value: unknown): LockedPrompt {
  if (!FULL_NAME.test(name)) throw wrong(`${name} is not owner/name`)
  if (!isObject(value)) throw wrong(`${name}: expected range, version, sha256 and places`)
  const { range, version, sha256, places } = value
  if (typeof range !== 'string' || !readWish(range)) throw wrong(`${name}: range is not a range or label`)
  if (typeof version !== 'string' || !isVersion(version)) throw wrong(`${name}: version is not a version`)
  if (isRange(range) && !satisfies(version, range)) throw wrong(`${name}: ${range} does not allow ${version}`)
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) throw wrong(`${name}: sha256 is not a SHA-256`)
  if (!Array.isArray(places) || places.length === 0 || places.length > MAX_PLACES)
    throw wrong(`${name}: places: expected 1 to ${MAX_PLACES}`)
  const { variables, parameters } = value
  const details = readDetails(variables, parameters)
  if (!details) throw wrong(`${name}: invalid variables or parameters`)
  const publisher =
    value.publisher === undefined ? undefined : isObject(value.publisher) && toPublisher(value.publisher)
  if (publisher === false || (value.publisher !== undefined && !publisher))
    throw wrong(`${name}: publisher: expected repository, workflow and attested`)
  const found = places.map((each: unknown) => readPlace(name, each))
  const split = value.split === undefined ? undefined : readSplit(name, range, version, value.split)
  const { keep_permissions: keepsPermissions = false } = value
  if (typeof keepsPermissions !== 'boolean') throw wrong(`${name}: keep_permissions: expected true`)
  return {
    range,
    version,
    sha256,
    places: found,
    ...(publisher && { publisher }),
    ...(split && { split }),
    ...(keepsPermissions && { keepsPermissions }),
    details,
  }
}

function readSplit(name: string, range: string, first: string, value: unknown): LockedSplit {
  const { version, percent, salt, sha256 } = isObject(value) ? value : {}
  const isGood =
    !isRange(range) &&
    typeof version === 'string' &&
    isVersion(version) &&
    version !== first &&
    Number.isInteger(percent) &&
    Number(percent) >= 1 &&
    Number(percent) <= 99 &&
    typeof salt === 'string' &&
    /^[A-Za-z0-9]{16,64}$/.test(salt) &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256)
  if (!isGood) throw wrong(`${name}: split: expected version, percent, salt and sha256, for a label`)
  return { version, percent: Number(percent), salt, sha256 }
}

function readPlace(name: string, value: unknown): Place {
  if (!isObject(value)) throw wrong(`${name}: places: expected objects`)
  const { path, files } = value
  if (typeof path !== 'string' || !isSafePath(path))
    throw wrong(`${name}: path leaves the folder or is not valid on every system`)
  return files === undefined ? { path } : { path, files: readDigests(name, path, files) }
}

/** @throws PromptHubError `integrity` unless the value has the digests of a skill's files by path */
function readDigests(name: string, folder: string, value: unknown): SkillFile[] {
  if (!isObject(value) || !Object.hasOwn(value, SKILL))
    throw wrong(`${name}: files: expected digests by path, with ${SKILL}`)
  const refused = refuseFiles(Object.keys(value))
  if (refused !== undefined) throw wrong(`${name}: ${refused}`)
  return Object.entries(value).map(([path, sha256]) => {
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256) || !isSafePath(`${folder}/${path}`))
      throw wrong(`${name}: ${path}: expected a SHA-256 and a path that is not too long`)
    return { path, sha256 }
  })
}

/** The parts of a version's record that a lock stores. @returns undefined for a record that no hub would send */
export function readDetails(variables: unknown, parameters: unknown): LockedDetails | undefined {
  const read = readVariables(variables)
  if (!read || !isObject(parameters) || !isKeepable(read) || !isKeepable(parameters)) return undefined
  return { variables: read, parameters }
}

/** The line of a .gitattributes that protects a file, or all files in a folder. Characters with a meaning in patterns are replaced by a wildcard. */
export function attributesLine(path: string, isFolder = false): string {
  const pattern = `${path.replace(/[ []/g, '?')}${isFolder ? '/**' : ''}`
  return `/${path.startsWith('prompts/') ? 'prompts/**' : pattern} -text`
}

/** What to do about a file whose line endings git has changed. @param folder that of its skill, if any */
export function mendEnds(path: string, folder?: string): string {
  const line = folder === undefined ? attributesLine(path) : attributesLine(folder, true)
  return `Put "${line}" into .gitattributes, delete the file and run: git checkout -- ${path}`
}

/** Whether a path with forward slashes stays below the lock's folder and is valid on every system: at most 1,024 bytes, 255 per segment. */
export function isSafePath(path: string): boolean {
  const sizeOf = (text: string) => new TextEncoder().encode(text).length
  if (!path.isWellFormed() || sizeOf(path) > 1_024) return false
  if (['prompts.lock', 'prompts.lock.new'].includes(path.toLowerCase())) return false
  return path.split('/').every((segment) => isPortablePart(segment) && sizeOf(segment) <= 255)
}

function wrong(what: string): PromptHubError {
  return new PromptHubError('integrity', `prompts.lock: ${what}. Restore it from git, or recreate it with hubcli.`)
}
