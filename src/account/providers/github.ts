// Signs people in with GitHub, which is no OpenID Connect provider: it says who signed in at its API. The access token is used once, and is neither stored nor logged.
import * as z from 'zod'
import type { Person } from '../../domain/access/person.ts'
import { HubError } from '../../domain/api/errors.ts'
import { Handle } from '../../domain/values/values.ts'
import { askProvider, unexpectedAnswer } from './ask-provider.ts'
import { buildSignInUrl, exchangeCode, type Flow, type FlowNote, loadClient } from './code-flow.ts'

/** The OAuth app of the hub on GitHub or GitHub Enterprise. */
interface GithubSettings {
  oauthUrl: string
  apiUrl: string
  clientId: string
  clientSecret: string
}

const PROVIDER = 'GitHub'
const UserAnswer = z.object({ id: z.int().positive(), login: z.string() })

/** Returns the URL of GitHub's page. Requests no scope, because GitHub identifies the account without one. */
export async function startGithub(settings: GithubSettings, note: FlowNote, redirectUri: string): Promise<URL> {
  return buildSignInUrl(await openFlow(settings), note, { redirect_uri: redirectUri })
}

/** Completes a sign-in. @throws HubError as `exchangeCode`; `forbidden` for a login that is no handle */
export async function finishGithub(settings: GithubSettings, note: FlowNote, callback: URL): Promise<Person> {
  const { access_token } = await exchangeCode(await openFlow(settings), callback, note, false)
  const headers = { Authorization: `Bearer ${access_token}`, Accept: 'application/json' }
  const answer = await askProvider(PROVIDER, `${settings.apiUrl}/user`, { headers })
  const user = UserAnswer.safeParse(await answer.json().catch(() => undefined))
  if (!answer.ok || !user.success) throw unexpectedAnswer(PROVIDER, `status ${answer.status}`)
  const login = Handle.safeParse(user.data.login.toLowerCase())
  if (!login.success)
    throw new HubError(
      'forbidden',
      'This GitHub login cannot be a handle here: expected letters, digits and single hyphens.',
    )
  return { user_id: String(user.data.id), login: login.data }
}

async function openFlow({ oauthUrl, clientId, clientSecret }: GithubSettings): Promise<Flow> {
  const client = await loadClient()
  const server = {
    issuer: `${oauthUrl}/login/oauth`,
    authorization_endpoint: `${oauthUrl}/login/oauth/authorize`,
    token_endpoint: `${oauthUrl}/login/oauth/access_token`,
  }
  const configuration = new client.Configuration(server, clientId, undefined, client.ClientSecretPost(clientSecret))
  if (oauthUrl.startsWith('http:')) client.allowInsecureRequests(configuration)
  configuration[client.customFetch] = async (address, init) =>
    correctStatus(await askProvider(PROVIDER, address, init as RequestInit))
  const settings = 'GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET or the OAuth app’s callback URL'
  return { client, configuration, provider: PROVIDER, settings }
}

/** GitHub reports errors with status 200, where RFC 6749 requires 400. */
async function correctStatus(answer: Response): Promise<Response> {
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined)
  const isError = answer.status === 200 && typeof body === 'object' && body !== null && 'error' in body
  return isError ? Response.json(body, { status: 400 }) : answer
}
