// Lets only readers read a hub for readers (READ_ACCESS=members): stands in front of every address, static file and cache, and answers strangers before anything is looked up.

import { openReaders, type ReaderChecks, type Readers } from '../../account/find-reader.ts'
import { makeCookies } from '../../account/session.ts'
import { safeReturnPath } from '../../account/sign-in.ts'
import { parseBuilt, type SiteFiles } from '../../built/site-files.ts'
import { METRICS_ADDRESS } from '../../catalogue/published/addresses.ts'
import type { ReadAccess } from '../../config.ts'
import { trustedJobsPath } from '../../domain/access/memberships.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { TrustedPublisher } from '../../domain/content/front-matter.ts'
import { currentConfig, type ServerHub } from '../../hub/open-hub.ts'
import { failedTokensOf, jobVerifier } from '../../hub/open-publish-hub.ts'
import { cookieSecretOf } from '../../hub/open-sign-in.ts'
import { findHolder, openAccess, openAdmission } from '../../hub/people.ts'
import { toHubError } from '../../log.ts'
import { CODES, Refusal, respondWithRefusal } from '../../server/mcp/protocol.ts'
import { respondWithError } from '../../server/refusals.ts'
import { pathOf, queryOf } from '../../server/request.ts'
import { isBlocked, isLoginBlocked } from '../../state/blocks.ts'
import { openPeople } from '../../state/sessions.ts'
import type { StateStore } from '../../state/state-store.ts'
import { findToken } from '../../state/tokens.ts'
import type { Answer } from './http/answer.ts'
import { answerOAuthAddress, challengeOf } from './oauth-addresses.ts'
import { opennessOf } from './open-addresses.ts'

interface GuardOptions {
  readers: Readers
  /** The hub's URL, whose settings page creates tokens. */
  baseUrl: string
  /** The sign-in provider whose access tokens MCP clients may send. */
  issuer?: string | undefined
  /** Whether the hub serves its metrics, without authentication. */
  hasMetrics: boolean
}

/** The same sentence for every address, whether or not it exists, and for every missing, unknown, expired or revoked token. */
const strangerMessage = (baseUrl: string) =>
  `Only readers may read this hub. Sign in at ${baseUrl}/settings, or create a token there with the permission read, and send it as "Authorization: Bearer hub_…".`

/** Refuses requests of strangers at every address that is not open. */
export function guardReaders(answer: Answer, { baseUrl, issuer, readers, hasMetrics }: GuardOptions): Answer {
  const stranger = strangerMessage(baseUrl)
  return async (request, client) => {
    const path = pathOf(request.url)
    const oauth = answerOAuthAddress(request, path, { baseUrl, issuer })
    if (oauth) return oauth
    const isOpenMetrics = hasMetrics && path === METRICS_ADDRESS && ['GET', 'HEAD'].includes(request.method)
    const openness = isOpenMetrics ? 'whole' : opennessOf(path)
    if (openness === 'whole') return answer(request, client)
    let isReader = false
    try {
      const found = readers.isReader(request, client)
      isReader = found === true || (await found)
    } catch (thrown) {
      if (openness === undefined || openness === 'signed-out') return refuse(request, path, toHubError(thrown))
    }
    if (isReader) return answer(request, client)
    if (openness === 'signed-out' && (request.method === 'GET' || request.method === 'HEAD'))
      return answer(withoutSession(request), client)
    if (openness === 'short') return shorten(await answer(request, client))
    if (openness === 'file') {
      const file = await answer(request, client)
      if (file.status < 400) return file
      await file.body?.cancel()
    }
    if (isNavigation(request, path)) return redirectToSignIn(request)
    const refusal = refuse(request, path, new HubError('unauthorized', stranger))
    if (path === '/mcp' && issuer !== undefined) refusal.headers.set('WWW-Authenticate', challengeOf(baseUrl))
    return refusal
  }
}

/** What programs request that send a password once they are asked for it: git, and readers of feeds. */
const ASKS = /\/(?:skills\.git\/[\w/-]+|feed\.xml)$/

/** The endpoint of MCP has its own form of errors, and some programs ask for a password only if they are told to. */
function refuse(request: Request, path: string, error: HubError): Response {
  if (ASKS.test(path)) {
    const answer = respondWithError(request, error)
    if (answer.status === 401) answer.headers.set('WWW-Authenticate', 'Basic realm="Prompt Hub"')
    return answer
  }
  if (path !== '/mcp') return respondWithError(request, error)
  const { status, headers } = respondWithError(request, error)
  const answer = respondWithRefusal(request, new Refusal(status, CODES.refused, error.message))
  for (const name of ['WWW-Authenticate', 'Retry-After']) {
    const value = headers.get(name)
    if (value !== null) answer.headers.set(name, value)
  }
  return answer
}

