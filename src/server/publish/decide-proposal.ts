// Accepts a proposal, which publishes it with the code of every publish, or rejects it. docs/proposals.md
import { hash } from 'node:crypto'
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters } from '../../domain/api/routes.ts'
import { hasPublishingRule, type OwnerFile } from '../../domain/content/prompt-file.ts'
import { readDecisionBody } from '../../domain/managing/proposal-request.ts'
import type { ProposalDecision, StoredProposal } from '../../domain/publishing/stored-proposal.ts'
import { isProposalId } from '../../domain/values/names.ts'
import { formatMoment } from '../../domain/values/values.ts'
import type { FoundProposal, ProposalClaim, ProposalPlace } from '../../state/proposal-store.ts'
import { findVersion } from '../read/records.ts'
import { respondWithRecord } from '../respond.ts'
import { type Bearer, requireAccess, requireTrusted } from './authenticate.ts'
import { addressesOf, noSuchProposal, recallRequest, summarise } from './proposal-records.ts'
import { userIdOf } from './propose.ts'
import { describeOutcome, openPublish } from './publish.ts'
import type { PublishHub } from './publish-hub.ts'
import { type Clock, type ParseWrite, readOwnerFile, type Sending } from './write-to-git.ts'

/** How long somebody may decide. A publish has less time, so after it, whoever did not finish never will. */
const CLAIM_MS = 40_000
/** How long to wait for somebody else who decides. A publish can still start after it. */
const WAIT_MS = 12_000
/** Time between two looks at what somebody else decides. */
const LOOK_MS = 200

/** Time limit for one call to the git host. */
const CALL_MS = 8_000

/** Opens a decision. @throws HubError `not_found` for a malformed ID */
export function openDecision(
  id: 'acceptProposal' | 'rejectProposal',
  { proposal: proposalId = '' }: PathParameters,
): ParseWrite {
  if (!isProposalId(proposalId)) throw noSuchProposal()
  const isAcceptance = id === 'acceptProposal'
  return async (body) => {
    const { reason = null } = readDecisionBody(String(body), isAcceptance)
    return {
      needed: 'publish',
      async carryOut(sending, deps, time) {
        const place = { owner: sending.owner, name: sending.name, id: proposalId }
        return isAcceptance ? accept(place, sending, deps, time) : reject(place, reason, sending, deps, time)
      },
    }
  }
}

/** Accepts a proposal. A second time, returns the version that the first made. */
async function accept(place: ProposalPlace, sending: Sending, deps: PublishHub, time: Clock): Promise<Response> {
  const { bearer } = sending
  const proposals = await deps.proposals()
  const ownerFile = await readOwnerFile(deps.git, sending, time)
  // Whoever has no rights learns nothing of what there is.
  requireAccess(bearer, place, 'publish', ownerFile)
  const found = await proposals.find(place)
  if (!found) throw noSuchProposal()
  requireAcceptance(bearer, found.proposal, ownerFile, deps.baseUrl)
  const closed = found.decision ?? (await acceptOpen(found.proposal, sending, deps, time))
  if (closed instanceof Response) return closed
  if (closed.status === 'rejected') throw refuseRejected(closed)
  return answerAgain(place, closed, deps, time.now())
}

/** Accepts an open proposal. @returns what became of it, if somebody else decided first */
async function acceptOpen(
  proposal: StoredProposal,
  sending: Sending,
  deps: PublishHub,
  time: Clock,
): Promise<Response | ProposalDecision> {
  const { bearer } = sending
  const proposals = await deps.proposals()
  const claim = await claimInTurn(proposal, 'accept', sending, deps, time)
  const recalled = claim && (await recallRequest(proposal, deps))
  if (!recalled) {
    const found = await proposals.find(proposal)
    if (found?.decision) return found.decision
    throw noSuchProposal()
  }
  const parse = openPublish(recalled.request, {
    key: keyOf(proposal),
    published_by: proposal.proposed_by,
    provenance: proposal.provenance ?? undefined,
    requireAcceptance: (file) => requireAcceptance(bearer, proposal, file, deps.baseUrl),
  })
  let response: Response
  try {
    const { carryOut } = await parse(recalled.body, deps)
    response = await carryOut({ ...sending, wantsText: false }, deps, time)
  } catch (thrown) {
    // Nobody knows whether a commit was made if the git host did not answer. The claim stays, so that nobody rejects what was published.
    if (thrown instanceof HubError && thrown.code !== 'unavailable') await proposals.release(claim)
    throw thrown
  }
  const { data } = (await response.clone().json()) as { data: NonNullable<ProposalDecision['outcome']> }
  const { version, unchanged, breaking, commit } = data
  const outcome = { version, unchanged, breaking, commit: commit && { sha: commit.sha, url: commit.url } }
  const decision = { status: 'accepted', ...decidedBy(sending, time), reason: null, outcome } as const
  // The version is published, whatever the store does. Another attempt finds it in git.
  await proposals.close(proposal, decision).catch(noteFailure)
  return response
}

/** Claims a proposal, once nobody else decides about it. @returns undefined if it is not open @throws HubError `unavailable`; `too_late` for a rejection if it was accepted, but the hub that did was killed */
async function claimInTurn(
  place: ProposalPlace,
  kind: 'accept' | 'reject',
  { arrivedMs }: Sending,
  deps: PublishHub,
  time: Clock,
): Promise<ProposalClaim | undefined> {
  const proposals = await deps.proposals()
  const mayTake = async ({ kind: earlier, at }: { kind: string; at: number }) => {
    if (time.now() - at < CLAIM_MS) return false
    if (kind === 'reject' && earlier === 'accept' && (await isPublished(place, deps))) throw refuseAccepted(place)
    return true
  }
  for (;;) {
    const claim = await proposals.claim(place, kind, time.now(), mayTake)
    if (claim !== 'busy') return claim
    if (time.now() - arrivedMs > WAIT_MS) throw beingDecided()
    await time.sleep(LOOK_MS * (1 + time.random()))
  }
}

