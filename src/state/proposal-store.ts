// The interface of stored proposals.
import type { ProposalDecision, StoredProposal } from '../domain/publishing/stored-proposal.ts'
import type { RepositoryPlace } from '../domain/values/names.ts'

/** How long a proposal is kept. */
export const PROPOSAL_DAYS = 30

/** A proposal, and what became of it; undefined while it is open. */
export interface FoundProposal {
  proposal: StoredProposal
  decision: ProposalDecision | undefined
}

/** A claim to decide about a proposal. */
export interface ProposalClaim {
  by: string
  /** The proposal before it, with the earlier claim that it took, if any. */
  proposal: StoredProposal
}

/** The place of a proposal. */
export interface ProposalPlace extends RepositoryPlace {
  id: string
}

/** The proposals of a hub. Each function throws HubError `unavailable` if the store cannot be reached. */
export interface Proposals {
  /** Stores a proposal. @param body its text or, of an archive, its bytes in base64 @throws HubError `quota_exceeded` */
  add(proposal: StoredProposal, body: string): Promise<void>
  find(place: ProposalPlace): Promise<FoundProposal | undefined>
  readBody(id: string): Promise<string | undefined>
  /** Lists the open proposals of a repository, newest first. */
  list(place: RepositoryPlace): Promise<StoredProposal[]>
  /** Claims an open proposal, so that nobody else decides meanwhile. @param mayTake says whether the claim of somebody else has ended @returns `busy` while somebody else has it; undefined if it is not open */
  claim(
    place: ProposalPlace,
    kind: 'accept' | 'reject',
    nowMs: number,
    mayTake: (earlier: NonNullable<StoredProposal['claim']>) => Promise<boolean>,
  ): Promise<ProposalClaim | 'busy' | undefined>
  /** Gives a claim up, so that the one that it took is there again, unless somebody else has taken it. */
  release(claim: ProposalClaim): Promise<void>
  /** Closes a proposal. @returns what became of it, which somebody else may have decided first */
  close(proposal: StoredProposal, decision: ProposalDecision): Promise<ProposalDecision>
}
