// Describes proposals for the API and pages: as they were sent, and what accepting them would do now.

import { createTurns } from '../../concurrency/turn-queue.ts'
import { addressesBelow } from '../../domain/api/data-paths.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { Proposal, ProposalSummary } from '../../domain/api/proposal.ts'
import type { VersionRecord } from '../../domain/api/schema.ts'
import type { PublishDecision } from '../../domain/publishing/decision.ts'
import { isComposed, type PublishInput } from '../../domain/publishing/request.ts'
import type { StoredProposal } from '../../domain/publishing/stored-proposal.ts'
import { pick } from '../../domain/text/json.ts'
import type { RepositoryPlace } from '../../domain/values/names.ts'
import type { FoundProposal } from '../../state/proposal-store.ts'
import { checkPublish } from './check-publish.ts'
import type { DecisionSources } from './decide.ts'
import { parsePublishBody, placeWarnings } from './publish.ts'
import type { PublishHub } from './publish-hub.ts'

/** What reads proposals. */
type ProposalReader = DecisionSources & Pick<PublishHub, 'parseArchive' | 'proposals' | 'clientAddress'>

/** How long a reader waits for others. */
const WAIT_MS = 8_000

/** Readers take turns, because whoever knows an address can have megabytes parsed with a short request. */
const takeTurn = createTurns({
  running: { total: 2, perSender: 1 },
  waiting: { total: 40, perSender: 8 },
  refuse: () =>
    new HubError('unavailable', 'Too many proposals are being read. Try again in three seconds.', {
      retryAfterSeconds: 3,
    }),
})

/** A proposed request after a check. */
interface Checked {
  body: PublishInput
  linesBefore: number
  decision: PublishDecision
}

/** A proposal with the records that its page compares. */
export interface ShownProposal {
  shown: Proposal
  /** The version that accepting it would publish now. */
  record: VersionRecord | undefined
}

/** Returns the addresses of a proposal. */
export function addressesOf({ owner, name, id }: Pick<StoredProposal, 'owner' | 'name' | 'id'>, baseUrl: string) {
  const repository = addressesBelow(baseUrl).repository(owner, name)
  const url = `${repository.url}/proposals/${id}`
  return { url, raw_url: `${url}/raw`, html_url: `${repository.html_url}/proposals/${id}` }
}

/** Describes a proposal for lists. */
export function summarise({ proposal, decision }: FoundProposal, baseUrl: string): ProposalSummary {
  const { owner, name } = proposal
  const facts = pick(proposal, ['proposed_by', 'by_token', 'by_workflow', 'changelog', 'created_at', 'expires_at'])
  const status = decision?.status ?? 'open'
  return { id: proposal.id, ...addressesOf(proposal, baseUrl), full_name: `${owner}/${name}`, status, ...facts }
}

/** Lists the open proposals of a repository, newest first, for who may see that there are some. */
export async function listOpen(
  place: RepositoryPlace,
  { baseUrl, proposals }: Pick<PublishHub, 'baseUrl' | 'proposals'>,
): Promise<ProposalSummary[]> {
  const open = await (await proposals()).list(place)
  return open.map((proposal) => summarise({ proposal, decision: undefined }, baseUrl))
}

const NOTHING = {
  would_be: null,
  unchanged: null,
  breaking: null,
  fields: [],
  changes: null,
  warnings: [],
  draft: null,
}

