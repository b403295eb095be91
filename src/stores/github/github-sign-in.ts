// Gets the user who signed in from GitHub. The access token is used once, and is neither stored nor logged.
import * as z from 'zod'
import type { Person } from '../../domain/access/account.ts'
import { HubError } from '../../domain/api/errors.ts'
import { Handle } from '../../domain/values/values.ts'

interface GithubSignIn {
  oauthUrl: string
  apiUrl: string
  clientId: string
  clientSecret: string
}

/** The code that the browser received from GitHub, and the hub's secret for the exchange. */
interface Grant {
  code: string
  verifier: string
  redirectUri: string
}

/** Time limit for a call: long enough for a slow GitHub, short enough for a waiting user. */
const CALL_MS = 5_000

/** GitHub's response to a code; errors also have status 200. */
const TokenAnswer = z.union([z.object({ access_token: z.string().min(1) }), z.object({ error: z.string() })])
const UserAnswer = z.object({ id: z.int().positive(), login: z.string() })

/**
 * Exchanges a code for the user who signed in.
 *
 * @throws HubError `invalid_request` for a code that was already used, has expired or was not issued to this hub, `unavailable` if GitHub is down or the settings are wrong, `upstream_error` for an invalid response
 */
export async function exchangeCode(
  { oauthUrl, apiUrl, clientId, clientSecret }: GithubSignIn,
  grant: Grant,
): Promise<Person> {
  const answer = await ask(`${oauthUrl}/login/oauth/access_token`, TokenAnswer, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      code: grant.code,
      redirect_uri: grant.redirectUri,
      code_verifier: grant.verifier,
    }),
  })
  if ('error' in answer) throw signInError(answer.error)
  const user = await ask(`${apiUrl}/user`, UserAnswer, { headers: { Authorization: `Bearer ${answer.access_token}` } })
  const login = Handle.safeParse(user.login.toLowerCase())
  if (!login.success)
    throw new HubError(
      'forbidden',
      'This GitHub login cannot be a handle here: expected letters, digits and single hyphens.',
    )
  return { user_id: String(user.id), login: login.data }
}

function signInError(error: string): HubError {
  if (error === 'bad_verification_code')
    return new HubError('invalid_request', 'This sign-in has expired or was already completed. Sign in again.')
  if (error === 'incorrect_client_credentials' || error === 'redirect_uri_mismatch')
    return new HubError(
      'unavailable',
      'GitHub rejected this hub: GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET or the OAuth app’s callback URL is wrong.',
      { retryAfterSeconds: 60 },
    )
  return new HubError('upstream_error', 'GitHub rejected the sign-in. Sign in again.', {
    cause: `error ${error.slice(0, 80)}`,
  })
}

async function ask<Schema extends z.ZodType>(
  address: string,
  schema: Schema,
  init: RequestInit,
): Promise<z.output<Schema>> {
  const answer = await fetch(address, {
    ...init,
    headers: { ...init.headers, Accept: 'application/json', 'User-Agent': 'prompt-hub' },
    signal: AbortSignal.timeout(CALL_MS),
    redirect: 'error',
  }).catch((cause) => {
    throw githubIsDown(cause)
  })
  if (answer.status >= 500 || answer.status === 429) throw githubIsDown(`status ${answer.status}`)
  const body: unknown = await answer.json().catch(() => undefined)
  const parsed = schema.safeParse(body)
  // The body may contain a token, so the error does not include it.
  if (!answer.ok || !parsed.success)
    throw new HubError('upstream_error', 'GitHub sent an unexpected response. Try again in a few minutes.', {
      cause: `status ${answer.status}`,
    })
  return parsed.data
}

function githubIsDown(cause: unknown): HubError {
  return new HubError('unavailable', 'GitHub cannot be reached. Try again in a few seconds.', {
    cause,
    retryAfterSeconds: 5,
  })
}
