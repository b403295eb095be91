// Signs users in with GitHub or, in local mode, with a one-time link.
import { createHash, randomBytes } from 'node:crypto'
import { blockedMessage, localPerson, type Person } from '../../domain/access/account.ts'
import { HubError } from '../../domain/api/errors.ts'
import { Handle } from '../../domain/values/values.ts'
import type { LocalKeys } from './local-keys.ts'
import { isEqual, type SignInNote } from './session.ts'
import { readForm, type SignIn, type Visit } from './visit.ts'

type GithubSignIn = Extract<SignIn, { kind: 'github' }>

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

/** Starts a sign-in. @returns the cookie's content and its header value */
export function beginSignIn({ request, cookies, now }: Visit) {
  const note = {
    state: randomBytes(32).toString('base64url'),
    verifier: randomBytes(32).toString('base64url'),
    return_to: safeReturnPath(new URL(request.url).searchParams.get('return_to')),
  }
  return { note, cookie: cookies.setSignIn(note, now) }
}

/** Starts a GitHub sign-in: redirects to GitHub. Does not request a scope, because GitHub identifies the account without one. */
export function startGithub(visit: Visit, { clientId, oauthUrl }: GithubSignIn): Response {
  const { note, cookie } = beginSignIn(visit)
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri(visit),
    state: note.state,
    code_challenge: createHash('sha256').update(note.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return redirectTo(`${oauthUrl}/login/oauth/authorize?${query}`, [cookie])
}

/** Completes a GitHub sign-in; each sign-in can be completed only once. @throws HubError `invalid_request` if this browser did not start the sign-in or it was already completed; `forbidden` if the login belongs to another account here */
export async function finishGithub(visit: Visit, signIn: GithubSignIn): Promise<Response> {
  const { searchParams } = new URL(visit.request.url)
  const note = requireNote(visit, searchParams.get('state'))
  const code = searchParams.get('code')
  if (code === null) throw new HubError('invalid_request', 'GitHub did not sign you in. Try again.')
  await spendNote(visit, note)
  const person = await signIn.identify({ code, verifier: note.verifier, redirectUri: redirectUri(visit) })
  if (!(await visit.deps.accounts.bindLogin(person)))
    throw new HubError(
      'forbidden',
      `The username ${person.login} belongs to another GitHub account on this hub. Contact the operator of this hub.`,
    )
  return admit(visit, person, note)
}

/** Completes a local sign-in. @throws HubError `invalid_request` if this browser did not start the sign-in or it was already completed; `validation_failed` for an invalid handle; `forbidden` for a used key */
export async function finishLocal(visit: Visit, keys: LocalKeys): Promise<Response> {
  const form = await readForm(visit.request)
  const note = requireNote(visit, form.get('state'))
  const handle = Handle.safeParse(form.get('handle')?.trim().toLowerCase())
  if (!handle.success)
    throw new HubError(
      'validation_failed',
      'handle: expected 1 to 39 letters, digits and single hyphens, and no hyphen at either end.',
    )
  await spendNote(visit, note)
  if (!keys.spend(form.get('key')))
    throw new HubError('forbidden', 'This sign-in link was already used. Open the new link that npm start printed.')
  return admit(visit, localPerson(handle.data), note)
}

function requireNote({ request, cookies, now }: Visit, state: string | null): SignInNote {
  const note = cookies.readSignIn(request, now)
  if (!note || state === null || !isEqual(state, note.state))
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
  { return_to }: SignInNote,
): Promise<Response> {
  if (await accounts.isBlocked(person)) throw new HubError('forbidden', blockedMessage(person.login))
  const before = cookies.readSession(request)
  if (before !== undefined) await accounts.endSession(before)
  const secret = await accounts.openSession(person, now)
  return redirectTo(return_to, [...cookies.setSession(secret), cookies.clearSignIn()])
}

/** Redirects the browser with a status that makes it send a GET. @param location a validated path on this site, or a URL from the settings */
export function redirectTo(location: string, setCookies: readonly string[] = []): Response {
  const headers = new Headers({ Location: location, 'Cache-Control': 'no-store' })
  for (const cookie of setCookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status: 303, headers })
}

const redirectUri = ({ deps }: Visit) => `${deps.baseUrl}/auth/callback`
