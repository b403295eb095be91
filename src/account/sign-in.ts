// Signs users in with GitHub, an OpenID Connect provider or, in local mode, a one-time link.
import { randomBytes } from 'node:crypto'
import { blockedMessage } from '../domain/access/account.ts'
import type { Person } from '../domain/access/person.ts'
import { localPerson, type SignInKind } from '../domain/access/sign-in-kind.ts'
import { HubError } from '../domain/api/errors.ts'
import { Handle } from '../domain/values/values.ts'
import { logAudit } from '../log.ts'
import type { Invitations } from '../state/invitations.ts'
import type { LocalKeys } from './local-keys.ts'
import { protect } from './respond-account.ts'
import { isEqual, makeCookies, type SignInNote } from './session.ts'
import { signInPage } from './views.ts'
import { type AccountDeps, type Provider, readForm, type SignedIn, type Visit } from './visit.ts'

/** The default page after sign-in. */
const HOME = '/settings'

/** Returns the path to redirect to after sign-in: the given path, or the account page if the given path might lead to another site. */
export function safeReturnPath(given: string | null): string {
  return given !== null &&
    given.length <= 500 &&
    /^\/(?:[\w.~!$&'()*+,;=:@%?#-]|\/(?!\/))*$/.test(given) &&
    !given.startsWith('//')
    ? given
    : HOME
}

/** The providers' callback URLs. Each has its own, so that a provider cannot pass its answer off as that of another (RFC 9700 section 4.4.2). */
const CALLBACKS = { github: '/auth/callback', oidc: '/auth/callback/oidc' } as const

/** The kinds of provider. */
export type ProviderKind = keyof typeof CALLBACKS

/** Shows the page for somebody who is not signed in. @param returnTo a validated path */
export function offerSignIn(visit: Visit, status: number, returnTo: string, notice?: string): Promise<Response> {
  const { request, deps } = visit
  const { signIn } = deps
  if (signIn.kind === 'providers') {
    const links = KINDS.flatMap((kind) => {
      const provider = signIn.providers[kind]
      const query = new URLSearchParams({ provider: kind, return_to: returnTo })
      return provider ? [{ name: provider.name, url: `/auth/sign-in?${query}` }] : []
    })
    return protect(signInPage({ kind: 'offer', links, notice }), status, request, deps)
  }
  // The link does not know where its user comes from, but their browser does.
  const { cookie } = beginSignIn(visit, signIn.kind === 'local' ? 'local' : 'invited', returnTo)
  if (signIn.kind !== 'local')
    return protect(signInPage({ kind: 'invitation-needed', notice }), status, request, deps, [cookie])
  return protect(signInPage({ kind: 'link-needed', notice }), status, request, deps, [cookie])
}

/** The kinds of provider, in the order in which they are offered. */
export const KINDS = ['github', 'oidc'] as const satisfies readonly ProviderKind[]

/** Returns the path to return to, which the URL names. */
export const returnPathOf = ({ url }: Request): string => safeReturnPath(new URL(url).searchParams.get('return_to'))

/** Links somebody whose sign-in failed to another, which still ends at the page that was wanted. */
export function linkToSignIn(request: Request, { baseUrl, secret }: Pick<AccountDeps, 'baseUrl' | 'secret'>) {
  const notes = makeCookies(baseUrl, secret).readSignIns(request, new Date())
  const state = new URL(request.url).searchParams.get('state')
  const note = notes.find((one) => state !== null && isEqual(state, one.state)) ?? notes[0]
  const query = new URLSearchParams({ return_to: note?.return_to ?? returnPathOf(request) })
  return { href: `/auth/sign-in?${query}`, text: 'Sign in again' }
}

/** Starts a sign-in. @param returnTo a validated path @returns the cookie's content and its header value */
export function beginSignIn({ request, cookies, now }: Visit, provider: SignInNote['provider'], returnTo: string) {
  const note = {
    provider,
    state: randomBytes(32).toString('base64url'),
    nonce: randomBytes(32).toString('base64url'),
    verifier: randomBytes(32).toString('base64url'),
    return_to: returnTo,
  }
  return { note, cookie: cookies.setSignIn(request, note, now) }
}

/** Redirects to a provider's page. @throws HubError `unavailable` if the provider cannot be asked where that is */
export async function startProvider(visit: Visit, kind: ProviderKind, provider: Provider): Promise<Response> {
  const { note, cookie } = beginSignIn(visit, kind, returnPathOf(visit.request))
  const address = await provider.start({ ...note, expires_at: 0 }, visit.deps.baseUrl + CALLBACKS[kind])
  return redirectTo(address.href, [cookie])
}

/** Completes a sign-in at a provider; each sign-in can be completed only once. @throws HubError `invalid_request` if this browser did not start the sign-in with this provider or it was already completed; `forbidden` if the login belongs to another account here */
export async function finishProvider(visit: Visit, kind: ProviderKind, provider: Provider): Promise<Response> {
  const { search, searchParams } = new URL(visit.request.url)
  const note = requireNote(visit, kind, searchParams.get('state'))
  if (!searchParams.has('code')) {
    logAudit('sign_in_refused', { by: kind, reason: 'provider' })
    throw new HubError('invalid_request', `${provider.name} did not sign you in. Try again.`)
  }
  await spendNote(visit, note)
  // Behind a proxy, the request's own URL may have another host than the one that the provider knows.
  const callback = new URL(visit.deps.baseUrl + CALLBACKS[kind] + search)
  const signedIn = await provider.finish(note, callback).catch((thrown: unknown): never => {
    logAudit('sign_in_refused', { by: kind, reason: 'provider' })
    throw thrown
  })
  const { accounts, admits } = visit.deps
  // Nothing is stored about people who may not read.
  if (!(await admits('identity' in signedIn ? { oidc: signedIn.identity } : signedIn.person)))
    throw refuse(signedIn, kind)
  if ('identity' in signedIn)
    return admit(visit, await accounts.keepIdentity(signedIn.identity), note, signedIn.idToken)
  const { person } = signedIn
  if (await accounts.bindLogin(person)) return admit(visit, person, note)
  logAudit('sign_in_refused', { ...whoIs(person), by: kind, reason: 'login_taken' })
  throw new HubError(
    'forbidden',
    `The username ${person.login} belongs to another account on this hub. Contact the operator of this hub.`,
  )
}

function refuse(signedIn: SignedIn, by: ProviderKind): HubError {
  const who = 'person' in signedIn ? whoIs(signedIn.person) : { subject: signedIn.identity.subject }
  logAudit('sign_in_refused', { ...who, by, reason: 'not_a_reader' })
  return new HubError(
    'forbidden',
    'You signed in, but may not read this hub. Ask the operator of this hub to add you to its readers, or sign in with another account.',
  )
}

/** Completes a local sign-in. @throws HubError `invalid_request` if this browser did not start the sign-in or it was already completed; `validation_failed` for an invalid handle; `forbidden` for a used key */
export async function finishLocal(visit: Visit, keys: LocalKeys): Promise<Response> {
  const form = await readForm(visit.request)
  const note = requireNote(visit, 'local', form.get('state'))
  const handle = Handle.safeParse(form.get('handle')?.trim().toLowerCase())
  if (!handle.success)
    throw new HubError(
      'validation_failed',
      'handle: expected 1 to 39 letters, digits and single hyphens, and no hyphen at either end.',
    )
  await spendNote(visit, note)
  if (!(await keys.spend(form.get('key')))) {
    logAudit('sign_in_refused', { login: handle.data, by: 'local', reason: 'link_used' })
    throw new HubError('forbidden', 'This sign-in link was already used. Get a new one: npm run token -- --sign-in')
  }
  return admit(visit, localPerson(handle.data), note)
}

/** Completes a sign-in with an invitation. @throws HubError `forbidden` for a key that is used or replaced, has expired, or is nobody's */
export async function finishInvitation(visit: Visit, invitations: Invitations): Promise<Response> {
  const form = await readForm(visit.request)
  const person = await invitations.spend(form.get('key'), visit.now)
  const { cookies, request, now } = visit
  const note = cookies.readSignIns(request, now).find(({ provider }) => provider === 'invited')
  if (person)
    return admit(visit, person, { return_to: note?.return_to ?? HOME, provider: 'invited', state: note?.state })
  logAudit('sign_in_refused', { by: 'invited', reason: 'link_used' })
  throw new HubError(
    'forbidden',
    'This link was already used, was replaced by a newer one, or has expired. Ask the operator of this hub for another, or make one on a device on which you are signed in.',
  )
}

function requireNote({ request, cookies, now }: Visit, kind: SignInKind, state: string | null): SignInNote {
  const note = cookies.readSignIns(request, now).find((one) => state !== null && isEqual(state, one.state))
  if (note?.provider !== kind)
    throw new HubError('invalid_request', 'This sign-in has expired, or it was started in another browser. Try again.')
  return note
}

/** @throws HubError `invalid_request` if the sign-in was already completed, successfully or not */
async function spendNote({ deps }: Visit, note: SignInNote): Promise<void> {
  if (!(await deps.accounts.spendSignIn(note)))
    throw new HubError('invalid_request', 'This sign-in was already completed. Sign in again.')
}

/** Opens a new session and revokes the browser's previous session, no matter whose it was. @throws HubError `forbidden` for a blocked person */
async function admit(
  { request, deps: { accounts }, cookies, now }: Visit,
  person: Person,
  { return_to, provider, state }: { return_to: string; provider: SignInKind; state: string | undefined },
  idToken?: string,
): Promise<Response> {
  if (await accounts.isBlocked(person)) {
    logAudit('sign_in_refused', { ...whoIs(person), by: provider, reason: 'blocked' })
    throw new HubError('forbidden', blockedMessage(person.login))
  }
  const before = cookies.readSession(request)
  if (before !== undefined) await accounts.endSession(before)
  const secret = await accounts.openSession(person, now, idToken)
  logAudit('sign_in', { ...whoIs(person), by: provider })
  return redirectTo(return_to, [...cookies.setSession(secret), ...cookies.clearSignIn(request, state, now)])
}

/** Redirects the browser with a status that makes it send a GET. @param location a validated path on this site, or a URL from the settings */
export function redirectTo(location: string, setCookies: readonly string[] = []): Response {
  const headers = new Headers({ Location: location, 'Cache-Control': 'no-store' })
  for (const cookie of setCookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** Names a person in an audit line: without an email address, because a login and an ID are enough. */
export const whoIs = ({ login, user_id }: Person) => ({ login, user_id })
