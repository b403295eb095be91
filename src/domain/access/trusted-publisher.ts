// Owns when a CI job may publish: what its OIDC token says, compared with what an owner trusts.
import { z } from 'zod'
import type { Provenance } from '../api/schema.ts'
import type { TrustedPublisher } from '../content/front-matter.ts'

/** A claim that is copied into a file and a page: short, and without characters that do not show. */
const text = z
  .string()
  .min(1)
  .max(500)
  .regex(/^\P{C}*$/u)
const number = z.string().regex(/^[1-9]\d{0,18}$/)

/** What a job's token says, of a token whose signature holds. Claims by the names that GitHub gives them. @see https://docs.github.com/actions/reference/security/oidc */
export const JobClaims = z.object({
  aud: z.string(),
  exp: z.number(),
  jti: text,
  repository: text,
  repository_id: number,
  repository_owner_id: number,
  job_workflow_ref: text,
  workflow_ref: text,
  event_name: text,
  ref: text,
  sha: text,
  run_id: text,
  environment: text.optional(),
})
export type JobClaims = z.infer<typeof JobClaims>

/** Events in which strangers have a say over what runs, or over what it reads. */
const REFUSED_EVENTS: ReadonlySet<string> = new Set(['pull_request_target', 'workflow_run', 'issue_comment'])

/** Where a version comes from, as the version itself says it. */
export function provenanceOf(issuer: string, { repository, workflow_ref, ref, sha, run_id }: JobClaims): Provenance {
  return { issuer, repository, workflow: workflow_ref, ref, sha, run_id }
}

/**
 * Finds why a job may not publish.
 *
 * @param name of the repository it wants to publish to
 * @returns undefined when an entry matches; else what differs in the entry that comes nearest
 */
export function findRefusal(job: JobClaims, trusted: readonly TrustedPublisher[], name: string): string | undefined {
  if (REFUSED_EVENTS.has(job.event_name)) return `event_name: jobs of ${job.event_name} may not publish`
  const differences = trusted.map((entry) => compare(job, entry, name))
  if (differences.some((found) => found.length === 0)) return undefined
  const [nearest] = differences.sort((a, b) => a.length - b.length)
  return nearest === undefined ? 'no workflow is trusted' : nearest.join('; ')
}

function compare(job: JobClaims, entry: TrustedPublisher, name: string): string[] {
  const wrong: string[] = []
  if (job.repository.toLowerCase() !== entry.repository.toLowerCase()) wrong.push('repository: another one is trusted')
  if (job.repository_id !== entry.repository_id) wrong.push('repository_id: the repository of this name is another one')
  if (job.repository_owner_id !== entry.repository_owner_id)
    wrong.push('repository_owner_id: the owner of this name is another one')
  if (!isWorkflow(job.job_workflow_ref, entry))
    wrong.push(`job_workflow_ref: the workflow ${entry.workflow} is trusted`)
  if (entry.environment !== undefined && job.environment !== entry.environment)
    wrong.push('environment: another one is trusted')
  if (entry.repos !== undefined && !entry.repos.includes(name)) wrong.push(`repos: ${name} is not among them`)
  return wrong
}

/** The workflow's own file in the trusted repository itself: a reusable workflow elsewhere is somebody else's. */
function isWorkflow(reference: string, { repository, workflow }: TrustedPublisher): boolean {
  const path = reference.slice(0, Math.max(0, reference.indexOf('@')))
  const [owner = '', name = '', ...file] = path.split('/')
  return (
    `${owner}/${name}`.toLowerCase() === repository.toLowerCase() && file.join('/') === `.github/workflows/${workflow}`
  )
}
