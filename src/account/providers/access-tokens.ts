// Verifies the access tokens with which MCP clients read a private hub: JWTs that its sign-in provider made for this hub. https://www.rfc-editor.org/rfc/rfc9068
import type { ProviderIdentity } from '../../domain/access/person.ts'
import { HubError } from '../../domain/api/errors.ts'
import { askProvider } from './ask-provider.ts'
import { findKeysUrl, identityOf, MAX_SUBJECT, type OpenIdSettings } from './open-id.ts'

/** The longest token that is looked at. Entra's have 3,000 characters, more with groups. */
const MAX_CHARACTERS = 16_384
const LEEWAY_SECONDS = 5
/** How long after `iat` a token is accepted, whatever its `exp`. Then the client renews it, which the provider refuses to a person who was removed there. */
const MAX_AGE_SECONDS = 600
/** Only signatures with a key pair: otherwise, a token could be signed with the public key as a secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Who sends an access token, and when it is no longer accepted. */
interface AccessTokenHolder {
  identity: ProviderIdentity
  /** Whether the token names an email address, verified or not. */
  hasEmail: boolean
  endsMs: number
}

/** Returns who sends a token. @returns undefined for a token that is not valid, or not for this hub @throws HubError `unavailable` if the provider's keys cannot be fetched */
export type VerifyAccessToken = (token: string, now: Date) => Promise<AccessTokenHolder | undefined>

/** Creates a verifier that caches the provider's keys. Create only one per process. @param baseUrl of the hub; a token is for the hub or for its MCP server */
export async function openAccessTokens(settings: OpenIdSettings, baseUrl: string): Promise<VerifyAccessToken> {
  const { createRemoteJWKSet, customFetch, decodeJwt, errors, jwtVerify } = await import('jose')
  const provider = new URL(settings.issuer).host
  const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>()
  const keysAt = (url: string) => {
    const known = keySets.get(url)
    if (known) return known
    const keys = createRemoteJWKSet(new URL(url), {
      [customFetch]: (address: string, { headers }: RequestInit) => askProvider(provider, address, { headers }),
      cooldownDuration: 30_000,
      cacheMaxAge: MAX_AGE_SECONDS * 1000,
    })
    keySets.clear()
    keySets.set(url, keys)
    return keys
  }
  // The general error is an answer that is not 200 or no JSON. It says nothing of the token.
  const unavailable = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code]

  return async (token, now) => {
    if (token.length > MAX_CHARACTERS) return undefined
    try {
      // Tokens of others, such as those of CI jobs, ask the provider nothing.
      const { iss }: { iss?: unknown } = decodeJwt(token)
      if (typeof iss !== 'string') return undefined
      const { issuer, keysUrl } = await findKeysUrl(settings, iss)
      if (keysUrl === undefined) return undefined
      const { payload } = await jwtVerify(token, keysAt(keysUrl), {
        algorithms: ALGORITHMS,
        issuer,
        audience: [baseUrl, `${baseUrl}/mcp`],
        clockTolerance: LEEWAY_SECONDS,
        maxTokenAge: MAX_AGE_SECONDS,
        requiredClaims: ['exp', 'iat', 'sub'],
        currentDate: now,
      })
      const { exp = 0, iat = 0, sub = '' } = payload
      if (sub === '' || sub.length > MAX_SUBJECT) return undefined
      const hasEmail = payload.email !== undefined
      return { identity: identityOf(issuer, payload), hasEmail, endsMs: Math.min(exp, iat + MAX_AGE_SECONDS) * 1000 }
    } catch (thrown) {
      if (thrown instanceof errors.JOSEError && !unavailable.includes(thrown.code)) return undefined
      if (thrown instanceof HubError) throw thrown
      throw new HubError(
        'unavailable',
        `The keys of ${provider} cannot be fetched right now. Try again in a few seconds.`,
        {
          cause: thrown,
          retryAfterSeconds: 5,
        },
      )
    }
  }
}
