// Changes what is already published: the fields of a repository, labels and yanks. Each change makes at most one commit, to `index.md`.

import type { Permission } from '../../domain/access/token.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters } from '../../domain/api/routes.ts'
import type { NamedRepositories } from '../../domain/managing/decision.ts'
import { type Change, readChangeBody, type Target } from '../../domain/managing/request.ts'
import { readOwner, readRepositoryState } from '../../domain/publishing/repository-state.ts'
import { isVersion, splitFullName } from '../../domain/values/names.ts'
import type { FolderState } from '../../git/git-store.ts'
import { findRepository } from '../read/records.ts'
import { requirePermission, requireRights } from './authenticate.ts'
import { judgeMove, requireLabelName, requireLabelRights } from './label-moves.ts'
import type { PublishHub } from './publish-hub.ts'
import type { Readers } from './read-from-git.ts'
import { differs, showRepository } from './renew-fresh-copy.ts'
import { changeMessage, markOf, type ParseWrite, type Sending, type WriteDecision, writeToGit } from './write-to-git.ts'

/** A change to what is already published. */
type ChangeId = 'changeRepository' | 'setLabel' | 'removeLabel' | 'yankVersion' | 'unyankVersion'

/** Opens a change. @throws HubError `not_found` for a malformed label or version */
export function openChange(id: ChangeId, parameters: PathParameters): ParseWrite {
  const target = targetOf(id, parameters)
  return async (body) => {
    // Only a publish may be an archive.
    const change = readChangeBody(target, String(body))
    return {
      needed: permissionFor(change),
      async carryOut(sending, deps, time) {
        const asked = {
          change,
          neighbours: await findNeighbours(change, deps),
          salt: time.newId().replaceAll('-', ''),
        }
        const write = {
          ...sending,
          needsHistory: false,
          decide: (folder: FolderState, readers: Readers) => decideAttempt(sending, asked, folder, readers, deps),
        }
        return writeToGit(write, sending.bearer, deps, time)
      },
    }
  }
}

function targetOf(id: ChangeId, { label = '', version = '' }: PathParameters): Target {
  if (id === 'changeRepository') return { kind: 'patch' }
  if (id === 'setLabel' || id === 'removeLabel') {
    requireLabelName(label)
    return { kind: id === 'setLabel' ? 'label' : 'unlabel', label }
  }
  if (!isVersion(version))
    throw new HubError('not_found', 'No version can have this number. Versions have the form x.y.z.')
  return { kind: id === 'yankVersion' ? 'yank' : 'unyank', version }
}

/** Returns the permission that a change needs, unless the owner's file, which is read later, requires more. */
function permissionFor({ kind }: Change): Permission {
  return kind === 'label' || kind === 'unlabel' ? 'label' : 'maintain'
}

/** Looks up the repositories that a change refers to and passes them to the decision, which is a pure function. */
async function findNeighbours(change: Change, deps: PublishHub): Promise<NamedRepositories> {
  const named = change.kind === 'patch' ? [change.fields.moved_to, change.fields.replaced_by] : []
  const found: NamedRepositories = new Map()
  for (const fullName of named) {
    const { owner = '', name = '' } = (fullName && splitFullName(fullName)) || {}
    const repository = name === '' ? undefined : await findRepository(owner, name, deps)
    if (fullName && repository) found.set(fullName, { moved_to: repository.value().moved_to })
  }
  return found
}

/** Decides an attempt: either a commit or a response without a commit. The record for the response is built before the commit, so that nothing can fail afterwards. */
async function decideAttempt(
  sending: Sending,
  { change, neighbours, salt }: { change: Change; neighbours: NamedRepositories; salt: string },
  folder: FolderState,
  readers: Readers,
  deps: PublishHub,
): Promise<WriteDecision> {
  const { owner, name } = sending
  requireRightsFor(change, sending, folder)
  const found = { owner, name, versions: [...folder.versions.keys()], index: folder.index }
  const state = readRepositoryState(found)
  const { decideChange } = await import('./decide-change.ts')
  const { file, indexText, summary } = await deps.runLong(decideChange, change, state, neighbours, salt)
  const isRestored =
    change.kind === 'label' && indexText !== undefined
      ? await judgeMove(sending, change.label, { was: state.file, is: file }, folder, readers, deps)
      : false
  const reason = 'label' in change ? change.reason : undefined
  const mark = markOf(sending.bearer, { reason, restored: isRestored ? [name] : [] })
  const shown = { file, entry: undefined, added: undefined, mark }
  const record = await showRepository({ owner, name, folder, ...shown }, deps)
  // A copy with more versions than git belongs to a later publish, which this git listing does not include yet.
  const repository = record?.repository ?? (await deps.fresh.find('repositories', owner, name))?.repository
  if (!repository) throw new Error(`${owner}/${name} cannot be shown`)
  const answer = { data: { ...repository, unchanged: indexText === undefined, commit: null } }
  if (indexText === undefined || change.isDryRun) {
    // A hub that crashed after its commit has not stored a copy. In that case, a retry commits nothing but makes the existing commit visible.
    const isUnshown = !change.isDryRun && (await differs(record, { owner, name }, deps))
    return { kind: 'answer', answer, ...(isUnshown && { shown }) }
  }
  const message = changeMessage(sending, `${owner}/${name}: ${summary}`, mark)
  return { kind: 'commit', additions: { owner, name, message, version: undefined, index: indexText }, shown, answer }
}

/** @throws HubError `forbidden`; a protected label requires a higher permission */
function requireRightsFor(change: Change, { owner, name, bearer }: Sending, { ownerIndex }: FolderState): void {
  const file = readOwner(owner, ownerIndex)
  if (change.kind === 'label' || change.kind === 'unlabel')
    requireLabelRights(bearer, { owner, name }, change.label, file)
  else {
    requirePermission(bearer, 'maintain')
    requireRights(bearer, { owner, name }, 'maintain', file)
  }
}
