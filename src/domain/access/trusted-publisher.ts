// Decides whether a CI job may publish: compares the claims of its OIDC token with the owner's file.
import * as z from 'zod'
import type { TrustedPublisher } from '../content/front-matter.ts'
import { LIMITS } from '../limits.ts'
import type { Provenance } from '../values/values.ts'
import { Person } from './person.ts'
import { hasPermission, type Permission } from './token.ts'

/** A claim that is copied into a file and a page, so it must be short and contain no hidden characters. */
const text = z
  .string()
  .min(1)
  .max(LIMITS.sentenceCharacters)
  .regex(/^\P{C}*$/u)
const number = z.string().regex(/^[1-9]\d{0,18}$/)

/** The claims of an OIDC token whose signature has been verified, with GitHub's names. @see https://docs.github.com/actions/reference/security/oidc */
export const JobClaims = z.object({
  aud: z.string(),
  exp: z.int(),
  iat: z.number(),
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
  actor: text.optional(),
  actor_id: number.optional(),
})
export type JobClaims = z.infer<typeof JobClaims>

/** What a job is judged by: claims that a token and the certificate of an attestation both have. */
type JudgedJob = Pick<
  JobClaims,
  'repository' | 'repository_id' | 'repository_owner_id' | 'job_workflow_ref' | 'event_name' | 'ref' | 'environment'
>

/**
 * Events that only users with write access to the repository can trigger. For any other event, including events that GitHub adds later, an outsider may control what runs or what it reads, through an issue, a comment, a fork or a pull request.
 */
const TRUSTED_EVENTS: ReadonlySet<string> = new Set(['push', 'release', 'workflow_dispatch', 'schedule'])

/** Returns the origin to record in a version. */
export function provenanceOf(issuer: string, { repository, workflow_ref, ref, sha, run_id }: JobClaims): Provenance {
  return { issuer, repository, workflow: workflow_ref, ref, sha, run_id }
}

/** Returns the user who triggered a job; undefined if its token does not say. */
export function actorOf({ actor, actor_id }: JobClaims): Person | undefined {
  return Person.safeParse({ login: actor?.toLowerCase(), user_id: actor_id }).data
}

/**
 * Checks whether a job may publish.
 *
 * @param name the name of the repository to publish to
 * @param needed the permission that the request needs
 * @returns undefined if an entry matches; otherwise how the closest entry differs
 */
export function findRefusal(
  job: JudgedJob,
  trusted: readonly TrustedPublisher[],
  name: string,
  needed: Permission = 'publish',
): string | undefined {
  if (!TRUSTED_EVENTS.has(job.event_name))
    return `event_name: only jobs triggered by ${[...TRUSTED_EVENTS].join(', ')} may publish, not by ${job.event_name}`
  const differences = trusted.map((entry) => compare(job, entry, name, needed))
  if (differences.some((found) => found.length === 0)) return undefined
  const [nearest] = differences.sort((a, b) => a.length - b.length)
  return nearest === undefined ? 'no workflow is trusted' : nearest.join('; ')
}

/** Returns whether an entry trusts a job with anything, so that the job may also read a private hub. */
export function isTrustedJob(job: JobClaims, trusted: readonly TrustedPublisher[]): boolean {
  return (
    TRUSTED_EVENTS.has(job.event_name) &&
    trusted.some((entry) => compare(job, { ...entry, repos: undefined }, '', 'read').length === 0)
  )
}

function compare(job: JudgedJob, entry: TrustedPublisher, name: string, needed: Permission): string[] {
  const wrong: string[] = []
  if (job.repository.toLowerCase() !== entry.repository.toLowerCase())
    wrong.push('repository: a different repository is trusted')
  if (job.repository_id !== entry.repository_id)
    wrong.push('repository_id: the trusted repository has this name but a different ID')
  if (job.repository_owner_id !== entry.repository_owner_id)
    wrong.push('repository_owner_id: the trusted owner has this name but a different ID')
  if (!isWorkflow(job.job_workflow_ref, entry))
    wrong.push(`job_workflow_ref: only the workflow ${entry.workflow} is trusted`)
  // GitHub ignores case in environment names.
  if (entry.environment !== undefined && job.environment?.toLowerCase() !== entry.environment.toLowerCase())
    wrong.push(`environment: only jobs in the environment ${entry.environment} are trusted`)
  if (entry.ref !== undefined && !isRef(job.ref, entry.ref)) wrong.push(`ref: only jobs on ${entry.ref} are trusted`)
  if (entry.repos !== undefined && !entry.repos.includes(name)) wrong.push(`repos: ${name} is not listed`)
  if (!hasPermission(entry.permissions, needed)) wrong.push(`permissions: ${needed} is not listed`)
  return wrong
}

/** Returns whether a branch or tag matches a name or a prefix. @param trusted `refs/heads/main`, or a prefix with an asterisk: `refs/tags/v*` */
function isRef(ref: string, trusted: string): boolean {
  return trusted.endsWith('*') ? ref.startsWith(trusted.slice(0, -1)) : ref === trusted
}

/**
 * Returns whether the job's workflow file is trusted. A plain file name refers to the trusted repository; a reusable workflow in another repository must be given as a full path, optionally with a ref.
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

/** Compares two workflow paths: the owner and repository are case-insensitive, the file path is case-sensitive. */
function isSameFile(path: string, trusted: string): boolean {
  const lowered = (whole: string) => {
    const [owner = '', name = '', ...file] = whole.split('/')
    return [owner.toLowerCase(), name.toLowerCase(), ...file].join('/')
  }
  return lowered(path) === lowered(trusted)
}