/** Returns whether a browser opens a page. Feed readers take pages, too, but they do not navigate: a browser must not ask for a password, which it would send with everything from then on. */
function isNavigation({ method, headers }: Request, path: string): boolean {
  const takesPages = method === 'GET' && headers.get('Accept')?.includes('text/html') === true
  return takesPages && (!ASKS.test(path) || headers.get('Sec-Fetch-Mode') === 'navigate')
}

/** Returns the same request of somebody whom nobody knows. */
function withoutSession({ url, method, headers: given }: Request): Request {
  const headers = new Headers(given)
  for (const name of ['Cookie', 'Authorization']) headers.delete(name)
  return new Request(url, { method, headers })
}

function redirectToSignIn({ url }: Request): Response {
  const wanted = safeReturnPath(`${pathOf(url)}${queryOf(url)}`)
  const headers = { Location: `/auth/sign-in?return_to=${encodeURIComponent(wanted)}`, 'Cache-Control': 'no-store' }
  return new Response(null, { status: 303, headers })
}

/** Leaves only what says whether the hub is alive: the problems of its content name prompts. */
async function shorten(answer: Response): Promise<Response> {
  const { status, headers } = answer
  const text = await answer.text()
  if (!headers.get('Content-Type')?.startsWith('application/json') || text === '')
    return new Response(null, { status, headers })
  const { status: word, version, unready } = JSON.parse(text)
  const parts = Array.isArray(unready) ? { unready: unready.map(({ part }: { part: string }) => ({ part })) } : {}
  const headersLeft = new Headers(headers)
  headersLeft.delete('Content-Length')
  return new Response(`${JSON.stringify({ status: word, version, ...parts })}\n`, { status, headers: headersLeft })
}

/** The keys whose removal or change takes rights away. */
const RIGHTS = /^(?:sessions|tokens|blocks|generations|logins|identities)\//

/** Connects the check of readers with the state store, so that the guard forgets the rights that this process takes away. Rights that other processes take away end after `RIGHTS_KEPT_MS`. */
export function openRights() {
  let readers: Readers | undefined
  return {
    /** Wraps a store so that its changes of rights are noticed. */
    watch<State extends StateStore>(state: State): State {
      const noting =
        <Given extends [key: string, ...unknown[]], Value>(call: (...given: Given) => Promise<Value>) =>
        async (...given: Given): Promise<Value> => {
          try {
            return await call(...given)
          } finally {
            if (RIGHTS.test(given[0])) readers?.forget()
          }
        }
      return { ...state, set: noting(state.set), replace: noting(state.replace), delete: noting(state.delete) }
    },
    /** Opens the check of readers. */
    open(deps: ReaderChecks): Pick<GuardOptions, 'readers'> {
      readers = openReaders(deps)
      return { readers }
    },
  }
}

/** Returns what the guard checks readers with. @param hubOf returns the build that is served */
export async function connectReaders(
  { proxyHeader }: Extract<ReadAccess, { kind: 'members' }>,
  state: StateStore,
  hubOf: () => ServerHub,
): Promise<ReaderChecks> {
  const config = currentConfig()
  const { baseUrl, signIn } = config
  const people = openPeople(state)
  return {
    baseUrl,
    readSession: makeCookies(baseUrl, cookieSecretOf(signIn)).readSession,
    findSession: (secret, now) => people.findSession(secret, now),
    findToken: (token) => findToken(state, token),
    findHolder: (person) => findHolder(person, config, hubOf(), state),
    isBlocked: (person) => isBlocked(state, person),
    verifyJob: jobVerifier(config),
    // A job's token is used up by a publish alone, because a job reads more than once.
    spendJob: async () => true,
    admits: openAdmission(config),
    findAccess: openAccess(config, state),
    proxyHeader,
    isLoginBlocked: (login) => isLoginBlocked(state, login),
    trustedIn: (repositoryId) => readTrusted(hubOf().files, repositoryId),
    failures: await failedTokensOf(config),
  }
}

async function readTrusted(files: SiteFiles, repositoryId: string): Promise<readonly TrustedPublisher[]> {
  const bytes = await files.read(trustedJobsPath(repositoryId))
  return bytes ? parseBuilt<TrustedPublisher[]>(bytes) : []
}
