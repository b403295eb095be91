// Decides what a change to an owner writes: a new `index.md`, nothing, or an error. Pure.

import { DEFAULT_PERMISSIONS } from '../access/token.ts'
import type { TrustedPublisher } from '../content/front-matter.ts'
import {
  DEFAULT_OWNER_FILE,
  editKeys,
  hasPublishingRule,
  type OwnerFile,
  parseOwnerFile,
  replaceBody,
} from '../content/prompt-file.ts'
import { readOwner } from '../publishing/repository-state.ts'
import { invalidField, validationFailed } from '../publishing/request.ts'
import { isSameJson } from '../text/json.ts'

import type { OwnerFields } from './owner-request.ts'

/** The result of a change to an owner. */
interface OwnerDecision {
  /** The new content of `index.md`; undefined if nothing changed. */
  indexText: string | undefined
  /** The parsed `index.md` after the change. */
  file: OwnerFile
  /** What changed, for the commit message: only fields, never user text. */
  summary: string
}

/**
 * Decides the result of a change.
 *
 * @param text the owner's `index.md`, or undefined to create it
 * @throws HubError `validation_failed` when nobody would be left; `upstream_error` when the file cannot be read
 */
export function decideOwnerChange(fields: OwnerFields, owner: string, text: string | undefined): OwnerDecision {
  const before = readOwner(owner, text) ?? DEFAULT_OWNER_FILE
  const { bio, ...front } = fields
  const changed = Object.entries(front).filter(
    ([key, value]) =>
      value !== undefined && !isSameJson(value ?? EMPTY[key as keyof typeof front], before[key as keyof typeof front]),
  )
  if (before.members.length > 0 && fields.members !== undefined && (fields.members ?? []).length === 0)
    throw invalidField('members', 'expected at least one member; add somebody before you remove the last one')
  const newBio = bio !== undefined && (bio ?? '').trim() !== before.bio ? (bio ?? '') : undefined
  const names = [...changed.map(([key]) => key), ...(newBio === undefined ? [] : ['bio'])]
  const isUnreviewed =
    fields.publishing !== undefined &&
    hasPublishingRule(before, 'reviewed') &&
    !hasPublishingRule({ publishing: fields.publishing }, 'reviewed')
  // Whoever reads the history sees where versions stopped to need somebody else.
  const summary = `change ${names.join(', ')}${isUnreviewed ? ': no longer reviewed' : ''}`
  if (names.length === 0) return { indexText: undefined, file: before, summary }
  const keys = changed.map(([key, value]) => ({ path: [key] as const, value: writtenValue(key, value) }))
  const edited = editKeys(text ?? '---\n---\n', keys)
  const indexText = newBio === undefined ? edited : replaceBody(edited, newBio)
  // The file is read as every build and review will read it, so nothing is written that they would reject.
  const after = parseOwnerFile(indexText)
  if (after.problems) throw validationFailed(after.problems)
  return { indexText, file: after.value, summary }
}

/** The value of each key that a file does not have. */
const { bio: _bio, ...EMPTY } = DEFAULT_OWNER_FILE

/** Returns a value as an author would write it: without defaults, and with IDs as numbers. Null removes the key. */
function writtenValue(key: string, value: unknown): unknown {
  if (value === null) return undefined
  return key === 'trusted_publishers' ? (value as TrustedPublisher[]).map(writtenPublisher) : value
}

function writtenPublisher({ permissions, repository_id, repository_owner_id, ...rest }: TrustedPublisher): object {
  const { repository, ...more } = rest
  const ids = { repository_id: writtenId(repository_id), repository_owner_id: writtenId(repository_owner_id) }
  return { repository, ...ids, ...more, ...(isSameJson(permissions, DEFAULT_PERMISSIONS) ? {} : { permissions }) }
}

const writtenId = (id: string) => (Number.isSafeInteger(Number(id)) ? Number(id) : id)
