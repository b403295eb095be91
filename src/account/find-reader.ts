// Finds out whether a request to a hub for readers comes from a reader: a person who has signed in, a token, a CI job, or a person whom a trusted proxy names.
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { blockedMessage, type Session } from '../domain/access/account.ts'
import type { Person } from '../domain/access/person.ts'
import { isToken } from '../domain/access/token.ts'
import { HubError } from '../domain/api/errors.ts'
import type { TrustedPublisher } from '../domain/content/front-matter.ts'
import { noteSender, type Sender, senderNow } from '../log.ts'
import { authenticate, type TokenChecks } from '../server/publish/authenticate.ts'
import { rateLimitError } from '../server/refusals.ts'
import type { RateLimiter } from '../state/rate-limiter.ts'
import { nameSession } from './session.ts'

/** How long a reader's rights are not checked again. After this time at the latest, a reader who has lost them is refused. */
const RIGHTS_KEPT_MS = 10_000
/** Maximum number of readers whose rights are remembered. */
const MAX_KEPT = 10_000

/** What a reader is checked with; each function throws if its store cannot be reached, so that nobody is admitted without a check. */
export interface ReaderChecks extends Omit<TokenChecks, 'findSignedIn'> {
  /** Returns the secret in the session's cookie. */
  readSession: (request: Request) => string | undefined
  /** Finds a session that is neither ended nor expired, and whose person is not blocked. */
  findSession: (secret: string, now: Date) => Promise<Session | undefined>
  /** Returns whether READERS admits somebody. */
  admits: (person: Person) => boolean | Promise<boolean>
  /** Finds the person whose client has an access token of the sign-in provider; omitted without a provider. */
  findAccess?: FindAccess | undefined
  /** The header in which a trusted proxy names a person, in lower case. */
  proxyHeader: string | undefined
  /** Returns whether a login that a proxy names is blocked. */
  isLoginBlocked: (login: string) => Promise<boolean>
  /** Returns the entries of all owners that trust workflows in a GitHub repository. */
  trustedIn: (repositoryId: string) => Promise<readonly TrustedPublisher[]>
  /** Limits unknown tokens and sessions per client IP address, because each of them is looked up. */
  failures: RateLimiter
}

/** Finds who has an access token, and a name for messages; somebody who never signed in here has no login. */
export type FindAccess = (
  token: string,
  now: Date,
) => Promise<{ person: Person; name: string; endsMs: number } | undefined>

/** Who sends a request. */
interface Source {
  /** The rate-limit key of the client. */
  network: string
  /** Whether the connection itself comes from a trusted proxy. */
  isProxied: boolean
}

/** One claim to be a reader. */
interface Claim {
  key: string
  /** @returns whether it is a reader's, and until when at most, in milliseconds since 1970 @throws HubError `forbidden` for somebody who is known but may not read */
  check: (now: Date) => Promise<{ isReader: boolean; endsMs?: number }>
}

/** Decides about requests. */
export interface Readers {
  /** @returns whether the request comes from a reader: at once if the rights were checked a moment ago, as for nearly all requests @throws HubError `forbidden` for somebody who is known but may not read, `rate_limited`, `unavailable` */
  isReader(request: Request, source: Source, now?: Date): true | Promise<boolean>
  /** Forgets all rights, because some have been taken away. */
  forget(): void
}

/** Opens the check of readers. Only positive results are remembered. */
export function openReaders(deps: ReaderChecks): Readers {
  const kept = new LRUCache<string, { untilMs: number; sender: Sender }>({ max: MAX_KEPT })
  /** Changes whenever rights are taken away, so that a check that began before is not remembered. */
  let era = 0

  async function check({ key, check }: Claim, now: Date): Promise<boolean> {
    const before = era
    const { isReader, endsMs = Number.POSITIVE_INFINITY } = await check(now)
    if (isReader && era === before) {
      const { address: _, ...sender } = senderNow()
      kept.set(key, { untilMs: Math.min(now.getTime() + RIGHTS_KEPT_MS, endsMs), sender })
    }
    return isReader
  }

  const isKnown = (request: Request, source: Source, now: Date): boolean => {
    for (const { key } of listClaims(request, source, deps)) {
      const known = kept.get(key)
      if (!known || known.untilMs <= now.getTime()) continue
      noteSender(known.sender)
      return true
    }
    return false
  }

  async function checkAll(request: Request, source: Source, now: Date): Promise<boolean> {
    const claims = [...listClaims(request, source, deps)]
    let refusal: HubError | undefined
    for (const claim of claims) {
      try {
        if (await check(claim, now)) return true
      } catch (thrown) {
        if (!(thrown instanceof HubError) || thrown.code !== 'forbidden') throw thrown
        refusal ??= thrown
      }
    }
    const waitSeconds = claims.length > 0 && !refusal ? await deps.failures.take(source.network) : 0
    if (waitSeconds > 0) throw rateLimitError('badTokens', waitSeconds)
    if (refusal) throw refusal
    return false
  }

  return {
    isReader: (request, source, now = new Date()) => isKnown(request, source, now) || checkAll(request, source, now),
    forget() {
      era += 1
      kept.clear()
    },
  }
}

