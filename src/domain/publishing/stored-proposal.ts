// Schemas of proposals as the hub stores them. docs/proposals.md
import * as z from 'zod'
import { Provenance } from '../values/values.ts'

/** A request to propose, as it arrived; its body is stored apart. */
export const StoredProposal = z.object({
  owner: z.string(),
  name: z.string(),
  id: z.string(),
  media_type: z.string(),
  /** The query of the request, with its question mark. */
  query: z.string(),
  bytes: z.int(),
  proposed_by: z.string(),
  /** The account of the person, or of the person that a token or a CI job acts for; null if there is none. */
  user_id: z.string().nullable(),
  by_token: z.string().nullable(),
  by_workflow: z.string().nullable(),
  provenance: Provenance.nullable(),
  changelog: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  /** Who is deciding now, and since when, in milliseconds since 1970. */
  claim: z.object({ kind: z.enum(['accept', 'reject']), by: z.string(), at: z.number() }).nullable(),
})
export type StoredProposal = z.infer<typeof StoredProposal>

/** What became of a proposal. */
export const ProposalDecision = z.object({
  status: z.enum(['accepted', 'rejected']),
  decided_by: z.string(),
  decided_by_id: z.string().nullable(),
  decided_at: z.string(),
  reason: z.string().nullable(),
  /** What accepting it did. */
  outcome: z
    .object({
      version: z.string(),
      unchanged: z.boolean(),
      breaking: z.boolean(),
      commit: z.object({ sha: z.string(), url: z.string().nullable() }).nullable(),
    })
    .nullable(),
})
export type ProposalDecision = z.infer<typeof ProposalDecision>
