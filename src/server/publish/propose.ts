// Proposes a version: checks it as a publish would, and stores the request until a member accepts it. docs/proposals.md
import { randomBytes } from 'node:crypto'
import { HubError } from '../../domain/api/errors.ts'
import { hasPublishingRule } from '../../domain/content/prompt-file.ts'
import { invalidField } from '../../domain/publishing/request.ts'
import type { StoredProposal } from '../../domain/publishing/stored-proposal.ts'
import type { RepositoryPlace } from '../../domain/values/names.ts'
import { formatMoment } from '../../domain/values/values.ts'
import { PROPOSAL_DAYS } from '../../state/proposal-store.ts'
import { readContentType } from '../request.ts'
import { respondWithRecord, respondWithText } from '../respond.ts'
import { type Bearer, requireRights } from './authenticate.ts'
import { checkPublish } from './check-publish.ts'
import { describeChecked } from './proposal-records.ts'
import { parsePublishBody } from './publish.ts'
import { type Body, markOf, type ParseWrite, readOwnerFile, type Sending } from './write-to-git.ts'

const DAY_MS = 86_400_000

/** Opens a proposal, whose body and parameters are those of a publish. */
export function openProposal(request: Request): ParseWrite {
  return async (given, deps) => {
    const parsed = await parsePublishBody(request, given, deps)
    const { body } = parsed
    if (body.dry_run) throw invalidField('dry_run', 'expected no such field, because a proposal publishes nothing')
    return {
      needed: 'publish',
      async carryOut(sending, hub, time) {
        const { owner, name, bearer, wantsText } = sending
        const ownerFile = await readOwnerFile(hub.git, sending, time)
        requireRights(bearer, { owner, name }, 'publish', ownerFile)
        const nowMs = time.now()
        const proposal = describeRequest(request, given, sending, nowMs)
        const decision = await checkPublish({ owner, name }, body, hub, {
          nowMs,
          publishedBy: proposal.proposed_by,
          provenance: bearer.provenance,
          needsMajor: hasPublishingRule(ownerFile, 'semver'),
        })
        const { labels = [] } = body
        if (decision.isUnchanged && decision.fields.length === 0 && labels.length === 0)
          throw new HubError(
            'validation_failed',
            `Nothing differs from ${decision.version.version}, so there is nothing to propose. Change the prompt first.`,
          )
        const stored = { ...proposal, changelog: decision.isUnchanged ? '' : decision.version.changelog }
        await (await hub.proposals()).add(stored, typeof given === 'string' ? given : toBase64(given))
        const data = describeChecked({ proposal: stored, decision: undefined }, { ...parsed, decision }, hub.baseUrl)
        const headers = { Location: data.url }
        if (wantsText) return respondWithText(`${data.html_url}\n`, 201, headers)
        return respondWithRecord(data, 201, headers)
      },
    }
  }
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** Describes a request to propose, as it is stored. */
function describeRequest(
  request: Request,
  given: Body,
  { owner, name, bearer }: Sending & RepositoryPlace,
  nowMs: number,
): StoredProposal {
  const { by_token, by_workflow } = markOf(bearer)
  return {
    owner,
    name,
    id: randomBytes(16).toString('hex'),
    media_type: readContentType(request.headers).mediaType,
    query: new URL(request.url).search,
    bytes: typeof given === 'string' ? Buffer.byteLength(given) : given.length,
    proposed_by: bearer.login ?? owner,
    user_id: userIdOf(bearer),
    by_token,
    by_workflow,
    provenance: bearer.provenance ?? null,
    changelog: '',
    created_at: formatMoment(new Date(nowMs)),
    expires_at: formatMoment(new Date(nowMs + PROPOSAL_DAYS * DAY_MS)),
    claim: null,
  }
}

/** Returns the account of the person who sent a request, whose token did, or who started the job that did; null if there is none. */
export function userIdOf({ holder }: Pick<Bearer, 'holder'>): string | null {
  if (holder.kind === 'person') return holder.user_id
  return holder.kind === 'job' ? (holder.actor?.user_id ?? null) : null
}
