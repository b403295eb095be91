// Admits a CI job's publish before it waits for a turn: a job that nobody trusts holds up nobody, and nothing is remembered of it.
import type { Permission } from '../../domain/access/permissions.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { GitStore } from '../../ports/git-store.ts'
import { type AuthTools, type Bearer, requireRights } from './authenticate.ts'
import type { AcceptedPublish } from './decide-round.ts'
import { readOwnerIndex, type TimeAndChance } from './rounds.ts'

/** A publish whose bearer is a job. */
type JobPublish = Pick<AcceptedPublish, 'owner' | 'name' | 'bearer' | 'arrivedMs'> & {
  job: Bearer['holder'] & { kind: 'job' }
  /** What it wants to do. */
  needed: Permission
  /** Digest of path and body: the token serves this request only. */
  request: string
}

/** How long a used token is remembered beyond its end. It is accepted for some seconds after its end, so this must be longer. */
const LEEWAY_MS = 60_000

/**
 * Checks that the owner trusts the job, then spends its token on the request.
 *
 * @throws HubError `forbidden`; `unauthorized` for a token that was used for another request; `unavailable`
 */
export async function admitJob(
  publish: JobPublish,
  { git, spendJob }: { git: GitStore } & Pick<AuthTools, 'spendJob'>,
  time: TimeAndChance,
): Promise<void> {
  const { owner, name, bearer, needed, job, request } = publish
  requireRights(bearer, { owner, name }, needed, await readOwnerIndex(git, publish, time))
  if (!(await spendJob({ jti: job.jti, request, endsMs: job.endsMs + LEEWAY_MS })))
    throw new HubError(
      'unauthorized',
      'This OIDC token was used for another request. Ask GitHub for a new one for each publish.',
    )
}
