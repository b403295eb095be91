// Handles the account routes: checks each request and responds with a page.

import { ACCOUNT_ADDRESSES, type AccountAddress } from '../catalogue/published/addresses.ts'
import type { Session } from '../domain/access/account.ts'
import type { ShownSession } from '../domain/access/shown-session.ts'
import { ERRORS, HubError } from '../domain/api/errors.ts'
import { headersOf } from '../domain/api/site-headers.ts'
import { logAudit, toHubError } from '../log.ts'
import type { Connect } from '../server/hub.ts'
import { methodNotAllowed } from '../server/refusals.ts'
import { DEVICE_MINUTES, invitationLink } from '../state/invitations.ts'
import { createToken, revokeToken, viewTokens } from './account-tokens.ts'
import { findNotice, pageNotFound, protect, respondToVisit, type Visited } from './respond-account.ts'
import { csrfToken, requireSameOrigin } from './session.ts'
import {
  beginSignIn,
  finishInvitation,
  finishLocal,
  finishProvider,
  KINDS,
  linkToSignIn,
  offerSignIn,
  type ProviderKind,
  redirectTo,
  returnPathOf,
  safeReturnPath,
  startProvider,
  whoIs,
} from './sign-in.ts'
import { type AccountView, type DeviceLinkView, signInPage } from './views.ts'
import { type AccountDeps, openVisit, type Provider, requireForm, type SignIn, type Visit } from './visit.ts'

type Handler = (visit: Visit) => Promise<Visited>

/** A handler for each method in the route table. HEAD is handled like GET, but without a body. */
type Handlers = {
  readonly [Path in AccountAddress]: Readonly<
    Record<Exclude<(typeof ACCOUNT_ADDRESSES)[Path][number], 'HEAD'>, Handler>
  >
}

/** All account routes, with their handlers by method. Only POST requests change anything, with one exception: providers redirect browsers to the callback with a GET, which completes the sign-in. */
const HANDLERS: Handlers = {
  '/settings': { GET: showTab(viewPrompts) },
  '/settings/session': { GET: showTab(viewSession) },
  // After a form is submitted, the browser stays at this URL, and reloading it must not cause an error.
  '/settings/tokens': { GET: showTab(viewTokens), POST: createToken },
  '/settings/tokens/revoke': { GET: async () => redirectTo('/settings/tokens'), POST: revokeToken },
  '/settings/devices': { GET: async () => redirectTo('/settings/session'), POST: addDevice },
  '/auth/session': { GET: showSession },
  '/auth/sign-in': { GET: startSignIn },
  '/auth/callback': { GET: (visit) => endSignIn(visit, 'github') },
  '/auth/callback/oidc': { GET: (visit) => endSignIn(visit, 'oidc') },
  '/auth/local': { GET: startLocalSignIn, POST: endLocalSignIn },
  '/auth/invitation': { GET: showInvitation, POST: acceptInvitation },
  '/auth/sign-out': { POST: signOut },
  '/auth/sign-out-everywhere': { POST: signOutEverywhere },
}

/** The messages shown after a redirect, by the keyword in the redirect's URL, with what fills their slot in double braces. */
const NOTICES: Readonly<Record<string, string>> = {
  deleted: 'The prompt was {{deleted}}. Its version numbers are never used again.',
  revoked: 'The token was {{revoked}}.',
  'signed-out': 'You are {{signed out}}.',
  'signed-out-everywhere': 'You are {{signed out}} on all devices.',
}

/** Handles one request to an account route. Never throws. */
export function handleAccount(request: Request, connect: Connect<AccountDeps>): Promise<Response> {
  const isSignIn = SIGN_INS.test(new URL(request.url).pathname)
  return respondToVisit(
    request,
    connect,
    (deps) => visit(request, deps),
    (deps) => (isSignIn ? linkToSignIn(request, deps) : undefined),
  )
}

/** Where a sign-in can fail. */
const SIGN_INS = /^\/auth\/(?:sign-in|callback|callback\/oidc|local|invitation)\/?$/

async function visit(request: Request, deps: AccountDeps): Promise<Visited> {
  const { pathname } = new URL(request.url)
  const path = pathname.replace(/\/$/, '')
  if (!isAccountAddress(path) || !isOpen(path, deps.signIn)) throw pageNotFound()
  const handlers: Readonly<Record<string, Handler>> = HANDLERS[path]
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined
  if (!handler) throw methodNotAllowed(request.method, ACCOUNT_ADDRESSES[path])
  if (method === 'POST') requireSameOrigin(request, deps.baseUrl)
  return handler(await openVisit(request, deps, new Date()))
}