/** Lists what a request claims, without any check: what most requests have first. */
function* listClaims(request: Request, { isProxied }: Source, deps: ReaderChecks): Generator<Claim> {
  const authorization = request.headers.get('Authorization')
  if (authorization !== null && /^bearer /i.test(authorization))
    yield { key: keyOf('token', authorization), check: (now) => checkToken(request, deps, now) }
  const secret = deps.readSession(request)
  if (secret !== undefined) yield { key: keyOf('session', secret), check: (now) => checkSession(secret, deps, now) }
  const password = authorization === null ? undefined : findPassword(request, authorization)
  if (password !== undefined) {
    const headers = { Authorization: `Bearer ${password}` }
    const asBearer = new Request(request.url, { headers })
    yield { key: keyOf('token', headers.Authorization), check: (now) => checkToken(asBearer, deps, now) }
  }
  const named = deps.proxyHeader === undefined ? null : request.headers.get(deps.proxyHeader)
  if (named !== null && NAME.test(named) && isProxied)
    yield { key: keyOf('proxy', named), check: () => checkNamed(named.toLowerCase(), deps) }
}

/**
 * Returns the token that a read has as the password of any user, because git, feed readers and `.netrc` know passwords alone. What cannot be a token is the password of somebody else, such as a proxy.
 */
function findPassword({ method, url }: Request, authorization: string): string | undefined {
  if (method !== 'GET' && method !== 'HEAD' && !url.endsWith('/skills.git/git-upload-pack')) return undefined
  const [, basic] = /^Basic ([\w+/]{1,4000}={0,2})$/i.exec(authorization) ?? []
  const [, user = '', password = ''] =
    /^([^:]*):?(.*)$/s.exec(Buffer.from(basic ?? '', 'base64').toString('latin1')) ?? []
  // Some programs send a token as the user.
  const token = password === '' || password === 'x-oauth-basic' ? user : password
  return isToken(token) || JWT.test(token) ? token : undefined
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Secrets are kept as digests, so that nothing that reads the memory of the process finds them here. */
const keyOf = (kind: string, secret: string) => `${kind} ${hash('sha256', secret)}`

/** One login or email address. A list means that somebody else has sent the header too, so nobody knows which value is the proxy's. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._+@-]{0,253}$/

async function checkToken(request: Request, deps: ReaderChecks, now: Date): ReturnType<Claim['check']> {
  const token = /^bearer +(\S+) *$/i.exec(request.headers.get('Authorization') ?? '')?.[1]
  const access = token?.split('.').length === 3 ? await deps.findAccess?.(token, now) : undefined
  if (access) {
    const { person, name, endsMs } = access
    if (await deps.isBlocked(person)) throw new HubError('forbidden', blockedMessage(name))
    noteSender({ named: name })
    return { isReader: await requireAdmitted(person, deps, name), endsMs }
  }
  try {
    const { holder } = await authenticate(request, deps, now)
    if (holder.kind === 'operator') return { isReader: true }
    if (holder.kind === 'job')
      return { isReader: holder.isTrusted(await deps.trustedIn(holder.repositoryId)), endsMs: holder.endsMs }
    return { isReader: await requireAdmitted(holder, deps) }
  } catch (thrown) {
    if (thrown instanceof HubError && thrown.code === 'unauthorized') return { isReader: false }
    throw thrown
  }
}

async function checkSession(secret: string, deps: ReaderChecks, now: Date): ReturnType<Claim['check']> {
  const session = await deps.findSession(secret, now)
  if (!session) return { isReader: false }
  noteSender({ session: nameSession(secret) })
  return { isReader: await requireAdmitted(session.person, deps), endsMs: Date.parse(session.expires_at) }
}

async function requireAdmitted(person: Person, deps: ReaderChecks, name = person.login): Promise<true> {
  if (await deps.admits(person)) return true
  throw new HubError(
    'forbidden',
    `${name} is signed in, but may not read this hub. Ask the operator of this hub to add you to its readers.`,
  )
}

/** The proxy decides who may pass; a login that is blocked here does not. */
async function checkNamed(name: string, deps: ReaderChecks): ReturnType<Claim['check']> {
  if (await deps.isLoginBlocked(name)) throw new HubError('forbidden', blockedMessage(name))
  noteSender({ named: name })
  return { isReader: true }
}
