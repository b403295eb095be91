// Signs people in with any OpenID Connect provider, such as Entra, Okta, Google, GitLab or Keycloak, and signs them out there.

import type { ProviderIdentity } from '../../domain/access/person.ts'
import { isSameIssuer } from '../../domain/access/sign-in-kind.ts'
import { HubError } from '../../domain/api/errors.ts'
import { isLoopback } from '../../domain/api/loopback.ts'
import { isObject } from '../../domain/text/json.ts'
import { printable } from '../../domain/text/printable.ts'
import { askProvider, CALL_MS } from './ask-provider.ts'
import { buildSignInUrl, describeFailure, exchangeCode, type Flow, type FlowNote, loadClient } from './code-flow.ts'

/** The hub as the provider knows it. */
export interface OpenIdSettings {
  issuer: string
  clientId: string
  clientSecret: string
}

/** Who signed in, and the ID token that names the sign-in when the person signs out at the provider. */
interface OpenIdSignIn {
  identity: ProviderIdentity
  idToken: string
}

/** How long a provider's metadata and keys are used. A provider announces new keys long before it uses them; for an unknown key, the library asks again. */
const MAX_METADATA_MS = 600_000

/** The longest subject that the specification allows, in characters. https://openid.net/specs/openid-connect-core-1_0.html#IDToken */
export const MAX_SUBJECT = 255

/** Returns the URL of the provider's page. @throws HubError if the provider cannot be asked about itself */
export async function startOpenId(settings: OpenIdSettings, note: FlowNote, redirectUri: string): Promise<URL> {
  const query = { redirect_uri: redirectUri, scope: 'openid profile email', nonce: note.nonce }
  return buildSignInUrl(await openFlow(settings), note, query)
}

/** Completes a sign-in. @throws HubError as `exchangeCode` */
export async function finishOpenId(settings: OpenIdSettings, note: FlowNote, callback: URL): Promise<OpenIdSignIn> {
  const flow = await openFlow(settings)
  const tokens = await exchangeCode(flow, callback, note, true)
  const idClaims = tokens.claims()
  const idToken = tokens.id_token
  if (!idClaims || idToken === undefined || idClaims.sub.length > MAX_SUBJECT) throw describeFailure(flow, undefined)
  const more = 'email' in idClaims ? {} : await readUserInfo(flow, tokens.access_token, idClaims.sub)
  return { identity: identityOf(idClaims.iss, { ...more, ...idClaims }), idToken }
}

/** Returns the URL at which a person signs out at the provider. @param back where the provider returns to @returns undefined if the provider has no such page */
export async function findSignOutUrl(
  settings: OpenIdSettings,
  idToken: string,
  back: string,
): Promise<URL | undefined> {
  const { client, configuration } = await openFlow(settings)
  if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
  return client.buildEndSessionUrl(configuration, { id_token_hint: idToken, post_logout_redirect_uri: back })
}

/** Many providers give the email address only here. @returns nothing if the provider has no such endpoint */
async function readUserInfo(
  flow: Flow,
  accessToken: string,
  subject: string,
): Promise<Readonly<Record<string, unknown>>> {
  if (flow.configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  try {
    return await flow.client.fetchUserInfo(flow.configuration, accessToken, subject)
  } catch (error) {
    throw describeFailure(flow, error)
  }
}

/** Reads claims. An email address counts only if the provider says that it belongs to the person: with `email_verified`, or with Entra's `xms_edov`. */
export function identityOf(issuer: string, claims: Readonly<Record<string, unknown>>): ProviderIdentity {
  const { sub, email, email_verified, xms_edov, name } = claims
  const isVerified = isYes(email_verified) || isYes(xms_edov)
  const address = typeof email === 'string' ? email.toLowerCase() : ''
  return {
    issuer,
    subject: String(sub),
    email: isVerified && EMAIL.test(address) ? address : null,
    name: typeof name === 'string' ? name.replaceAll(/\p{C}/gu, '').slice(0, 200) || null : null,
  }
}

/** Some providers write booleans as strings or numbers. */
const isYes = (claim: unknown) => claim === true || claim === 'true' || claim === 1 || claim === '1'

/** Only printable ASCII, so that an address cannot look like another. */
const EMAIL = /^[!-?[-~]{1,64}@[a-z0-9.-]{1,189}$/

/** Returns the issuer, and where its keys are. @param named the issuer that a token names @returns no address for a token of another issuer, without asking the provider */
export async function findKeysUrl(
  settings: OpenIdSettings,
  named: string | undefined,
): Promise<{ issuer: string; keysUrl: string | undefined }> {
  if (!isSameIssuer(named, settings.issuer)) return { issuer: settings.issuer, keysUrl: undefined }
  const { issuer, jwks_uri } = (await openFlow(settings)).configuration.serverMetadata()
  return { issuer, keysUrl: jwks_uri }
}

const flows = new Map<string, { flow: Promise<Flow>; untilMs: number }>()

/** Returns what the provider says about itself, which a process reads once in a while. */
function openFlow(settings: OpenIdSettings): Promise<Flow> {
  const key = JSON.stringify(settings)
  const known = flows.get(key)
  if (known && known.untilMs > Date.now()) return known.flow
  const flow = discover(settings)
  flows.set(key, { flow, untilMs: Date.now() + MAX_METADATA_MS })
  flow.catch(() => flows.delete(key))
  return flow
}

async function discover({ issuer, clientId, clientSecret }: OpenIdSettings): Promise<Flow> {
  const client = await loadClient()
  const provider = new URL(issuer).host
  const settings = 'SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID, SIGN_IN_CLIENT_SECRET or the callback URL at the provider'
  const words = { client, provider, settings }
  const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)]
  let named: unknown
  try {
    const configuration = await client.discovery(
      new URL(issuer),
      clientId,
      undefined,
      (server, ...rest) => {
        const supported = server.token_endpoint_auth_methods_supported
        return (supported?.includes('client_secret_basic') === false ? post : basic)(server, ...rest)
      },
      {
        timeout: CALL_MS / 1000,
        [client.customFetch]: (address, init) => askProvider(provider, address, init as RequestInit),
        execute: [
          // The code flow does not require it, but then whoever can answer for the provider could write any ID token.
          client.enableNonRepudiationChecks,
          ...(isLoopback(new URL(issuer).hostname) ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    const { issuer: answered } = configuration.serverMetadata()
    named = answered
    // Microsoft's addresses for all tenants are a provider that lets everybody in.
    if (isSameIssuer(answered, issuer)) return { ...words, configuration }
  } catch (error) {
    named = findNamedIssuer(error)
    const failure = describeFailure(words, error)
    if (failure.code === 'unavailable') throw failure
  }
  const document = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const described = typeof named === 'string' ? `the issuer ${printable(named)}, not ${issuer}` : 'no issuer'
  throw new HubError(
    'unavailable',
    `${provider} is not set up for signing in: ${document} describes ${described}. Correct SIGN_IN_ISSUER.`,
    { retryAfterSeconds: 60 },
  )
}

/** Returns the issuer that a discovery document names, from the library’s error about one that is not the expected issuer. */
function findNamedIssuer(error: unknown): unknown {
  const details = error instanceof Error ? error.cause : undefined
  return isObject(details) && isObject(details.body) ? details.body.issuer : undefined
}
