// Handles the account routes: checks each request and responds with a page.
import { ACCOUNT_ADDRESSES, type AccountAddress } from '../../domain/api/addresses.ts'
import { ERRORS, HubError } from '../../domain/api/errors.ts'
import { toHubError } from '../../ports/log.ts'
import type { Connect } from '../connect.ts'
import { methodNotAllowed, rateLimitError } from '../refusals.ts'
import { renderAccount } from './account-page.ts'
import { createToken, revokeToken, viewAccount } from './account-tokens.ts'
import { protect, respondWithErrorPage, type Visited } from './respond-account.ts'
import { requireSameOrigin } from './session.ts'
import { beginSignIn, finishGithub, finishLocal, githubAddress, redirectTo, type SignIn } from './sign-in.ts'
import { renderLinkNeeded, renderLocalSignIn, renderSignIn, renderSignInOff } from './sign-in-pages.ts'
import { type AccountDeps, openVisit, readForm, requireForm, type Visit } from './visit.ts'

type Handler = (visit: Visit) => Promise<Visited>

/** Handlers for exactly the methods in the route table; HEAD is handled as GET, but without a body. */
type Handlers = {
  readonly [Path in AccountAddress]: Readonly<
    Record<Exclude<(typeof ACCOUNT_ADDRESSES)[Path][number], 'HEAD'>, Handler>
  >
}

/** All account routes, with their handlers by method. Only POST changes anything, except for the callback: GitHub redirects browsers to it with a GET, which completes the sign-in. */
const HANDLERS: Handlers = {
  '/settings': { GET: showAccount },
  // After the form is submitted, the browser is at this URL, and reloading it must not cause an error.
  '/settings/tokens': { GET: async () => redirectTo('/settings'), POST: createToken },
  '/settings/tokens/revoke': { GET: async () => redirectTo('/settings'), POST: revokeToken },
  '/auth/sign-in': { GET: startSignIn },
  '/auth/callback': { GET: endGithubSignIn },
  '/auth/local': { GET: startLocalSignIn, POST: endLocalSignIn },
  '/auth/sign-out': { POST: signOut },
  '/auth/sign-out-everywhere': { POST: signOutEverywhere },
}

/** The messages shown after a redirect, by the keyword in the redirect's URL. */
const NOTICES: Readonly<Record<string, string>> = {
  revoked: 'The token was revoked.',
  'signed-out': 'You are signed out.',
  'signed-out-everywhere': 'You are signed out on all devices.',
}

/** Handles one request to an account route. Never throws. */
export async function handleAccount(request: Request, connect: Connect<AccountDeps>): Promise<Response> {
  const now = new Date()
  let deps: AccountDeps | undefined
  try {
    deps = await connect()
    const waitSeconds = await deps.limiter.take(deps.clientAddress)
    if (waitSeconds > 0) throw rateLimitError('requests', waitSeconds)
    const visited = await visit(request, deps, now)
    return await protect(visited, 200, request, deps)
  } catch (thrown) {
    const error = toHubError(thrown)
    return await respondWithErrorPage(request, error, deps)
  }
}

async function visit(request: Request, deps: AccountDeps, now: Date): Promise<Visited> {
  const { pathname } = new URL(request.url)
  const path = pathname.replace(/\/$/, '')
  if (!isAccountAddress(path) || !isOpen(path, deps.signIn)) throw notFound()
  const handlers: Readonly<Record<string, Handler>> = HANDLERS[path]
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined
  if (!handler) throw methodNotAllowed(request.method, ACCOUNT_ADDRESSES[path])
  if (method === 'POST') requireSameOrigin(request, deps.baseUrl)
  return handler(await openVisit(request, deps, now))
}

const isAccountAddress = (path: string): path is AccountAddress => Object.hasOwn(ACCOUNT_ADDRESSES, path)

/** Returns whether a route exists on this hub; the routes of other sign-in methods respond as if they did not exist. */
function isOpen(path: string, { kind }: SignIn): boolean {
  if (kind === 'off') return path === '/settings'
  return path !== (kind === 'github' ? '/auth/local' : '/auth/callback')
}

async function showAccount(visited: Visit): Promise<Visited> {
  const { request, session, deps } = visited
  const done = new URL(request.url).searchParams.get('done') ?? ''
  const notice = Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined
  if (deps.signIn.kind === 'off') return renderSignInOff()
  return session
    ? renderAccount(await viewAccount(visited, session, { notice }))
    : deps.signIn.kind === 'local'
      ? renderLinkNeeded({ notice })
      : renderSignIn({ notice })
}

async function startSignIn({ request, deps, now, ...signInDeps }: Visit): Promise<Visited> {
  if (deps.signIn.kind !== 'github') return renderLinkNeeded()
  const { note, cookie } = beginSignIn(request, signInDeps, now)
  return redirectTo(githubAddress(deps.signIn, note, signInDeps.baseUrl), [cookie])
}

/** Responds to the printed sign-in link with a form. Only submitting the form uses up the key, because a GET changes nothing. */
async function startLocalSignIn({ request, deps, now, ...signInDeps }: Visit): Promise<Visited> {
  const { signIn } = deps
  const key = new URL(request.url).searchParams.get('key')
  if (signIn.kind !== 'local' || key === null || !signIn.keys.isGood(key))
    return protect(renderLinkNeeded(), ERRORS.forbidden.status, request, deps)
  const { note, cookie } = beginSignIn(request, signInDeps, now)
  const answer = await protect(renderLocalSignIn({ state: note.state, key }), 200, request, deps)
  answer.headers.append('Set-Cookie', cookie)
  return answer
}

async function endGithubSignIn({ request, deps, now, ...signInDeps }: Visit): Promise<Visited> {
  if (deps.signIn.kind !== 'github' || request.method !== 'GET') throw notFound()
  return finishGithub(request, deps.signIn, signInDeps, now)
}

async function endLocalSignIn({ request, deps, now, ...signInDeps }: Visit): Promise<Visited> {
  if (deps.signIn.kind !== 'local') throw notFound()
  return finishLocal(request, await readForm(request), deps.signIn.keys, signInDeps, now)
}

async function signOut(visited: Visit): Promise<Visited> {
  await requireForm(visited, 'sign-out')
  await visited.accounts.endSession(visited.sessionSecret ?? '')
  return redirectTo('/settings?done=signed-out', [visited.cookies.clearSession()])
}

async function signOutEverywhere(visited: Visit): Promise<Visited> {
  const { session } = await requireForm(visited, 'sign-out-everywhere')
  await visited.accounts.endAllSessions(session.person.user_id)
  await visited.accounts.endSession(visited.sessionSecret ?? '')
  return redirectTo('/settings?done=signed-out-everywhere', [visited.cookies.clearSession()])
}

function notFound(): HubError {
  return new HubError('not_found', 'Page not found.')
}
