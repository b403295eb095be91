// Verifies the OIDC token of a CI job: signature, issuer, audience and times. The owner's file decides what the job may publish.
import type { JWTPayload } from 'jose'
import type { Permission } from '../../domain/access/permissions.ts'
import { findRefusal, JobClaims, provenanceOf } from '../../domain/access/trusted-publisher.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { TrustedPublisher } from '../../domain/content/front-matter.ts'
import type { Provenance } from '../../domain/content/values.ts'

/** GitHub's tokens are shorter, so a longer one is rejected before it is verified. */
const MAX_CHARACTERS = 8_192
const LEEWAY_SECONDS = 5

/** A job with a valid token. */
export interface VerifiedJob {
  /** GitHub's ID of the repository that it runs in. */
  repositoryId: string
  /** The token's ID. */
  jti: string
  /** When the token expires, in milliseconds. */
  endsMs: number
  provenance: Provenance
  /** Finds why no entry of an owner lets the job publish to their repository; undefined when one does. */
  findRefusal: (trusted: readonly TrustedPublisher[], name: string, needed: Permission) => string | undefined
}

/**
 * Verifies a token.
 *
 * @throws HubError `unauthorized` for an invalid token, `unavailable` when the issuer's keys cannot be reached
 */
export type VerifyJob = (token: string, now: Date) => Promise<VerifiedJob>

/** The accepted issuer and audience. */
interface JobVerifierOptions {
  /** Exactly as in tokens, character for character. */
  issuer: string
  jwksUrl: string
  audience: string
}

/** Creates a verifier that caches the issuer's keys; keep it for the life of the process. */
export async function openJobVerifier({ issuer, jwksUrl, audience }: JobVerifierOptions): Promise<VerifyJob> {
  // Imported here, because the bundler would load a top-level import with the function, also for publishes without a job.
  const { createRemoteJWKSet, errors, jwtVerify } = await import('jose')
  // With these errors the token is at fault. Any other is a failure of the issuer or of ours, and must not be reported as an invalid token.
  const badToken = [
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWSInvalid,
    errors.JWSSignatureVerificationFailed,
    errors.JWTInvalid,
    errors.JWKSNoMatchingKey,
    errors.JWKSMultipleMatchingKeys,
  ] as const
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: 3_000,
    cooldownDuration: 30_000,
    cacheMaxAge: 600_000,
  })
  return async (token, now) => {
    if (token.length > MAX_CHARACTERS) throw refuse()
    const payload = await verify(token, now)
    const { data: claims, error } = JobClaims.safeParse(payload)
    if (error) {
      const names = [...new Set(error.issues.map(({ path }) => path.join('.')))]
      throw refuseClaim(names.join(', '), audience)
    }
    return {
      repositoryId: claims.repository_id,
      jti: claims.jti,
      endsMs: claims.exp * 1000,
      provenance: provenanceOf(issuer, claims),
      findRefusal: (trusted, name, needed) => findRefusal(claims, trusted, name, needed),
    }
  }

  async function verify(token: string, currentDate: Date): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        // Only one algorithm: if several were allowed, a token could be signed with the public key as the secret of another algorithm.
        algorithms: ['RS256'],
        issuer,
        audience,
        clockTolerance: LEEWAY_SECONDS,
        maxTokenAge: '15m',
        requiredClaims: ['exp', 'nbf', 'iat', 'jti'],
        currentDate,
      })
      return payload
    } catch (thrown) {
      if (thrown instanceof errors.JWTExpired)
        throw new HubError('unauthorized', 'This OIDC token has expired. Request a new one for each publish.')
      if (thrown instanceof errors.JWTClaimValidationFailed) throw refuseClaim(thrown.claim, audience)
      if (badToken.some((kind) => thrown instanceof kind)) throw refuse()
      throw new HubError(
        'unavailable',
        'The keys of the OIDC issuer cannot be fetched right now. Try again in a few seconds.',
        {
          cause: thrown,
          retryAfterSeconds: 5,
        },
      )
    }
  }
}

function refuse(): HubError {
  return new HubError('unauthorized', 'This OIDC token is invalid. Request a new one from GitHub for each publish.')
}

/** Names the claim that is wrong; only after the signature was verified. */
function refuseClaim(claim: string, audience: string): HubError {
  return new HubError(
    'unauthorized',
    `This OIDC token is not for this hub: ${claim}. Request a new one from GitHub with the audience ${audience}.`,
  )
}
