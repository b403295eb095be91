// Collects the context of an account request, and parses its form.
import { type Accounts, isLocalPerson, type Session } from '../../domain/access/account.ts'
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/api/limits.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import { openBody } from '../read-body.ts'
import type { AccountPageDeps } from './respond-account.ts'
import { makeCookies, requireCsrf } from './session.ts'
import type { SignIn, SignInDeps } from './sign-in.ts'

/** The dependencies of the account routes. */
export interface AccountDeps extends AccountPageDeps {
  accounts: Accounts
  signIn: SignIn
  /** The secret that signs the cookies of pending sign-ins. */
  secret: string
  /** Limits requests by client IP address. */
  limiter: RateLimiter
  /** The IP address as reported by the platform. Handlers never take it from a header, because clients can forge headers. */
  clientAddress: string
  /** Returns the owners that a person may publish to, as of the newest build. */
  ownersOf: (login: string, userId: string) => Promise<readonly string[]>
}

/** A request in progress, and what is known about it. */
export interface Visit extends SignInDeps {
  request: Request
  deps: AccountDeps
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
  return { request, deps, now, baseUrl, accounts, cookies, session, sessionSecret }
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
