// Collects the context of an account request and parses its form.
import type { Accounts, Session } from '../domain/access/account.ts'
import type { Person, ProviderIdentity } from '../domain/access/person.ts'
import { CSRF_HEADER } from '../domain/access/shown-session.ts'
import { isSameIssuer, signInKindOf } from '../domain/access/sign-in-kind.ts'
import { HubError } from '../domain/api/errors.ts'
import { noteSender } from '../log.ts'
import { NOT_UTF_8, openBody, readContentType } from '../server/request.ts'
import type { Invitations } from '../state/invitations.ts'
import type { LocalKeys } from './local-keys.ts'
import type { OwnPrompts } from './own-prompts.ts'
import type { AccountPageDeps } from './respond-account.ts'
import {
  type Cookies,
  isOfSession,
  makeCookies,
  nameSession,
  type Purpose,
  requireSameOrigin,
  type SignInNote,
} from './session.ts'

/** Who signed in: a GitHub account, or what an OpenID Connect provider says, with the token that names this sign-in to it. */
export type SignedIn = { person: Person } | { identity: ProviderIdentity; idToken: string }

/** A site that says who somebody is. Each function throws HubError. */
export interface Provider {
  /** What people call it. */
  name: string
  /** The issuer, with or without a slash at its end; only of an OpenID Connect provider. */
  issuer?: string
  /** Returns the URL of its page. */
  start: (note: SignInNote, redirectUri: string) => Promise<URL>
  /** Completes a sign-in. @param callback the URL to which the provider redirected */
  finish: (note: SignInNote, callback: URL) => Promise<SignedIn>
  /** Returns where a person signs out of the provider; undefined if it has no such page. */
  findSignOutUrl?: (idToken: string, back: string) => Promise<URL | undefined>
}

/** The sign-in method. */
export type SignIn =
  /** Sign-in is disabled. Tokens are created on the server. */
  | { kind: 'off' }
  /** Users sign in with any handle, through a printed link that only the user of this machine can see. */
  | { kind: 'local'; keys: LocalKeys }
  /** Users sign in with a link that the operator, or they themselves on another device, made. */
  | { kind: 'invited'; invitations: Invitations }
  /** Users sign in with GitHub, an OpenID Connect provider, or either of them. */
  | { kind: 'providers'; providers: Partial<Record<'github' | 'oidc', Provider>> }

/** The dependencies of the account-route handlers. */
export interface AccountDeps extends AccountPageDeps {
  accounts: Accounts
  signIn: SignIn
  /** The secret that signs the cookies of pending sign-ins. */
  secret: string
  /** Returns whether READERS lets somebody read; on a public hub, everybody may. @throws HubError `unavailable` */
  admits: (candidate: Person | { oidc: ProviderIdentity }) => Promise<boolean>
  /** Returns the owners that a user may publish to, according to the latest build. */
  ownersOf: (person: Person) => Promise<readonly string[]>
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

/** What a session is found with. */
type SessionDeps = Pick<AccountDeps, 'baseUrl' | 'secret' | 'signIn'> & { accounts: Pick<Accounts, 'findSession'> }

/** Finds the visitor's session. */
export async function openVisit(request: Request, deps: AccountDeps, now: Date): Promise<Visit> {
  return { request, deps, now, ...(await findSession(request, deps, now)) }
}

async function findSession(request: Request, { baseUrl, accounts, secret, signIn }: SessionDeps, now: Date) {
  const cookies = makeCookies(baseUrl, secret)
  const sessionSecret = cookies.readSession(request)
  const found = sessionSecret === undefined ? undefined : await accounts.findSession(sessionSecret, now)
  const session = found && acceptsPerson(signIn, found.person) ? found : undefined
  if (session && sessionSecret !== undefined) noteSender({ session: nameSession(sessionSecret) })
  return { cookies, session, sessionSecret }
}

/** Returns the person whose session sent a write to the API from a page of this hub. @throws HubError `forbidden` for a request of another site, `unauthorized` for one of a page that was opened in another session */
export async function findSignedIn(request: Request, deps: SessionDeps, now: Date): Promise<Person | undefined> {
  const { session } = await findSession(request, deps, now)
  if (!session) return undefined
  requireSameOrigin(request, deps.baseUrl)
  if (isOfSession(session, 'edit', request.headers.get(CSRF_HEADER))) return session.person
  throw new HubError('unauthorized', 'This request is from another session. Reload the page, then try again.')
}

/** Returns whether a hub still lets people sign in the way that somebody did. */
function acceptsPerson(signIn: SignIn, person: Person): boolean {
  const kind = signInKindOf(person)
  if (signIn.kind !== 'providers' || kind === 'local' || kind === 'invited') return signIn.kind === kind
  const provider = signIn.providers[kind]
  return provider !== undefined && (kind === 'github' || isSameIssuer(provider.issuer, person.oidc?.issuer))
}

/** Reads a form submitted by a signed-in user. @throws HubError `forbidden` if nobody is signed in or the form is not from a page in this session; also throws the errors of `readForm` */
export async function requireForm(
  { request, session }: Visit,
  purpose: Exclude<Purpose, 'edit'>,
): Promise<{ session: Session; form: URLSearchParams }> {
  if (!session) throw new HubError('forbidden', 'Your session has expired. Sign in and try again.')
  const form = await readForm(request)
  if (!isOfSession(session, purpose, form.get('csrf')))
    throw new HubError('forbidden', 'This form is from another session. Reload the page and try again.')
  return { session, form }
}

/** Maximum size of a form. The longest, an owner's settings, has a few thousand characters. */
const MAX_FORM_BYTES = 262_144

/** Maximum number of fields in a form. Parsing 900,000 of them took 20 seconds. */
const MAX_FORM_FIELDS = 100

/** Reads a form without checking who sent it. @throws HubError `unsupported_media_type`, `content_too_large`, `invalid_request` */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const { mediaType, isUtf8 } = readContentType(request.headers)
  if (mediaType !== 'application/x-www-form-urlencoded')
    throw new HubError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  if (!isUtf8) throw new HubError('unsupported_media_type', NOT_UTF_8)
  const tooLarge = () => new HubError('content_too_large', `The form is longer than ${MAX_FORM_BYTES} bytes.`)
  const text = new TextDecoder().decode(await openBody(request, MAX_FORM_BYTES, tooLarge).read())
  if (text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS)
    throw new HubError(
      'invalid_request',
      `The form has more than ${MAX_FORM_FIELDS} fields. Send only those of its page.`,
    )
  try {
    decodeURIComponent(text)
  } catch {
    // Replacement characters would be published for ever.
    throw new HubError('invalid_request', 'The form is not percent-encoded UTF-8. Send it as its page does.')
  }
  return new URLSearchParams(text)
}
