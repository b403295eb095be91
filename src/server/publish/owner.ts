// Changes an owner's profile, its members and what they require. Each change makes at most one commit, to the owner's `index.md`.

import { ownerCacheTag } from '../../domain/api/caching.ts'
import { HubError } from '../../domain/api/errors.ts'
import { profileOf } from '../../domain/catalogue/owner-records.ts'
import type { OwnerFile } from '../../domain/content/prompt-file.ts'
import { decideOwnerChange } from '../../domain/managing/owner-decision.ts'
import { listRights, type OwnerChange, readOwnerChange } from '../../domain/managing/owner-request.ts'
import { readOwner } from '../../domain/publishing/repository-state.ts'
import { isSameJson } from '../../domain/text/json.ts'
import type { FolderState } from '../../git/git-store.ts'
import { findUser, showUser } from '../read/records.ts'
import { respondWithRecord } from '../respond.ts'
import { requireOwnerRights } from './authenticate.ts'
import type { PublishHub } from './publish-hub.ts'
import {
  type Clock,
  changeMessage,
  type GitWrite,
  type ParseWrite,
  type Sending,
  type WriteDecision,
  writeInTurn,
  writeWithRetries,
} from './write-to-git.ts'

/** What an owner's fresh copy shows. */
interface ShownOwner {
  file: OwnerFile
}

/** Opens a change to an owner. */
export function openOwnerChange(): ParseWrite {
  return async (body) => {
    // Only a publish may be an archive.
    const change = readOwnerChange(String(body))
    const rights = listRights(change)
    return {
      needed: 'maintain',
      async carryOut(sending, deps, time) {
        requireSignedIn(sending, rights, deps.baseUrl)
        return writeOwner(change, sending, deps, time)
      },
    }
  }
}

/** @param rights the fields of the change that decide who may do what @throws HubError `forbidden`: a stolen token must not give rights to anybody */
function requireSignedIn({ owner, bearer }: Sending, rights: readonly string[], baseUrl: string): void {
  if (rights.length === 0 || bearer.isSignedIn) return
  throw new HubError(
    'forbidden',
    `No token may change ${rights.join(', ')}: only a member who is signed in may. Leave ${rights.length === 1 ? 'this field' : 'these fields'} out, or sign in at ${baseUrl}/${owner}/settings.`,
  )
}

/** Carries out a change when it is its sender's turn, and makes it visible immediately. */
async function writeOwner(change: OwnerChange, sending: Sending, deps: PublishHub, time: Clock): Promise<Response> {
  const { owner, bearer, arrivedMs } = sending
  const write: GitWrite<ShownOwner> = {
    owner,
    name: undefined,
    arrivedMs,
    needsHistory: change.expectedCommit !== undefined,
    decide: (folder) => decideAttempt(change, sending, folder, deps),
  }
  return writeInTurn({ sender: bearer.publisher, arrivedMs }, deps, time, async () => {
    const { answer, toShow } = await writeWithRetries(write, deps, undefined, time)
    const { commit } = answer.data
    if (commit) await logChange(change, sending, commit.sha)
    const response = respondWithRecord(answer.data)
    if (!toShow) return { response, shown: [] }
    const { file } = toShow
    const kept_at = new Date(toShow.atMs ?? deps.nextOrder(owner)).toISOString()
    const origin = { commit: toShow.commit, kept_at }
    const keepCopy = async () => {
      await deps.fresh.keep('owners', { handle: owner, profile: profileOf(file), members: file.members, ...origin })
      await deps.purge([ownerCacheTag(owner)])
    }
    return { response, shown: [{ origin: { owner, ...origin }, keepCopy }] }
  })
}

async function logChange({ fields }: OwnerChange, { owner, bearer }: Sending, commit: string): Promise<void> {
  const { logAudit } = await import('../../log.ts')
  const names = Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [key]))
  const by = bearer.isSignedIn ? {} : { token_id: bearer.tokenId }
  logAudit('owner_changed', { owner, fields: names, login: bearer.login ?? null, ...by, commit })
}

async function decideAttempt(
  change: OwnerChange,
  sending: Sending,
  folder: FolderState,
  deps: PublishHub,
): Promise<WriteDecision<ShownOwner>> {
  const { owner, bearer } = sending
  requireOwnerRights(bearer, owner, readOwner(owner, folder.ownerIndex))
  refuseConflict(change, owner, folder)
  const { file, indexText, summary } = decideOwnerChange(change.fields, owner, folder.ownerIndex)
  const found = await findUser(owner, deps)
  const user = await showUser(owner, profileOf(file), deps)
  const answer = { data: { ...user, unchanged: indexText === undefined, commit: null } }
  if (indexText === undefined || change.isDryRun) {
    // A hub that crashed after its commit has not stored a copy. In that case, a retry commits nothing but makes the existing commit visible.
    const isUnshown = !change.isDryRun && folder.ownerIndex !== undefined && !isSameJson(found?.value(), user)
    return { kind: 'answer', answer, ...(isUnshown && { shown: { file } }) }
  }
  const message = changeMessage(sending, `${owner}: ${summary}`)
  const additions = { owner, name: undefined, message, version: undefined, index: indexText }
  return { kind: 'commit', additions, shown: { file }, answer }
}

/** @throws HubError `version_conflict` if somebody else has changed the file since the commit that the sender knows */
function refuseConflict(
  { expectedCommit }: OwnerChange,
  owner: string,
  { ownerIndex, publishes: [last] }: FolderState,
): void {
  const now = ownerIndex === undefined ? null : (last?.sha ?? null)
  if (expectedCommit === undefined || expectedCommit === now) return
  throw new HubError(
    'version_conflict',
    `expected_commit: ${now === null ? `${owner} has no file` : `the file of ${owner} was last changed by ${now}`}, not by ${expectedCommit ?? 'nobody'}. Look at that change, then send yours again.`,
  )
}
