// The context of one account request, and parsing of its form.
import { type Accounts, isLocalPerson, type Session } from '../../domain/access/account.ts'
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/api/limits.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import { openBody } from '../read-body.ts'
import type { PageTools } from './respond-account.ts'
import { makeCookies, requireCsrf } from './session.ts'
import type { SignIn, SignInTools } from './sign-in.ts'

/** What the account addresses need. */
export interface AccountDependencies extends PageTools {
  accounts: Accounts
  signIn: SignIn
  /** Signs the cookies of sign-ins under way. */
  secret: string
  /** Limits requests, by the client's address. */
  limiter: RateLimiter
  /** As the platform says it. */
  clientAddress: string
  /** Owners that somebody may publish to, as of the newest build. */
  ownersOf: (login: string, userId: string) => Promise<readonly string[]>
}

/** One request on its way, with what was found out about it. */
export interface Visit extends SignInTools {
  request: Request
  dependencies: AccountDependencies
  now: Date
  /** Who is signed in. */
  session: Session | undefined
  sessionSecret: string | undefined
}

/** Finds out who asks. */
export async function openVisit(request: Request, dependencies: AccountDependencies, now: Date): Promise<Visit> {
  const { baseUrl, accounts, secret } = dependencies
  const cookies = makeCookies(baseUrl, secret)
  const sessionSecret = cookies.readSession(request)
  const found = sessionSecret === undefined ? undefined : await accounts.findSession(sessionSecret, now)
  // A session of a local sign-in does not count any more once the hub signs people in with GitHub.
  const session = found && isLocalPerson(found.person) === (dependencies.signIn.kind === 'local') ? found : undefined
  return { request, dependencies, now, baseUrl, accounts, cookies, session, sessionSecret }
}

/** Reads a form of somebody who is signed in. @throws HubError `forbidden` when nobody is, or when the form is not from a page of this session; what `readForm` throws */
export async function requireForm(
  { request, session }: Visit,
  purpose: Parameters<typeof requireCsrf>[1],
): Promise<{ session: Session; form: URLSearchParams }> {
  if (!session) throw new HubError('forbidden', 'Your session has expired. Sign in and try again.')
  const form = await readForm(request)
  requireCsrf(session, purpose, form.get('csrf'))
  return { session, form }
}

/** Reads a form, whoever sent it. @throws HubError `unsupported_media_type`, `content_too_large` */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = (request.headers.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new HubError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  return new URLSearchParams(
    new TextDecoder().decode(await openBody(request, LIMITS.requestBytes, formTooLarge).read()),
  )
}

function formTooLarge(): HubError {
  return new HubError('content_too_large', `A form has at most ${LIMITS.requestBytes} bytes.`)
}
