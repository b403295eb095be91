// Owns the account addresses: who may ask for what, in which order that is checked, and the page that answers.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { type Accounts, isLocalPerson, type Session } from '../../domain/access/account.ts'
import { TOKEN_DAYS } from '../../domain/access/token-record.ts'
import { ACCOUNT_ADDRESSES, type AccountAddress } from '../../domain/api/addresses.ts'
import { ERRORS, HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/api/limits.ts'
import { isName, isOwner } from '../../domain/content/names.ts'
import { formatProblem, parseBy } from '../../domain/content/problems.ts'
import { line } from '../../domain/content/values.ts'
import type { Connect } from '../connect.ts'
import { openLimitedBody } from '../publish/request-body.ts'
import { refuseMethod } from '../refusals.ts'
import { toHubError } from '../respond.ts'
import {
  type AccountView,
  drawAccount,
  drawLinkNeeded,
  drawLocalSignIn,
  drawNewToken,
  drawSignIn,
  drawSignInOff,
  stateOf,
} from './account-page.ts'
import { answerTrouble, type PageTools, protect, type Visited } from './respond-account.ts'
import { makeCookies, requireCsrf, requireSameOrigin } from './session.ts'
import {
  beginSignIn,
  finishGithub,
  finishLocal,
  githubAddress,
  redirectTo,
  type SignIn,
  type SignInTools,
} from './sign-in.ts'

/** What the account addresses need. */
export interface AccountDependencies extends PageTools {
  accounts: Accounts
  signIn: SignIn
  /** Signs the cookies of sign-ins under way. */
  secret: string
  /** Owners whose `members` name a login, as of the newest build. */
  ownersOf: (login: string, userId: string) => Promise<readonly string[]>
}

/** One request on its way, with what was found out about it. */
interface Visit extends SignInTools {
  request: Request
  dependencies: AccountDependencies
  now: Date
  /** Who is signed in. */
  session: Session | undefined
  sessionSecret: string | undefined
}

type Handler = (visit: Visit) => Promise<Visited>

/** Handlers for exactly the methods that the table of addresses has; HEAD is GET without its body. */
type Handlers = {
  readonly [Path in AccountAddress]: Readonly<
    Record<Exclude<(typeof ACCOUNT_ADDRESSES)[Path][number], 'HEAD'>, Handler>
  >
}

/** Every account address and what it does by method. Nothing but a POST changes anything. */
const HANDLERS: Handlers = {
  '/settings': { GET: showAccount },
  // Where a browser is after it sent the form: reloading the address must not be an error.
  '/settings/tokens': { GET: async () => redirectTo('/settings'), POST: createToken },
  '/settings/tokens/revoke': { GET: async () => redirectTo('/settings'), POST: revokeToken },
  '/auth/sign-in': { GET: startSignIn },
  '/auth/callback': { GET: endGithubSignIn },
  '/auth/local': { GET: startLocalSignIn, POST: endLocalSignIn },
  '/auth/sign-out': { POST: signOut },
  '/auth/sign-out-everywhere': { POST: signOutEverywhere },
}

/** Said once after a redirect, by the word in its address. */
const NOTICES: Readonly<Record<string, string>> = {
  revoked: 'The token is revoked: from now on it opens nothing.',
  'signed-out': 'You are signed out.',
  'signed-out-everywhere': 'You are signed out, on every machine.',
}

/** Answers one request to the account addresses. Never throws. */
export async function answerAccount(request: Request, connect: Connect<AccountDependencies>): Promise<Response> {
  const now = new Date()
  let dependencies: AccountDependencies | undefined
  try {
    dependencies = await connect()
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
  const { baseUrl, accounts, secret } = dependencies
  const cookies = makeCookies(baseUrl, secret)
  const sessionSecret = cookies.readSession(request)
  const found = sessionSecret === undefined ? undefined : await accounts.findSession(sessionSecret, now)
  // A session from the days of local sign-in is no proof of anything to a hub that asks GitHub.
  const session = found && isLocalPerson(found.person) === (dependencies.signIn.kind === 'local') ? found : undefined
  return handler({ request, dependencies, now, baseUrl, accounts, cookies, session, sessionSecret })
}

const isAccountAddress = (path: string): path is AccountAddress => Object.hasOwn(ACCOUNT_ADDRESSES, path)

/** Which addresses there are depends on how people sign in: those of another way are not there at all. */
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

async function viewAccount(
  { dependencies, accounts, now }: Visit,
  session: Session,
  more: Pick<AccountView, 'notice' | 'refused'>,
): Promise<AccountView> {
  const [owners, tokens] = await Promise.all([
    listOwners(session, dependencies),
    accounts.listTokens(session.person.user_id),
  ])
  return { session, owners, tokens, now, formId: randomUUID(), ...more }
}

async function listOwners(
  { person: { login, user_id } }: Session,
  { ownersOf }: AccountDependencies,
): Promise<string[]> {
  const others = await ownersOf(login, user_id)
  return [...(isOwner(login) ? [login] : []), ...others.filter((owner) => owner !== login)]
}

const days = `expected a whole number of days from ${TOKEN_DAYS.least} to ${TOKEN_DAYS.most}`
const TokenFormInput = z.object({
  form: z.uuid('expected the form as it was sent'),
  name: line(64).refine((name) => name.trim() !== '', 'expected some text'),
  owner: z.string().refine(isOwner, 'expected one that you may publish to'),
  repository: z
    .string()
    .refine(
      (name) => name === '' || isName(name),
      'expected lower-case letters, digits and single hyphens, or nothing',
    ),
  days: z
    .string()
    .regex(/^\d{1,3}$/, days)
    .transform(Number)
    .refine((count) => count >= TOKEN_DAYS.least && count <= TOKEN_DAYS.most, days),
})

async function createToken(visited: Visit): Promise<Visited> {
  const { request, accounts, dependencies, now } = visited
  const { session, form } = await requireForm(visited, 'create-token')
  const read = (field: string) => form.get(field) ?? ''
  const [owner, repository] = [read('owner'), read('repository').trim()]
  const parsed = parseBy(TokenFormInput, {
    form: read('form'),
    name: read('name').trim(),
    owner,
    repository,
    days: read('days'),
  })
  const view = await viewAccount(visited, session, {})
  const refuse = (problems: string[]) => {
    const refused = { problems, form: { name: read('name'), owner, repository, days: read('days') } }
    return protect(drawAccount({ ...view, refused }), ERRORS.validation_failed.status, request, dependencies)
  }
  if (parsed.problems) return refuse(parsed.problems.map(formatProblem))
  if (!view.owners.includes(owner))
    return refuse([`owner: you may not publish to ${owner}. Its members are listed in content/${owner}/index.md.`])
  if (view.tokens.filter((token) => stateOf(token, now) === 'good').length >= LIMITS.tokensPerPerson)
    return refuse([`You have ${LIMITS.tokensPerPerson} tokens. Revoke one that you do not need.`])
  const { name, days } = parsed.value
  const made = { form: parsed.value.form, name, days, scope: `${owner}/${repository || '*'}` }
  const token = await accounts.createToken(session.person, made, now)
  if (token === undefined)
    return refuse([
      'This form was sent before, and its token was shown then. If it is lost, revoke it and make another.',
    ])
  return drawNewToken({ token, scope: made.scope, days: made.days, baseUrl: dependencies.baseUrl })
}

async function revokeToken(visited: Visit): Promise<Visited> {
  const { session, form } = await requireForm(visited, 'revoke-token')
  const id = /^[0-9a-f-]{32,36}$/.exec(form.get('id') ?? '')?.[0]
  const isDone = id !== undefined && (await visited.accounts.revokeToken(session.person.user_id, id, visited.now))
  if (!isDone) throw new HubError('not_found', 'You have no token of this id.')
  return redirectTo('/settings?done=revoked#tokens')
}

async function startSignIn({ request, dependencies, now, ...tools }: Visit): Promise<Visited> {
  if (dependencies.signIn.kind !== 'github') return drawLinkNeeded()
  const { note, cookie } = beginSignIn(request, tools, now)
  return redirectTo(githubAddress(dependencies.signIn, note, tools.baseUrl), [cookie])
}

/** Where the link that the hub printed leads. Its key is spent by the form, for a GET changes nothing. */
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

/** A form of somebody who is signed in. @throws HubError `forbidden` */
async function requireForm(
  { request, session }: Visit,
  purpose: Parameters<typeof requireCsrf>[1],
): Promise<{ session: Session; form: URLSearchParams }> {
  if (!session) throw new HubError('forbidden', 'You are not signed in any more. Sign in and repeat.')
  const form = await readForm(request)
  requireCsrf(session, purpose, form.get('csrf'))
  return { session, form }
}

async function readForm(request: Request): Promise<URLSearchParams> {
  const type = (request.headers.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new HubError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  return new URLSearchParams(new TextDecoder().decode(await openLimitedBody(request).read()))
}

function notFound(): HubError {
  return new HubError('not_found', 'There is nothing at this address.')
}