const isAccountAddress = (path: string): path is AccountAddress => Object.hasOwn(ACCOUNT_ADDRESSES, path)

/** Returns whether a route exists on this hub. Routes for other sign-in methods respond with 404. */
function isOpen(path: string, signIn: SignIn): boolean {
  if (signIn.kind === 'off') return path === '/settings'
  if (path === '/auth/invitation' || path === '/settings/devices') return signIn.kind === 'invited'
  if (path === '/auth/local') return signIn.kind === 'local'
  const { github, oidc } = signIn.kind === 'providers' ? signIn.providers : {}
  return !(path === '/auth/callback' && !github) && !(path === '/auth/callback/oidc' && !oidc)
}

/** Shows a tab of the account; the first one also to those who are not signed in. */
function showTab(view: (visit: Visit, session: Session, notice?: string) => Promise<AccountView>): Handler {
  return async (visited) => {
    const { request, session, deps } = visited
    const { pathname, searchParams } = new URL(request.url)
    const notice = findNotice(request, NOTICES)
    if (deps.signIn.kind === 'off') return signInPage({ kind: 'off' })
    if (session) return view(visited, session, notice)
    const returnTo = searchParams.has('return_to') ? returnPathOf(request) : pathname
    return offerSignIn(visited, 200, returnTo, notice)
  }
}

async function viewPrompts({ deps }: Visit, { person }: Session, notice?: string): Promise<AccountView> {
  const owners = await deps.ownersOf(person)
  const prompts = await deps.promptsOf(owners)
  return { page: 'account', title: 'Your prompts', login: person.login, tab: 'prompts', owners, prompts, notice }
}

async function viewSession({ deps }: Visit, session: Session, notice?: string): Promise<AccountView> {
  const { person, created_at, expires_at } = session
  return {
    page: 'account',
    title: 'Your session',
    login: person.login,
    tab: 'session',
    session: { person, created_at, expires_at },
    csrf: {
      'add-device': deps.signIn.kind === 'invited' ? csrfToken(session, 'add-device') : undefined,
      'sign-out': csrfToken(session, 'sign-out'),
      'sign-out-everywhere': csrfToken(session, 'sign-out-everywhere'),
    },
    notice,
  }
}

/** Tells a page's script who is signed in. Pages themselves are the same for everybody, so that they can be cached. */
async function showSession({ request, session, deps, cookies }: Visit): Promise<Visited> {
  // Other origins cannot read the response. Over plain http, browsers do not say which origin asks, so the header may be missing.
  if ((request.headers.get('Sec-Fetch-Site') ?? 'same-origin') !== 'same-origin')
    throw new HubError('forbidden', 'Only pages of this hub may ask who is signed in.')
  const headers = new Headers({ ...headersOf('/settings'), 'Content-Type': 'application/json; charset=utf-8' })
  headers.set('Cache-Control', 'no-store')
  headers.set('Cross-Origin-Resource-Policy', 'same-origin')
  if (!session) for (const cookie of cookies.clearSession()) headers.append('Set-Cookie', cookie)
  const data = session && (await shownOf(session, deps))
  const body = JSON.stringify({ data: data ?? null })
  return new Response(request.method === 'HEAD' ? null : body, { headers })
}

async function shownOf(session: Session, deps: AccountDeps): Promise<ShownSession> {
  const { person } = session
  return {
    login: person.login,
    owners: await deps.ownersOf(person),
    csrf: csrfToken(session, 'edit'),
    sign_out_csrf: csrfToken(session, 'sign-out'),
  }
}

/** Redirects to the provider, or shows a page on which to choose one of several. */
async function startSignIn(visit: Visit): Promise<Visited> {
  const { signIn } = visit.deps
  if (signIn.kind !== 'providers') return offerSignIn(visit, 200, returnPathOf(visit.request))
  const { searchParams } = new URL(visit.request.url)
  const offered = KINDS.flatMap((kind) => {
    const provider = signIn.providers[kind]
    return provider ? [{ kind, provider }] : []
  })
  const chosen = offered.length === 1 ? offered[0] : offered.find(({ kind }) => kind === searchParams.get('provider'))
  if (chosen) return startProvider(visit, chosen.kind, chosen.provider)
  return offerSignIn(visit, 200, returnPathOf(visit.request))
}

