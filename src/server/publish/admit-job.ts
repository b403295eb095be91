// Admits a CI job's publish before it waits in the queue, so that an untrusted job delays nobody and nothing is stored about it.
import type { Permission } from '../../domain/access/permissions.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { GitStore } from '../../ports/git-store.ts'
import { type AuthDeps, type Bearer, requireRights } from './authenticate.ts'
import type { AcceptedPublish } from './decide-round.ts'
import { type Clock, readOwnerIndex } from './rounds.ts'

/** A publish by a CI job. */
type JobPublish = Pick<AcceptedPublish, 'owner' | 'name' | 'bearer' | 'arrivedMs'> & {
  job: Bearer['holder'] & { kind: 'job' }
  /** The permission that it needs. */
  needed: Permission
  /** Digest of the path and body; the token is valid only for this request. */
  request: string
}

/** How long a used token is remembered after it expires. This must be longer than the few seconds for which an expired token is still accepted. */
const LEEWAY_MS = 60_000

/**
 * Checks that the owner trusts the job, then marks its token as used for the request.
 *
 * @throws HubError `forbidden`; `unauthorized` if the token was used for another request; `unavailable`
 */
export async function admitJob(
  publish: JobPublish,
  { git, spendJob }: { git: GitStore } & Pick<AuthDeps, 'spendJob'>,
  time: Clock,
): Promise<void> {
  const { owner, name, bearer, needed, job, request } = publish
  requireRights(bearer, { owner, name }, needed, await readOwnerIndex(git, publish, time))
  if (!(await spendJob({ jti: job.jti, request, endsMs: job.endsMs + LEEWAY_MS })))
    throw new HubError(
      'unauthorized',
      'This OIDC token was already used for another request. Request a new one from GitHub for each publish.',
    )
}
