// Handles the account routes: checks each request and responds with a page.
import { ACCOUNT_ADDRESSES, type AccountAddress } from '../../domain/api/addresses.ts'
import { ERRORS, HubError } from '../../domain/api/errors.ts'
import { toHubError } from '../../ports/log.ts'
import type { Connect } from '../connect.ts'
import { refuseMethod, refuseRate } from '../refusals.ts'
import { drawAccount } from './account-page.ts'
import { createToken, revokeToken, viewAccount } from './account-tokens.ts'
import { answerTrouble, protect, type Visited } from './respond-account.ts'
import { requireSameOrigin } from './session.ts'
import { beginSignIn, finishGithub, finishLocal, githubAddress, redirectTo, type SignIn } from './sign-in.ts'
import { drawLinkNeeded, drawLocalSignIn, drawSignIn, drawSignInOff } from './sign-in-pages.ts'
import { type AccountDependencies, openVisit, readForm, requireForm, type Visit } from './visit.ts'

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
export async function answerAccount(request: Request, connect: Connect<AccountDependencies>): Promise<Response> {
  const now = new Date()
  let dependencies: AccountDependencies | undefined
  try {
    dependencies = await connect()
    const waitSeconds = dependencies.limiter.take(dependencies.clientAddress)
    if (waitSeconds > 0) throw refuseRate('requests', waitSeconds)
    const visited = await visit(request, dependencies, now)
    return await protect(visited, 200, request, dependencies)
  } catch (thrown) {
    const error = toHubError(thrown)
    return await answerTrouble(request, error, dependencies)
  }
}

async function visit(request: Request, dependencies: AccountDependencies, now: Date): Promise<Visited> {
  const { pathname } = new URL(request.url)
  const path = pathname.replace(/\/$/, '')
  if (!isAccountAddress(path) || !isOpen(path, dependencies.signIn)) throw notFound()
  const handlers: Readonly<Record<string, Handler>> = HANDLERS[path]
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined
  if (!handler) throw refuseMethod(request.method, ACCOUNT_ADDRESSES[path])
  if (method === 'POST') requireSameOrigin(request, dependencies.baseUrl)
  return handler(await openVisit(request, dependencies, now))
}

const isAccountAddress = (path: string): path is AccountAddress => Object.hasOwn(ACCOUNT_ADDRESSES, path)

/** Returns whether a route exists on this hub; the routes of other sign-in methods respond as if they did not exist. */
function isOpen(path: string, { kind }: SignIn): boolean {
  if (kind === 'off') return path === '/settings'
  return path !== (kind === 'github' ? '/auth/local' : '/auth/callback')
}

async function showAccount(visited: Visit): Promise<Visited> {
  const { request, session, dependencies } = visited
  const done = new URL(request.url).searchParams.get('done') ?? ''
  const notice = Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined
  if (dependencies.signIn.kind === 'off') return drawSignInOff()
  return session
    ? drawAccount(await viewAccount(visited, session, { notice }))
    : dependencies.signIn.kind === 'local'
      ? drawLinkNeeded({ notice })
      : drawSignIn({ notice })
}

async function startSignIn({ request, dependencies, now, ...tools }: Visit): Promise<Visited> {
  if (dependencies.signIn.kind !== 'github') return drawLinkNeeded()
  const { note, cookie } = beginSignIn(request, tools, now)
  return redirectTo(githubAddress(dependencies.signIn, note, tools.baseUrl), [cookie])
}

/** Responds to the printed sign-in link with a form. Only submitting the form uses up the key, because a GET changes nothing. */
async function startLocalSignIn({ request, dependencies, now, ...tools }: Visit): Promise<Visited> {
  const { signIn } = dependencies
  const key = new URL(request.url).searchParams.get('key')
  if (signIn.kind !== 'local' || key === null || !signIn.keys.isGood(key))
    return protect(drawLinkNeeded(), ERRORS.forbidden.status, request, dependencies)
  const { note, cookie } = beginSignIn(request, tools, now)
  const answer = await protect(drawLocalSignIn({ state: note.state, key }), 200, request, dependencies)
  answer.headers.append('Set-Cookie', cookie)
  return answer
}

async function endGithubSignIn({ request, dependencies, now, ...tools }: Visit): Promise<Visited> {
  if (dependencies.signIn.kind !== 'github' || request.method !== 'GET') throw notFound()
  return finishGithub(request, dependencies.signIn, tools, now)
}

async function endLocalSignIn({ request, dependencies, now, ...tools }: Visit): Promise<Visited> {
  if (dependencies.signIn.kind !== 'local') throw notFound()
  return finishLocal(request, await readForm(request), dependencies.signIn.keys, tools, now)
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
