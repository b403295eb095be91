// Decides whether a CI job may publish: compares the claims of its OIDC token with the owner's file.
import * as z from 'zod'
import { LIMITS } from '../api/limits.ts'
import type { TrustedPublisher } from '../content/front-matter.ts'
import type { Provenance } from '../content/values.ts'
import { hasPermission, type Permission } from './permissions.ts'

/** A claim that is copied into a file and a page; must be short and contain no hidden characters. */
const text = z
  .string()
  .min(1)
  .max(LIMITS.sentenceCharacters)
  .regex(/^\P{C}*$/u)
const number = z.string().regex(/^[1-9]\d{0,18}$/)

/** The claims of a token with a verified signature, named as by GitHub. @see https://docs.github.com/actions/reference/security/oidc */
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

/**
 * Events that only people with write access to the repository can trigger. With any other event, including future ones, an outsider may control what runs or what it reads: through an issue, a comment, a fork or a pull request.
 */
const TRUSTED_EVENTS: ReadonlySet<string> = new Set(['push', 'release', 'workflow_dispatch', 'schedule'])

/** Returns the origin that a version records. */
export function provenanceOf(issuer: string, { repository, workflow_ref, ref, sha, run_id }: JobClaims): Provenance {
  return { issuer, repository, workflow: workflow_ref, ref, sha, run_id }
}

/**
 * Finds why a job may not publish.
 *
 * @param name the name of the repository to publish to
 * @param needed the permission that it needs
 * @returns undefined if an entry matches; otherwise how the closest entry differs
 */
export function findRefusal(
  job: JobClaims,
  trusted: readonly TrustedPublisher[],
  name: string,
  needed: Permission = 'publish',
): string | undefined {
  if (!TRUSTED_EVENTS.has(job.event_name))
    return `event_name: only jobs of ${[...TRUSTED_EVENTS].join(', ')} may publish, not jobs of ${job.event_name}`
  const differences = trusted.map((entry) => compare(job, entry, name, needed))
  if (differences.some((found) => found.length === 0)) return undefined
  const [nearest] = differences.sort((a, b) => a.length - b.length)
  return nearest === undefined ? 'no workflow is trusted' : nearest.join('; ')
}

function compare(job: JobClaims, entry: TrustedPublisher, name: string, needed: Permission): string[] {
  const wrong: string[] = []
  if (job.repository.toLowerCase() !== entry.repository.toLowerCase())
    wrong.push('repository: a different one is trusted')
  if (job.repository_id !== entry.repository_id)
    wrong.push('repository_id: the repository with this name is a different one')
  if (job.repository_owner_id !== entry.repository_owner_id)
    wrong.push('repository_owner_id: the owner with this name is a different one')
  if (!isWorkflow(job.job_workflow_ref, entry))
    wrong.push(`job_workflow_ref: the workflow ${entry.workflow} is trusted`)
  // GitHub ignores case in environment names.
  if (entry.environment !== undefined && job.environment?.toLowerCase() !== entry.environment.toLowerCase())
    wrong.push(`environment: only jobs in the environment ${entry.environment} are trusted`)
  if (entry.ref !== undefined && !isRef(job.ref, entry.ref)) wrong.push(`ref: only jobs on ${entry.ref} are trusted`)
  if (entry.repos !== undefined && !entry.repos.includes(name)) wrong.push(`repos: ${name} is not among them`)
  if (!hasPermission(entry.permissions, needed)) wrong.push(`permissions: ${needed} is not among them`)
  return wrong
}

/** Returns whether a branch or tag matches a name or a prefix. @param trusted `refs/heads/main`, or a prefix with an asterisk: `refs/tags/v*` */
function isRef(ref: string, trusted: string): boolean {
  return trusted.endsWith('*') ? ref.startsWith(trusted.slice(0, -1)) : ref === trusted
}

/**
 * Returns whether the job's workflow file is the trusted one. A plain file name refers to the trusted repository; a reusable workflow in another repository must be named in full, optionally at one ref.
 */
function isWorkflow(reference: string, { repository, workflow }: TrustedPublisher): boolean {
  const [trusted = '', trustedRef] = splitOnce(
    workflow.includes('/') ? workflow : `${repository}/.github/workflows/${workflow}`,
  )
  const [path = '', ref] = splitOnce(reference)
  return isSameFile(path, trusted) && ref !== undefined && (trustedRef === undefined || ref === trustedRef)
}

/** Splits at the first `@`, so that no part of a ref counts as part of the path. */
function splitOnce(reference: string): [path: string, ref: string | undefined] {
  const at = reference.indexOf('@')
  return at === -1 ? [reference, undefined] : [reference.slice(0, at), reference.slice(at + 1)]
}

/** Compares two paths: owner and repository ignore case, files do not. */
function isSameFile(path: string, trusted: string): boolean {
  const lowered = (whole: string) => {
    const [owner = '', name = '', ...file] = whole.split('/')
    return [owner.toLowerCase(), name.toLowerCase(), ...file].join('/')
  }
  return lowered(path) === lowered(trusted)
}
