// Signs people in with GitHub or, in local mode, with a one-time link.
import { createHash, randomBytes } from 'node:crypto'
import { type Accounts, localPerson, type Person } from '../../domain/access/account.ts'
import { HubError } from '../../domain/api/errors.ts'
import { Handle } from '../../domain/content/values.ts'
import type { LocalKeys } from './local-keys.ts'
import { type Cookies, isEqual, type SignInNote } from './session.ts'

/** The way in which people sign in. */
export type SignIn =
  /** No sign-in. Tokens are created on the machine itself. */
  | { kind: 'off' }
  /** With any handle, through the link that the hub printed, which only its machine's user has. */
  | { kind: 'local'; keys: LocalKeys }
  | {
      kind: 'github'
      clientId: string
      /** GitHub's base URL. */
      oauthUrl: string
      /** Exchanges the code for a person. The token that GitHub returns is used once and not stored. @throws HubError */
      identify: (grant: { code: string; verifier: string; redirectUri: string }) => Promise<Person>
    }

/** The dependencies for signing in. */
export interface SignInDeps {
  baseUrl: string
  accounts: Accounts
  cookies: Cookies
}

/** The page to which a browser is sent after sign-in by default. */
const HOME = '/settings'

/** Returns where to go after sign-in: the given path on this site, or the account page if the path might lead elsewhere. */
export function safeReturnPath(given: string | null): string {
  return given !== null &&
    given.length <= 500 &&
    /^\/(?:[\w.~!$&'()*+,;=:@%?#-]|\/(?!\/))*$/.test(given) &&
    !given.startsWith('//')
    ? given
    : HOME
}

/** Starts a sign-in. @returns the cookie's content and its header value */
export function beginSignIn(
  request: Request,
  { cookies }: SignInDeps,
  now: Date,
): { note: Omit<SignInNote, 'expires_at'>; cookie: string } {
  const note = {
    state: randomBytes(32).toString('base64url'),
    verifier: randomBytes(32).toString('base64url'),
    return_to: safeReturnPath(new URL(request.url).searchParams.get('return_to')),
  }
  return { note, cookie: cookies.setSignIn(note, now) }
}

/** Returns the GitHub URL that a sign-in redirects to. It requests no scope, because GitHub identifies the account without one. */
export function githubAddress(
  { clientId, oauthUrl }: SignIn & { kind: 'github' },
  { state, verifier }: Omit<SignInNote, 'expires_at'>,
  baseUrl: string,
): string {
  return `${oauthUrl}/login/oauth/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri(baseUrl),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })}`
}

/** Completes a GitHub sign-in, with exactly one request for each sign-in. @throws HubError `invalid_request` if this browser did not start it or it was already completed; `forbidden` if the login belongs to another account here */
export async function finishGithub(
  request: Request,
  signIn: SignIn & { kind: 'github' },
  deps: SignInDeps,
  now: Date,
): Promise<Response> {
  const { searchParams } = new URL(request.url)
  const note = requireNote(request, searchParams.get('state'), deps, now)
  const code = searchParams.get('code')
  if (code === null) throw new HubError('invalid_request', 'GitHub did not sign you in. Try again.')
  await spendNote(note, deps)
  const person = await signIn.identify({ code, verifier: note.verifier, redirectUri: redirectUri(deps.baseUrl) })
  if (!(await deps.accounts.bindLogin(person)))
    throw new HubError(
      'forbidden',
      `The username ${person.login} belongs to another GitHub account on this hub. Contact the operator of this hub.`,
    )
  return admit(request, person, note, deps, now)
}

/** Completes a local sign-in. @throws HubError `invalid_request` if this browser did not start it or it was already completed; `validation_failed` for an invalid handle; `forbidden` for a used key */
export async function finishLocal(
  request: Request,
  form: URLSearchParams,
  keys: LocalKeys,
  deps: SignInDeps,
  now: Date,
): Promise<Response> {
  const note = requireNote(request, form.get('state'), deps, now)
  const handle = Handle.safeParse(form.get('handle')?.trim().toLowerCase())
  if (!handle.success)
    throw new HubError(
      'validation_failed',
      'handle: expected 1 to 39 letters, digits and single hyphens, and no hyphen at either end.',
    )
  await spendNote(note, deps)
  if (!keys.spend(form.get('key')))
    throw new HubError('forbidden', 'This sign-in link was already used. Open the new link that npm start printed.')
  return admit(request, localPerson(handle.data), note, deps, now)
}

function requireNote(request: Request, state: string | null, { cookies }: SignInDeps, now: Date): SignInNote {
  const note = cookies.readSignIn(request, now)
  if (!note || state === null || !isEqual(state, note.state))
    throw new HubError('invalid_request', 'This sign-in has expired, or it was started in another browser. Try again.')
  return note
}

/** @throws HubError `invalid_request` if the sign-in was already completed, successfully or not */
async function spendNote(note: SignInNote, { accounts }: SignInDeps): Promise<void> {
  if (!(await accounts.spendSignIn(note)))
    throw new HubError('invalid_request', 'This sign-in was already completed. Sign in again.')
}

/** Opens a new session, and revokes the browser's previous one, no matter whose it was. */
async function admit(
  request: Request,
  person: Person,
  { return_to }: SignInNote,
  { accounts, cookies }: SignInDeps,
  now: Date,
): Promise<Response> {
  const before = cookies.readSession(request)
  if (before !== undefined) await accounts.endSession(before)
  const secret = await accounts.openSession(person, now)
  return redirectTo(return_to, [cookies.setSession(secret), cookies.clearSignIn()])
}

/** Redirects a browser, which then sends a GET. @param location a validated path on this site, or a URL from the settings */
export function redirectTo(location: string, setCookies: readonly string[] = []): Response {
  const headers = new Headers({ Location: location, 'Cache-Control': 'no-store' })
  for (const cookie of setCookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status: 303, headers })
}

const redirectUri = (baseUrl: string) => `${baseUrl}/auth/callback`
