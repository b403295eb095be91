// Signs people in with the authorization code flow and PKCE: the same steps for GitHub and for every OpenID Connect provider.
import type { Configuration } from 'openid-client'
import { HubError } from '../../domain/api/errors.ts'
import { unexpectedAnswer } from './ask-provider.ts'

type Client = typeof import('openid-client')

/** Loads the library when somebody signs in, because most requests to account pages sign nobody in. */
export const loadClient = (): Promise<Client> => import('openid-client')

/** What a browser keeps of a sign-in that is under way. */
export interface FlowNote {
  /** Binds the provider's answer to this browser. */
  state: string
  /** Binds the ID token to this browser. */
  nonce: string
  /** The PKCE secret: whoever has only the code cannot use it. */
  verifier: string
}

/** A provider as the library knows it, with the words for messages about it. */
export interface Flow {
  client: Client
  configuration: Configuration
  provider: string
  /** The settings to name when the provider does not accept them. */
  settings: string
}

/** The tokens of a completed sign-in. They are used once, and stored nowhere. */
type Tokens = Awaited<ReturnType<Client['authorizationCodeGrant']>>

/** Returns the URL of the provider's page. */
export async function buildSignInUrl(
  { client, configuration }: Flow,
  { state, verifier }: FlowNote,
  query: Readonly<Record<string, string>>,
): Promise<URL> {
  return client.buildAuthorizationUrl(configuration, {
    ...query,
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
}

/**
 * Exchanges the code in the URL to which the provider redirected for tokens. The library compares state, issuer (RFC 9207) and, for an ID token, signature, issuer, audience, expiry and nonce.
 *
 * @param callback the URL, which starts with the hub's own base URL
 * @throws HubError `invalid_request` for a sign-in that was refused, has expired or was completed before; `unavailable` if the provider is down or does not accept the hub; `upstream_error` for anything that does not fit
 */
export async function exchangeCode(flow: Flow, callback: URL, note: FlowNote, hasIdToken: boolean): Promise<Tokens> {
  const { client, configuration, provider } = flow
  try {
    return await client.authorizationCodeGrant(configuration, callback, {
      expectedState: note.state,
      pkceCodeVerifier: note.verifier,
      idTokenExpected: hasIdToken,
      ...(hasIdToken && { expectedNonce: note.nonce }),
    })
  } catch (error) {
    if (error instanceof client.AuthorizationResponseError)
      throw new HubError('invalid_request', `${provider} did not sign you in. Try again.`)
    throw describeFailure(flow, error)
  }
}

/** Returns the error for a person about what the library or the provider threw. It contains nothing of the answer. */
export function describeFailure({ client, provider, settings }: Omit<Flow, 'configuration'>, error: unknown): HubError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof HubError) return cause
  if (error instanceof client.ResponseBodyError) {
    if (USED_CODE.has(error.error))
      return new HubError('invalid_request', 'This sign-in has expired or was already completed. Sign in again.')
    if (BAD_CLIENT.has(error.error))
      return new HubError('unavailable', `${provider} rejected this hub: ${settings} is wrong.`, {
        retryAfterSeconds: 60,
      })
    return new HubError('upstream_error', `${provider} rejected the sign-in. Sign in again.`, {
      cause: `error ${error.error.slice(0, 80)}`,
    })
  }
  return unexpectedAnswer(provider, error instanceof client.ClientError ? String(error.code) : 'an unknown error')
}

/** The words for a code that was used, has expired or was never issued: of RFC 6749 and of GitHub. */
const USED_CODE: ReadonlySet<string> = new Set(['invalid_grant', 'bad_verification_code'])
/** The words for a client that the provider does not know. */
const BAD_CLIENT: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
  'redirect_uri_mismatch',
])
