// Verifies a CI job's OIDC token: signature, issuer, audience and timestamps. The owner's file determines what the job may publish.
import type { JWTPayload } from 'jose'
import { actorOf, findRefusal, isTrustedJob, JobClaims, provenanceOf } from '../../domain/access/trusted-publisher.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { VerifyJob } from '../../server/publish/authenticate.ts'
import { askProvider } from './ask-provider.ts'

/** Maximum length of a token. GitHub's tokens are shorter, so a longer token is rejected without verification. */
const MAX_CHARACTERS = 8_192
const LEEWAY_SECONDS = 5
/** How long after `iat` a token is accepted, whatever its `exp`. */
const MAX_AGE_SECONDS = 900

/** The accepted issuer and audience. */
interface JobVerifierOptions {
  /** The issuer, which must match the token's `iss` exactly. */
  issuer: string
  jwksUrl: string
  audience: string
}

/** Creates a verifier that caches the issuer's keys. Create only one per process. */
export async function openJobVerifier({ issuer, jwksUrl, audience }: JobVerifierOptions): Promise<VerifyJob> {
  // Imported here because a top-level import would be loaded with the function, even for publishes that do not use OIDC.
  const { createRemoteJWKSet, customFetch, errors, jwtVerify } = await import('jose')
  // These errors mean that the token is invalid. All other errors are failures of the issuer or of the hub, and must not be reported as an invalid token.
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
    [customFetch]: (url: string, { headers }: RequestInit) => askProvider('The OIDC issuer', url, { headers }),
    cooldownDuration: 30_000,
    cacheMaxAge: 600_000,
  })
  return async (token, now) => {
    if (token.length > MAX_CHARACTERS) throw invalidTokenError()
    const payload = await verify(token, now)
    const { data: claims, error } = JobClaims.safeParse(payload)
    if (error) {
      const names = [...new Set(error.issues.map(({ path }) => path.join('.')))]
      throw invalidClaimError(names.join(', '), audience)
    }
    return {
      repositoryId: claims.repository_id,
      jti: claims.jti,
      endsMs: Math.min(claims.exp, claims.iat + MAX_AGE_SECONDS) * 1000,
      provenance: provenanceOf(issuer, claims),
      actor: actorOf(claims),
      findRefusal: (trusted, name, needed) => findRefusal(claims, trusted, name, needed),
      isTrusted: (trusted) => isTrustedJob(claims, trusted),
    }
  }

  async function verify(token: string, currentDate: Date): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        // Only one algorithm is allowed: otherwise, a token could be signed with the public key as another algorithm's secret.
        algorithms: ['RS256'],
        issuer,
        audience,
        clockTolerance: LEEWAY_SECONDS,
        maxTokenAge: MAX_AGE_SECONDS,
        requiredClaims: ['exp', 'nbf', 'iat', 'jti'],
        currentDate,
      })
      return payload
    } catch (thrown) {
      if (thrown instanceof errors.JWTExpired)
        throw new HubError('unauthorized', 'This OIDC token has expired. Request a new one for each publish.')
      if (thrown instanceof errors.JWTClaimValidationFailed && isAhead(thrown))
        throw new HubError(
          'unauthorized',
          'This OIDC token is not valid yet. Compare the clock of the hub with that of the issuer, then request a new one.',
        )
      if (thrown instanceof errors.JWTClaimValidationFailed) throw invalidClaimError(thrown.claim, audience)
      if (badToken.some((kind) => thrown instanceof kind)) throw invalidTokenError()
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

/** Returns whether a token is refused because it seems to come from the future. */
function isAhead({ claim, reason }: { claim: string; reason: string }): boolean {
  return reason === 'check_failed' && (claim === 'nbf' || claim === 'iat')
}

function invalidTokenError(): HubError {
  return new HubError('unauthorized', 'This OIDC token is invalid. Request a new one from GitHub for each publish.')
}

/** Creates the error that names an invalid claim; used only after the signature has been verified. */
function invalidClaimError(claim: string, audience: string): HubError {
  return new HubError(
    'unauthorized',
    `This OIDC token is not for this hub: ${claim}. Request a new one from GitHub with the audience ${audience}.`,
  )
}