/** Describes a proposal and, as far as it was checked, what accepting it would do. */
export function describeChecked(found: FoundProposal, checked: Checked | undefined, baseUrl: string): Proposal {
  const { decision: closed } = found
  const about = {
    ...summarise(found, baseUrl),
    decided_by: closed?.decided_by ?? null,
    decided_at: closed?.decided_at ?? null,
    reason: closed?.reason ?? null,
    version: closed?.outcome?.version ?? null,
    labels: [...(checked?.body.labels ?? [])],
    refusal: null,
  }
  if (!checked) return { ...about, ...NOTHING }
  const { record, version, isUnchanged, fields, changes, warnings } = checked.decision
  const draft = pick(record, [
    'content',
    'content_sha256',
    'size_bytes',
    'format',
    'variables',
    'parameters',
    'skill',
    'files',
    'includes',
  ])
  return {
    ...about,
    would_be: version.version,
    unchanged: isUnchanged,
    breaking: changes?.breaking ?? false,
    fields,
    changes,
    warnings: placeWarnings(warnings, checked.linesBefore),
    draft,
  }
}

/** Returns the request of a proposal as it was sent, and its body; undefined if it is gone. */
export async function recallRequest(proposal: StoredProposal, hub: Pick<PublishHub, 'baseUrl' | 'proposals'>) {
  const text = await (await hub.proposals()).readBody(proposal.id)
  if (text === undefined) return undefined
  const { owner, name, media_type, query } = proposal
  const request = new Request(`${hub.baseUrl}/api/v1/repos/${owner}/${name}/versions${query}`, {
    method: 'POST',
    headers: { 'Content-Type': media_type },
  })
  const isArchive = media_type === 'application/gzip'
  return { request, body: isArchive ? Uint8Array.from(Buffer.from(text, 'base64')) : text }
}

/** Reads what a proposal says. A composed one has the text with what it includes now. @returns undefined if it is closed or gone @throws HubError like a check, and `unavailable` if too many read proposals */
export function readContent(found: FoundProposal, hub: ProposalReader, nowMs: number): Promise<string | undefined> {
  return takeTurn({ sender: hub.clientAddress, waitMs: WAIT_MS }, async () => {
    const body = (await parseProposed(found, hub))?.body
    if (!body || !isComposed(body)) return body?.content
    const { proposed_by: publishedBy } = found.proposal
    return (await checkPublish(found.proposal, body, hub, { nowMs, publishedBy })).record.content
  })
}

async function parseProposed(found: FoundProposal, hub: ProposalReader) {
  const recalled = found.decision ? undefined : await recallRequest(found.proposal, hub)
  return recalled && parsePublishBody(recalled.request, recalled.body, hub)
}

/** Describes a proposal, with what accepting it would do now or, if that would be refused, why. @throws HubError `unavailable` if too many read proposals */
export async function showProposal(found: FoundProposal, hub: ProposalReader, nowMs: number): Promise<ShownProposal> {
  if (found.decision) return { shown: describeChecked(found, undefined, hub.baseUrl), record: undefined }
  return takeTurn({ sender: hub.clientAddress, waitMs: WAIT_MS }, () => checkProposal(found, hub, nowMs))
}

async function checkProposal(found: FoundProposal, hub: ProposalReader, nowMs: number): Promise<ShownProposal> {
  const { proposal } = found
  try {
    // What an earlier release stored may be refused now, and can still be rejected.
    const parsed = await parseProposed(found, hub)
    if (!parsed) return { shown: describeChecked(found, undefined, hub.baseUrl), record: undefined }
    const decision = await checkPublish(proposal, parsed.body, hub, {
      nowMs,
      publishedBy: proposal.proposed_by,
      provenance: proposal.provenance ?? undefined,
    })
    return { shown: describeChecked(found, { ...parsed, decision }, hub.baseUrl), record: decision.record }
  } catch (thrown) {
    if (!(thrown instanceof HubError) || thrown.code === 'unavailable') throw thrown
    const { code, message } = thrown
    const about = describeChecked(found, undefined, hub.baseUrl)
    return { shown: { ...about, refusal: { code, message } }, record: undefined }
  }
}

/** Creates the error for a proposal that does not exist here. */
export function noSuchProposal(): HubError {
  return new HubError(
    'not_found',
    'There is no such proposal. It is gone 30 days after it was made; ask its author for a new one.',
  )
}
