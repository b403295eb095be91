// Decides whether an author may delete a version or a whole prompt, and the `index.md` that says so. Pure.

import * as z from 'zod'
import { HubError } from '../api/errors.ts'
import type { VersionRow } from '../api/schema.ts'
import { editKeys, type RepositoryFile } from '../content/prompt-file.ts'
import { LIMITS } from '../limits.ts'
import type { RepositoryState } from '../publishing/repository-state.ts'
import { boundsOf, invalidField, parseBody } from '../publishing/request.ts'
import { countOf } from '../text/plain-text.ts'
import type { KeyChange } from '../text/yaml-edit.ts'
import { labelsWith } from '../values/label-target.ts'
import { line } from '../values/values.ts'
import { archivedError, requireVersion } from './decision.ts'
import { dry_run, parseFields } from './request.ts'

/** How long after its publish an author may delete a version. docs/contract.md section 7 */
export const DELETION_HOURS = 72
const HOUR_MS = 3_600_000

/** The body of a deletion; optional. */
export const DeletionRequest = z
  .strictObject({
    reason: line(LIMITS.sentenceCharacters)
      .min(1, 'expected a reason, or no such field')
      .default(`Deleted within ${DELETION_HOURS} hours`)
      .describe('Why it is deleted, which everyone can read.'),
    dry_run,
  })
  .meta({ id: 'DeletionRequest', description: 'Why a version or a repository is deleted.' })
export type DeletionRequest = z.infer<typeof DeletionRequest>

/** Parses the body of a deletion. @throws HubError `invalid_request`, `validation_failed` */
export function readDeletionBody(text: string): DeletionRequest {
  return parseFields(DeletionRequest, parseBody(text, boundsOf(DeletionRequest, { keys: 10, values: 20, depth: 2 })))
}

/** What a deletion is about. */
export interface Deletion {
  /** Undefined deletes the whole prompt. */
  version: string | undefined
  reason: string
}

/** What is known of the prompt besides its `index.md`. */
export interface Standing {
  /** Its versions, with the time since when readers can have each. */
  rows: readonly Pick<VersionRow, 'version' | 'available_at'>[]
  /** Other prompts' versions that include what is deleted, such as `acme/review@1.0.0`. */
  including: readonly string[]
  nowMs: number
}

/** The result of a deletion. */
interface DeletionDecision {
  /** The numbers of the deleted versions. */
  deleted: string[]
  /** The new text of `index.md`; undefined if it was deleted before. */
  indexText: string | undefined
}

/**
 * Decides a deletion.
 *
 * @throws HubError `not_found`, `repo_archived`, `too_late`; `validation_failed` for what a label points at or another prompt includes; `unavailable` for a version that the hub does not serve yet
 */
export function decideDeletion(
  { version, reason }: Deletion,
  state: RepositoryState,
  standing: Standing,
): DeletionDecision {
  const { owner, name, file } = state
  const fullName = `${owner}/${name}`
  const wasRemoved = version === undefined ? state.versions.length === 0 : Object.hasOwn(file.removed, version)
  if (wasRemoved && Object.keys(file.removed).length > 0)
    return { deleted: version === undefined ? Object.keys(file.removed) : [version], indexText: undefined }
  if (state.versions.length === 0) throw new HubError('not_found', `There is no repository ${fullName}.`)
  if (version !== undefined) requireVersion(state, version)
  if (file.status === 'archived') throw archivedError(fullName)
  if (version !== undefined && state.versions.length === 1)
    throw invalidField('version', `${version} is the only version of ${fullName}; delete the whole prompt instead`)
  const deleted = version === undefined ? [...state.versions] : [version]
  requireFresh(deleted, fullName, standing)
  refusePointedAt(deleted, file)
  if (standing.including.length > 0) throw includedError(standing.including)
  if (Object.keys(file.removed).length + deleted.length > LIMITS.removedVersions)
    throw invalidField(
      'version',
      `expected at most ${LIMITS.removedVersions} deleted versions of a prompt; yank this one instead`,
    )
  return { deleted, indexText: editIndex(version === undefined, deleted, reason, state) }
}

/** Returns for how many hours readers have had each version. */
export function findAges({ rows, nowMs }: Pick<Standing, 'rows' | 'nowMs'>): Map<string, number> {
  const times = rows.map((row) => [row.version, Date.parse(row.available_at)] as const)
  // A clock that was set back makes no version younger than the newest one.
  const now = Math.max(nowMs, ...times.map(([, time]) => time))
  return new Map(times.map(([version, time]) => [version, Math.floor((now - time) / HOUR_MS)]))
}

/** @throws HubError `too_late`, `unavailable` */
function requireFresh(versions: readonly string[], fullName: string, standing: Standing): void {
  const ages = findAges(standing)
  for (const version of versions) {
    const hours = ages.get(version)
    if (hours === undefined)
      throw new HubError('unavailable', `${fullName}@${version} is not served yet. Try again in a minute.`, {
        retryAfterSeconds: 60,
      })
    if (hours >= DELETION_HOURS)
      throw new HubError(
        'too_late',
        `${fullName}@${version} was published ${hours} hours ago, and an author may delete it for ${DELETION_HOURS} hours. Yank it, so that nobody gets it any more without asking for its number, or ask the operator of this hub to take it down.`,
      )
  }
}

function refusePointedAt(versions: readonly string[], { labels }: RepositoryFile): void {
  const pointing = versions.flatMap((version) => labelsWith(labels, version).map((label) => `${label} at ${version}`))
  if (pointing.length === 0) return
  const said = pointing.join(', ')
  throw invalidField('labels', `expected no label that points at what is deleted, got ${said}; move or remove it first`)
}

function includedError(including: readonly string[]): HubError {
  const named = including.slice(0, LIMITS.problemsNamed).join(', ')
  const more = including.length - LIMITS.problemsNamed
  return invalidField(
    'version',
    `expected a version that no other prompt includes, got ${countOf(including.length, 'version')} that ${including.length === 1 ? 'does' : 'do'}: ${named}${more > 0 ? ` and ${more} more` : ''}; publish without it there, or yank it`,
  )
}

/** Records the numbers as used up. Of a whole prompt, nothing else is left. */
function editIndex(
  isWhole: boolean,
  deleted: readonly string[],
  reason: string,
  { indexText = '---\n---\n', file }: RepositoryState,
): string {
  const added = Object.fromEntries(deleted.map((version) => [version, reason]))
  if (isWhole) return editKeys('---\n---\n', [{ path: ['removed'], value: { ...file.removed, ...added } }])
  const unyanked = deleted.filter((version) => Object.hasOwn(file.yanked, version))
  return editKeys(indexText, [
    ...unyanked.map((version): KeyChange => ({ path: ['yanked', version], value: undefined })),
    ...deleted.map((version): KeyChange => ({ path: ['removed', version], value: reason })),
  ])
}
