// Collects the context of an account request, and parses its form.
import { type Accounts, isLocalPerson, type Person, type Session } from '../../domain/access/account.ts'
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/api/limits.ts'
import { openBody } from '../read-body.ts'
import type { LocalKeys } from './local-keys.ts'
import type { AccountPageDeps } from './respond-account.ts'
import { type Cookies, makeCookies, requireCsrf } from './session.ts'

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

/** The dependencies of the account routes. */
export interface AccountDeps extends AccountPageDeps {
  accounts: Accounts
  signIn: SignIn
  /** The secret that signs the cookies of pending sign-ins. */
  secret: string
  /** Returns the owners that a person may publish to, as of the newest build. */
  ownersOf: (login: string, userId: string) => Promise<readonly string[]>
}

/** A request in progress, and what is known about it. */
export interface Visit {
  request: Request
  deps: AccountDeps
  cookies: Cookies
  now: Date
  /** The session of the signed-in person, if any. */
  session: Session | undefined
  sessionSecret: string | undefined
}

/** Identifies the visitor. */
export async function openVisit(request: Request, deps: AccountDeps, now: Date): Promise<Visit> {
  const { baseUrl, accounts, secret } = deps
  const cookies = makeCookies(baseUrl, secret)
  const sessionSecret = cookies.readSession(request)
  const found = sessionSecret === undefined ? undefined : await accounts.findSession(sessionSecret, now)
  // A local session is no longer valid once the hub uses GitHub sign-in.
  const session = found && isLocalPerson(found.person) === (deps.signIn.kind === 'local') ? found : undefined
  return { request, deps, cookies, now, session, sessionSecret }
}

/** Reads a form submitted by a signed-in person. @throws HubError `forbidden` if nobody is signed in or the form is not from a page of this session; also the errors of `readForm` */
export async function requireForm(
  { request, session }: Visit,
  purpose: Parameters<typeof requireCsrf>[1],
): Promise<{ session: Session; form: URLSearchParams }> {
  if (!session) throw new HubError('forbidden', 'Your session has expired. Sign in and try again.')
  const form = await readForm(request)
  requireCsrf(session, purpose, form.get('csrf'))
  return { session, form }
}

/** Reads a form, no matter who sent it. @throws HubError `unsupported_media_type`, `content_too_large` */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = (request.headers.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new HubError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  return new URLSearchParams(
    new TextDecoder().decode(await openBody(request, LIMITS.requestBytes, formTooLarge).read()),
  )
}

function formTooLarge(): HubError {
  return new HubError('content_too_large', `The form is longer than ${LIMITS.requestBytes} bytes.`)
}
