// Decides one round of a change, as decide-round.ts does for a publish: either a commit or a response without one.
import type { Permission } from '../../domain/access/permissions.ts'
import type { Repository } from '../../domain/api/schema.ts'
import { parseOwnerFile } from '../../domain/content/prompt-file.ts'
import type { Neighbours } from '../../domain/content/rules.ts'
import { type ChangeDecision, decideChange } from '../../domain/managing/decision.ts'
import type { Change } from '../../domain/managing/request.ts'
import { readRepositoryState } from '../../domain/publishing/repository-state.ts'
import { isSameJson } from '../../domain/text/json.ts'
import type { FolderState } from '../../ports/git-store.ts'
import { findRepository } from '../read/records.ts'
import { type PublishDeps, showAtOnce } from './attempt.ts'
import { type Bearer, requirePermission, requireRights } from './authenticate.ts'
import { showRepository } from './renew-fresh-copy.ts'
import type { RepositoryWrite } from './rounds.ts'

/** A change that has passed all checks that do not need git. */
export interface AcceptedChange {
  owner: string
  name: string
  bearer: Bearer
  change: Change
  /** The time when the request arrived, in milliseconds. */
  arrivedMs: number
}

/** The outcome of a change. */
export interface ChangeOutcome {
  repository: Repository
  isUnchanged: boolean
  commit: { sha: string; url: string | null } | null
}

/** A decision, with the record for the response. */
type ShownDecision = ChangeDecision & { repository: Repository }

/** Returns the permission that a change needs, as far as it is known before the owner's file is read. */
export function permissionFor({ kind }: Pick<Change, 'kind'>): Permission {
  return kind === 'label' || kind === 'unlabel' ? 'label' : 'maintain'
}

/** Converts a change to a write for `rounds`. The record for the response is built before the commit, so that nothing can fail afterwards. */
export function changeAsWrite(
  accepted: AcceptedChange & { operationId: string; known: readonly string[]; neighbours: Neighbours },
  deps: PublishDeps,
): RepositoryWrite<ShownDecision, ChangeOutcome> {
  const { owner, name, bearer, change, arrivedMs, operationId, known, neighbours } = accepted
  return {
    owner,
    name,
    arrivedMs,
    operationId,
    known,
    needsHistory: false,
    decide: async (folder) => {
      requireRightsFor(accepted, folder)
      const state = readRepositoryState({ owner, name, versions: folder.versions.keys(), index: folder.index })
      const decision = decideChange(change, state, neighbours)
      const { file, indexText, summary } = decision
      const shown = await showRepository({ owner, name, folder, file, entry: undefined, added: undefined }, deps)
      // A copy with more versions than git belongs to a later publish, which this listing does not include yet.
      const repository = shown?.repository ?? (await deps.fresh.find(owner, name))?.repository
      if (!repository) throw new Error(`${owner}/${name} cannot be shown`)
      // A hub that crashed after its commit stored no copy of it. A retry commits nothing, but shows the existing state.
      const isUnshown = async () => !isSameJson((await findRepository(owner, name, deps))?.value(), shown?.repository)
      if (indexText === undefined && !change.isDryRun && shown && (await isUnshown())) {
        const copy = await deps.fresh.find(owner, name)
        const state = { owner, name, folder, file, entry: undefined, added: undefined }
        const written = { ...state, commit: folder.head, before: copy?.commit, by: bearer.login ?? owner }
        await showAtOnce(written, copy?.repository.tags ?? [], deps, new Date(arrivedMs))
      }
      if (indexText === undefined || change.isDryRun)
        return { kind: 'answer', answer: { repository, isUnchanged: indexText === undefined, commit: null } }
      const trailers: [string, string][] = [
        ['Changed-By', bearer.login ?? owner],
        ['Operation-Id', operationId],
      ]
      const message = { headline: `${owner}/${name}: ${summary}`, trailers }
      return {
        kind: 'commit',
        decision: { ...decision, repository },
        additions: { owner, name, message, version: undefined, index: indexText },
      }
    },
  }
}

/** @throws HubError `forbidden`; a protected label requires a higher permission */
function requireRightsFor({ owner, name, bearer, change }: AcceptedChange, { ownerIndex }: FolderState): void {
  const usual = permissionFor(change)
  const isProtected =
    (change.kind === 'label' || change.kind === 'unlabel') &&
    ownerIndex !== undefined &&
    (parseOwnerFile(ownerIndex).value?.protected_labels ?? []).includes(change.label)
  const needed = isProtected ? 'maintain' : usual
  requirePermission(bearer, needed, isProtected ? `${owner} protects the label ${change.label}. ` : '')
  requireRights(bearer, { owner, name }, needed, ownerIndex)
}