/** Responds to the printed sign-in link with a form. The key is used up only when the form is submitted, because a GET must not change anything. */
async function startLocalSignIn(visit: Visit): Promise<Visited> {
  const { request, deps } = visit
  const { signIn } = deps
  const key = new URL(request.url).searchParams.get('key')
  if (signIn.kind !== 'local' || key === null || !(await signIn.keys.isGood(key)))
    return protect(signInPage({ kind: 'link-needed' }), ERRORS.forbidden.status, request, deps)
  const [before] = visit.cookies.readSignIns(request, visit.now)
  const returnTo = before?.return_to ?? returnPathOf(request)
  const { note, cookie } = beginSignIn(visit, 'local', safeReturnPath(returnTo))
  return protect(signInPage({ kind: 'local', state: note.state, key }), 200, request, deps, [cookie])
}

/** Shows whom a link signs in, with a button. Programs open links in mails, so opening one uses nothing up. */
async function showInvitation({ request, deps, now }: Visit): Promise<Visited> {
  const { signIn } = deps
  const key = new URL(request.url).searchParams.get('key')
  const person = signIn.kind === 'invited' ? await signIn.invitations.find(key, now) : undefined
  if (!person || key === null)
    return protect(signInPage({ kind: 'invitation-needed', isUsed: true }), ERRORS.forbidden.status, request, deps)
  return signInPage({ kind: 'invited', login: person.login, key })
}

async function acceptInvitation(visit: Visit): Promise<Visited> {
  const { signIn } = visit.deps
  if (signIn.kind !== 'invited') throw pageNotFound()
  return finishInvitation(visit, signIn.invitations)
}

/** Shows a link for a further device of the signed-in user. */
async function addDevice(visited: Visit): Promise<Visited> {
  const { session } = await requireForm(visited, 'add-device')
  const { deps, now } = visited
  if (deps.signIn.kind !== 'invited') throw pageNotFound()
  const key = await deps.signIn.invitations.addDevice(session.person, now)
  logAudit('device_link_created', whoIs(session.person))
  const shown: DeviceLinkView = {
    page: 'device-link',
    title: 'Sign in on another device',
    link: invitationLink(deps.baseUrl, key),
    minutes: DEVICE_MINUTES,
  }
  return shown
}

async function endSignIn(visit: Visit, kind: ProviderKind): Promise<Visited> {
  const { signIn } = visit.deps
  const provider = signIn.kind === 'providers' ? signIn.providers[kind] : undefined
  if (!provider || visit.request.method !== 'GET') throw pageNotFound()
  return finishProvider(visit, kind, provider)
}

async function endLocalSignIn(visit: Visit): Promise<Visited> {
  const { signIn } = visit.deps
  if (signIn.kind !== 'local') throw pageNotFound()
  return finishLocal(visit, signIn.keys)
}

async function signOut(visited: Visit): Promise<Visited> {
  const { session } = await requireForm(visited, 'sign-out')
  await visited.deps.accounts.endSession(visited.sessionSecret ?? '')
  logAudit('sign_out', { ...whoIs(session.person), everywhere: false })
  return leave(visited, session, 'signed-out')
}

async function signOutEverywhere(visited: Visit): Promise<Visited> {
  const { session } = await requireForm(visited, 'sign-out-everywhere')
  await visited.deps.accounts.endAllSessions(session.person.user_id)
  await visited.deps.accounts.endSession(visited.sessionSecret ?? '')
  logAudit('sign_out', { ...whoIs(session.person), everywhere: true })
  return leave(visited, session, 'signed-out-everywhere')
}

/** Responds to somebody whose session has ended. A provider may still know the browser, so a page says so, and links to where that ends. */
async function leave({ request, deps, cookies }: Visit, { id_token }: Session, done: string): Promise<Visited> {
  const back = `/settings?done=${done}`
  const provider = deps.signIn.kind === 'providers' ? deps.signIn.providers.oidc : undefined
  const url = id_token && (await findSignOutUrl(provider, id_token, deps.baseUrl + back))
  if (!provider || !url) return redirectTo(back, cookies.clearSession())
  const page = signInPage({ kind: 'signed-out', provider: provider.name, url })
  return protect(page, 200, request, deps, cookies.clearSession())
}

/** Signing out of the hub must not fail because a provider is down. */
async function findSignOutUrl(provider: Provider | undefined, idToken: string, back: string) {
  try {
    return (await provider?.findSignOutUrl?.(idToken, back))?.href
  } catch (error) {
    toHubError(error)
    return undefined
  }
}