/** Identifies the commit of a proposal, whoever accepts it, and however often. */
const keyOf = ({ owner, name, id }: ProposalPlace) => hash('sha256', ['proposal', `${owner}/${name}`, id].join('\0'))

/** Checks who accepts a proposal. @throws HubError `forbidden` */
function requireAcceptance(
  bearer: Bearer,
  proposal: StoredProposal,
  file: OwnerFile | undefined,
  baseUrl: string,
): void {
  const { owner } = proposal
  requireAccess(bearer, proposal, 'publish', file)
  // A workflow was trusted when it proposed.
  requireTrusted(proposal.provenance !== null, owner, file)
  if (!hasPublishingRule(file, 'reviewed')) return
  const { html_url } = addressesOf(proposal, baseUrl)
  if (!bearer.isSignedIn)
    throw new HubError(
      'forbidden',
      `Only a member of ${owner} who is signed in may accept this proposal (publishing: reviewed in content/${owner}/index.md). Accept it at ${html_url}`,
    )
  if (userIdOf(bearer) === proposal.user_id)
    throw new HubError(
      'forbidden',
      `${bearer.login} made this proposal, so another member of ${owner} must accept it (publishing: reviewed in content/${owner}/index.md). Send them ${html_url}`,
    )
}

/** Returns the version that an earlier acceptance published. @throws HubError `not_found` if it was deleted or taken down since, `unavailable` if this request does not see it yet */
async function answerAgain(
  { owner, name }: ProposalPlace,
  { outcome, decided_at }: ProposalDecision,
  deps: PublishHub,
  nowMs: number,
): Promise<Response> {
  const { version = '', unchanged = false, breaking = false, commit = null } = outcome ?? {}
  const record = (await findVersion(owner, name, version, deps))?.value()
  if (!record && nowMs - Date.parse(decided_at) < CLAIM_MS)
    throw new HubError(
      'unavailable',
      `The proposal was accepted a moment ago, as ${owner}/${name}@${version}. Send the request again to get the version.`,
      { retryAfterSeconds: 1 },
    )
  if (!record)
    throw new HubError('not_found', `${owner}/${name}@${version}, which this proposal became, does not exist any more.`)
  const described = describeOutcome({ record, warnings: [], breaking }, unchanged, {
    baseUrl: deps.baseUrl,
    linesBefore: 0,
  })
  return respondWithRecord({ ...described, commit }, 200, { 'Idempotency-Replayed': 'true' })
}

/** Rejects a proposal, or withdraws one's own. Rejecting it again changes nothing. */
async function reject(
  place: ProposalPlace,
  reason: string | null,
  sending: Sending,
  deps: PublishHub,
  time: Clock,
): Promise<Response> {
  const ownerFile = await readOwnerFile(deps.git, sending, time)
  requireAccess(sending.bearer, place, 'publish', ownerFile)
  const proposals = await deps.proposals()
  const claim = await claimInTurn(place, 'reject', sending, deps, time)
  const found = claim ? undefined : await proposals.find(place)
  if (!claim && !found) throw noSuchProposal()
  const decision = { status: 'rejected', ...decidedBy(sending, time), reason, outcome: null } as const
  const closed: FoundProposal = claim
    ? { proposal: claim.proposal, decision: await proposals.close(claim.proposal, decision) }
    : found!
  if (closed.decision?.status === 'accepted') throw refuseAccepted(place, closed.decision.outcome?.version)
  const { decided_by, decided_at, reason: said } = closed.decision ?? decision
  return respondWithRecord({ ...summarise(closed, deps.baseUrl), decided_by, decided_at, reason: said })
}

/** Returns whether a commit of the last hundred published a proposal. */
async function isPublished(place: ProposalPlace, { git }: PublishHub): Promise<boolean> {
  const { owner, name } = place
  const signal = AbortSignal.timeout(CALL_MS)
  const { publishes } = await git.readFolder({ owner, name, withPublishes: true }, { signal })
  const key = keyOf(place)
  return publishes.some(({ trailers }) => trailers.get('Idempotency-Key') === key)
}

function decidedBy({ bearer, owner }: Sending, time: Clock) {
  return {
    decided_by: bearer.login ?? owner,
    decided_by_id: userIdOf(bearer),
    decided_at: formatMoment(new Date(time.now())),
  }
}

function beingDecided(): HubError {
  return new HubError('unavailable', 'Somebody else is deciding about this proposal. Try again in five seconds.', {
    retryAfterSeconds: 5,
  })
}

function refuseRejected({ decided_by }: ProposalDecision): HubError {
  return new HubError('too_late', `${decided_by} has rejected this proposal. Propose the version again.`)
}

function refuseAccepted({ owner, name }: ProposalPlace, version = 'a version'): HubError {
  return new HubError(
    'too_late',
    `This proposal was accepted, and is ${version} of ${owner}/${name} now. Yank that version instead.`,
  )
}

async function noteFailure(cause: unknown): Promise<void> {
  const { logProblem } = await import('../../log.ts')
  logProblem('warning', 'proposal_open', 'A proposal was accepted, but the store still has it as open.', { cause })
}
