// Collects the context of an account request and parses its form.
import { type Accounts, isLocalPerson, type Person, type Session } from '../../domain/access/account.ts'
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { openBody } from '../read-body.ts'
import type { LocalKeys } from './local-keys.ts'
import type { OwnPrompts } from './own-prompts.ts'
import type { AccountPageDeps } from './respond-account.ts'
import { type Cookies, makeCookies, requireCsrf } from './session.ts'

/** The sign-in method. */
export type SignIn =
  /** Sign-in is disabled. Tokens are created on the server. */
  | { kind: 'off' }
  /** Users sign in with any handle, through a printed link that only the user of this machine can see. */
  | { kind: 'local'; keys: LocalKeys }
  | {
      kind: 'github'
      clientId: string
      /** The base URL of GitHub. */
      oauthUrl: string
      /** Exchanges the code for the user's identity. The token that GitHub returns is used once and never stored. @throws HubError */
      identify: (grant: { code: string; verifier: string; redirectUri: string }) => Promise<Person>
    }

/** The dependencies of the account-route handlers. */
export interface AccountDeps extends AccountPageDeps {
  accounts: Accounts
  signIn: SignIn
  /** The secret that signs the cookies of pending sign-ins. */
  secret: string
  /** Returns the owners that a user may publish to, according to the latest build. */
  ownersOf: (login: string, userId: string) => Promise<readonly string[]>
  /** Returns the owners' prompts, according to the latest build. */
  promptsOf: (owners: readonly string[]) => Promise<readonly OwnPrompts[]>
}

/** A request in progress, with its session and dependencies. */
export interface Visit {
  request: Request
  deps: AccountDeps
  cookies: Cookies
  now: Date
  /** The signed-in user's session, if any. */
  session: Session | undefined
  sessionSecret: string | undefined
}

/** Finds the visitor's session. */
export async function openVisit(request: Request, deps: AccountDeps, now: Date): Promise<Visit> {
  const { baseUrl, accounts, secret } = deps
  const cookies = makeCookies(baseUrl, secret)
  const sessionSecret = cookies.readSession(request)
  const found = sessionSecret === undefined ? undefined : await accounts.findSession(sessionSecret, now)
  // A local session becomes invalid once the hub uses GitHub sign-in.
  const session = found && isLocalPerson(found.person) === (deps.signIn.kind === 'local') ? found : undefined
  return { request, deps, cookies, now, session, sessionSecret }
}

/** Reads a form submitted by a signed-in user. @throws HubError `forbidden` if nobody is signed in or the form is not from a page in this session; also throws the errors of `readForm` */
export async function requireForm(
  { request, session }: Visit,
  purpose: Parameters<typeof requireCsrf>[1],
): Promise<{ session: Session; form: URLSearchParams }> {
  if (!session) throw new HubError('forbidden', 'Your session has expired. Sign in and try again.')
  const form = await readForm(request)
  requireCsrf(session, purpose, form.get('csrf'))
  return { session, form }
}

/** Maximum size of a form: a form encodes most characters in three bytes for each of UTF-8, and the editor's has a readme too. */
const MAX_FORM_BYTES = 2 * LIMITS.requestBytes

/** Reads a form without checking who sent it. @throws HubError `unsupported_media_type`, `content_too_large` */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = (request.headers.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new HubError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  return new URLSearchParams(new TextDecoder().decode(await openBody(request, MAX_FORM_BYTES, formTooLarge).read()))
}

function formTooLarge(): HubError {
  return new HubError('content_too_large', `The form is longer than ${MAX_FORM_BYTES} bytes.`)
}
