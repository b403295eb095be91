// Schemas of proposals: versions that somebody wrote, and that are published once a member accepts them. docs/proposals.md
import * as z from 'zod'
import { PROPOSAL_ID } from '../values/names.ts'
import { FullName, Time, Version } from '../values/values.ts'
import { Difference, VersionRecord, Warning } from './schema.ts'

/** The ID of a proposal. */
export const ProposalId = z.string().regex(PROPOSAL_ID).describe('The ID of a proposal.')

/** What a list says of a proposal. */
export const ProposalSummary = z
  .object({
    id: ProposalId.describe('The ID, which nobody can guess.'),
    url: z.url().describe('The API URL. Whoever knows it can read the proposal.'),
    raw_url: z.url().describe('The URL of the proposed content.'),
    html_url: z.url().describe('The URL of its page, on which members accept or reject it.'),
    full_name: FullName,
    status: z.enum(['open', 'accepted', 'rejected']).describe('What became of it.'),
    proposed_by: z.string().describe('Who proposed it, and will have published it.'),
    by_token: z.string().nullable().describe('The name of the token that sent it, or null.'),
    by_workflow: z.string().nullable().describe('The CI workflow that sent it, or null.'),
    changelog: z.string().describe('Its changelog; empty if there is none.'),
    created_at: Time.describe('When it was proposed.'),
    expires_at: Time.describe('When it is gone, whatever became of it.'),
  })
  .meta({ id: 'ProposalSummary', description: 'A proposal in a list.' })
export type ProposalSummary = z.infer<typeof ProposalSummary>

const DECIDED = {
  decided_by: z.string().nullable().describe('Who accepted or rejected it, or null.'),
  decided_at: Time.nullable().describe('When that was, or null.'),
  reason: z.string().nullable().describe('Why it was rejected, or null.'),
}

/** The response to a rejection. */
export const RejectedProposal = z
  .object({ ...ProposalSummary.shape, ...DECIDED })
  .meta({ id: 'RejectedProposal', description: 'A rejected proposal.' })

/** The version that a proposal would publish, without what only a published one has. */
const Draft = VersionRecord.pick({
  content: true,
  content_sha256: true,
  size_bytes: true,
  format: true,
  variables: true,
  parameters: true,
  skill: true,
  files: true,
  includes: true,
}).meta({ id: 'Draft', description: 'What a proposal would publish.' })

/** A proposal, with what accepting it would do now. */
export const Proposal = z
  .object({
    ...ProposalSummary.shape,
    ...DECIDED,
    version: Version.nullable().describe('The version that it became, or null.'),
    would_be: Version.nullable().describe(
      'The version that accepting it would publish now; null if it is not open or would be refused.',
    ),
    unchanged: z.boolean().nullable().describe('Whether it changes only the fields below; null like would_be.'),
    breaking: z.boolean().nullable().describe('Whether it is breaking for callers; null like would_be.'),
    fields: z.array(z.string()).describe('The fields of the repository that would change.'),
    labels: z.array(z.string()).describe('The labels that would point at the version.'),
    changes: Difference.nullable().describe('What callers of the latest version must know, as a check says it.'),
    warnings: z.array(Warning).describe('Possible problems; they do not prevent accepting it.'),
    refusal: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('The error that accepting it would return now, as far as a check can tell; otherwise null.'),
    draft: Draft.nullable().describe('What it would publish; null like would_be.'),
  })
  .meta({ id: 'Proposal', description: 'A version that a member can accept or reject.' })
export type Proposal = z.infer<typeof Proposal>
