// Authenticates a publisher: checks the token in the Authorization header or, from a page of this hub, the session, and their permissions.

import { blockedMessage } from '../../domain/access/account.ts'
import { mayActFor } from '../../domain/access/memberships.ts'
import type { Person } from '../../domain/access/person.ts'
import { hasExpired, hasPermission, isToken, type Permission, type TokenRecord } from '../../domain/access/token.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { TrustedPublisher } from '../../domain/content/front-matter.ts'
import { hasPublishingRule, type OwnerFile } from '../../domain/content/prompt-file.ts'
import type { Provenance } from '../../domain/values/values.ts'
import { logAudit, noteSender } from '../../log.ts'

/** A publisher with a valid token. Access is checked separately for each repository. */
export interface Bearer {
  /** Identifies the publisher for idempotency; never shown to anyone. */
  id: string
  /** Identifies the publisher for rate limits: a user with all of the user's tokens, an operator's token, or a CI job's repository. */
  publisher: string
  /** The token's ID; undefined for a session and for a CI job, whose token is not listed anywhere. */
  tokenId: string | undefined
  /** The token's name; undefined where there is no token ID. */
  tokenName: string | undefined
  /** The publisher's handle; undefined for operators and CI jobs, which publish as the owner. */
  login: string | undefined
  /** The token's scope; undefined for a CI job or a session, which cover everything that their holder may change. */
  scope: string | undefined
  /** The token's permissions; undefined for a session, which has all, and for a CI job, whose permissions the owner defines. */
  permissions: readonly Permission[] | undefined
  holder: Holder
  /** Whether a person sent this from the site's own pages, with a session instead of a token. */
  isSignedIn: boolean
  provenance: Provenance | undefined
}

/** A CI job with a valid token. */
interface VerifiedJob {
  /** GitHub's ID for the repository that the job runs in. */
  repositoryId: string
  /** The unique ID of the token (`jti`). */
  jti: string
  /** When the token is no longer accepted, in milliseconds since 1970. */
  endsMs: number
  provenance: Provenance
  /** The user who triggered the job; undefined if the issuer does not say. */
  actor: Person | undefined
  /** Returns why none of the owner's `trusted_publishers` entries allows the job to publish to a repository; undefined if one does. */
  findRefusal: (trusted: readonly TrustedPublisher[], name: string, needed: Permission) => string | undefined
  /** Returns whether one of these entries trusts the job with anything. */
  isTrusted: (trusted: readonly TrustedPublisher[]) => boolean
}

/**
 * Verifies a token.
 *
 * @throws HubError `unauthorized` for an invalid token, `unavailable` if the issuer's keys cannot be fetched
 */
export type VerifyJob = (token: string, now: Date) => Promise<VerifiedJob>

/** Who sent a publish request. */
type Holder =
  | Extract<TokenRecord['holder'], { kind: 'operator' }>
  | ({ kind: 'person' } & Person)
  | ({ kind: 'job' } & Pick<VerifiedJob, 'actor' | 'findRefusal' | 'isTrusted' | 'repositoryId' | 'jti' | 'endsMs'>)

/** Looks up a token. @throws HubError `unavailable` if the store cannot be reached, so that nobody is admitted without a check */
type FindToken = (token: string) => Promise<TokenRecord | undefined>

/** What tokens are checked with; each function throws if its store cannot be reached. */
export interface TokenChecks {
  /** The hub's URL, for messages that name the page which creates tokens. */
  baseUrl: string
  /** Returns the person whose session sent a request from a page of this hub; asked if there is no bearer token. @throws HubError `forbidden` for a request of another site, `unauthorized` for one of another session */
  findSignedIn?: (request: Request, now: Date) => Promise<Person | undefined>
  findToken: FindToken
  /** Returns what is known now about the person of a token. @returns undefined if the login belongs to somebody else: GitHub may reassign a login, but never an account ID */
  findHolder: (person: Person) => Promise<Person | undefined>
  /** Returns whether the operator has blocked a person. */
  isBlocked: (person: Person) => Promise<boolean>
  verifyJob: VerifyJob
  /** Marks a CI job's token as used for a request until the token expires. @returns false if the token was used for another request */
  spendJob: (use: { jti: string; request: string; endsMs: number }) => Promise<boolean>
}

/** One message for missing, malformed, unknown and revoked tokens, so that nobody learns which tokens exist. */
const noGoodToken = (baseUrl: string) =>
  new HubError(
    'unauthorized',
    `Publishing needs a valid token. Create one at ${baseUrl}/settings, and send it as "Authorization: Bearer hub_…".`,
  )

/**
 * Identifies the publisher from the Authorization header.
 *
 * @throws HubError `unauthorized`; a token with an invalid format or checksum is rejected without a lookup. `forbidden` if the token's login now belongs to someone else, or if the person is blocked
 */
export async function authenticate(request: Request, deps: TokenChecks, now: Date): Promise<Bearer> {
  const authorization = request.headers.get('Authorization')
  // Once somebody has typed a password for a page of the hub, the browser sends it with everything.
  const mayBePage = authorization === null || /^basic /i.test(authorization)
  const person = mayBePage ? await deps.findSignedIn?.(request, now) : undefined
  if (person) return bearerOf(await findPersonOf(person, deps))
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  // An OIDC token has three parts separated by dots. Hub tokens contain no dots.
  if (token?.split('.').length === 3) return authenticateJob(token, deps, now)
  if (token === undefined) throw noGoodToken(deps.baseUrl)
  const record = isToken(token) ? await deps.findToken(token) : undefined
  if (!record) {
    logAudit('token_refused', { reason: isToken(token) ? 'unknown' : 'malformed' })
    throw noGoodToken(deps.baseUrl)
  }
  noteSender({ token_id: record.id })
  if (hasExpired(record, now)) {
    logAudit('token_refused', { reason: 'expired' })
    throw new HubError(
      'unauthorized',
      `This token expired at ${record.expires_at}. Create a new one at ${deps.baseUrl}/settings.`,
    )
  }
  const { id, scope, permissions } = record
  const holder = record.holder.kind === 'person' ? await findPersonOf(record.holder, deps) : record.holder
  return {
    id: `token:${id}`,
    publisher: holder.kind === 'person' ? `person:${holder.user_id}` : `token:${id}`,
    tokenId: id,
    tokenName: record.name,
    scope,
    permissions,
    holder,
    login: holder.kind === 'person' ? holder.login : undefined,
    isSignedIn: false,
    provenance: undefined,
  }
}

/** What a sender lacks who has no token of this hub. */
const NO_TOKEN = { tokenId: undefined, tokenName: undefined, scope: undefined, permissions: undefined }

/** A session grants all permissions; as with a token, what the person may do is checked for each repository. */
function bearerOf(holder: Extract<Holder, { kind: 'person' }>): Bearer {
  const publisher = `person:${holder.user_id}`
  return {
    ...NO_TOKEN,
    id: publisher,
    publisher,
    holder,
    login: holder.login,
    isSignedIn: true,
    provenance: undefined,
  }
}

/** @throws HubError `forbidden` */
async function findPersonOf(
  { user_id, login }: Person,
  deps: TokenChecks,
): Promise<Extract<Holder, { kind: 'person' }>> {
  const person = await deps.findHolder({ user_id, login })
  if (!person) {
    logAudit('token_refused', { reason: 'login_taken', login, user_id })
    throw new HubError(
      'forbidden',
      `The handle ${login} belongs to another user of this hub. Sign in and create a new token.`,
    )
  }
  // Blocking revokes tokens, but one may have been created at the same moment.
  if (await deps.isBlocked(person)) throw refuseBlocked(person)
  return { kind: 'person', ...person }
}

/** Authenticates a CI job. Whether the token was already used is checked later, by `admitJob`, and only for trusted jobs. */
async function authenticateJob(token: string, deps: TokenChecks, now: Date): Promise<Bearer> {
  const job = await deps.verifyJob(token, now).catch((thrown: unknown): never => {
    if (thrown instanceof HubError && thrown.code === 'unauthorized') logAudit('token_refused', { reason: 'job' })
    throw thrown
  })
  const { repositoryId, provenance, actor } = job
  noteSender({ workflow: provenance.workflow, run_id: provenance.run_id })
  if (actor && (await deps.isBlocked(actor))) throw refuseBlocked(actor)
  return {
    ...NO_TOKEN,
    // All CI jobs in one repository count as one publisher for rate limits and idempotency.
    id: `job:${repositoryId}`,
    publisher: `job:${repositoryId}`,
    holder: { kind: 'job', ...job },
    login: undefined,
    isSignedIn: false,
    provenance,
  }
}

function refuseBlocked({ login, user_id }: Person): HubError {
  logAudit('token_refused', { reason: 'blocked', login, user_id })
  return new HubError('forbidden', blockedMessage(login))
}

/** @throws HubError `forbidden` if the token's scope does not include the repository */
export function requireScope({ scope }: Bearer, owner: string, name: string): void {
  if (scope === undefined || scope === `${owner}/*` || scope === `${owner}/${name}`) return
  throw new HubError('forbidden', `This token covers ${scope}, not ${owner}/${name}. Use a token for this repository.`)
}

/** @throws HubError `forbidden` if the token is for one repository or another owner, or if the sender is a CI job: jobs are trusted with prompts only */
export function requireOwnerScope({ scope, holder, isSignedIn }: Bearer, owner: string): void {
  if (isSignedIn) return
  if (holder.kind === 'job')
    throw new HubError('forbidden', `A CI job may not change ${owner} itself. Use a token for ${owner}/*, or sign in.`)
  if (scope !== `${owner}/*`)
    throw new HubError('forbidden', `This token covers ${scope}, not ${owner}/*. Use a token for all of ${owner}.`)
}

/** @param why a sentence that explains why a higher permission than usual is needed @throws HubError `forbidden`, with a message that names the permission, if the token lacks it */
export function requirePermission({ permissions }: Bearer, needed: Permission, why = ''): void {
  if (permissions === undefined || hasPermission(permissions, needed)) return
  throw new HubError(
    'forbidden',
    `${why}This token lacks the permission ${needed}; it has ${permissions.join(', ')}. Use a token that has ${needed}.`,
  )
}

/**
 * Checks that a publisher currently has access to a repository, because access may have been revoked since the token was created.
 *
 * @param needed the permission that the request needs
 * @param file the owner's `index.md`, parsed
 * @throws HubError `forbidden`
 */
export function requireRights(
  bearer: Bearer,
  place: { owner: string; name: string },
  needed: Permission,
  file: OwnerFile | undefined,
): void {
  if (needed === 'publish') requireTrusted(bearer.holder.kind === 'job', place.owner, file)
  requireAccess(bearer, place, needed, file)
}

/** @param isTrusted whether a trusted workflow wrote the version @throws HubError `forbidden` if the owner accepts versions only from trusted workflows */
export function requireTrusted(isTrusted: boolean, owner: string, file: OwnerFile | undefined): void {
  if (isTrusted || !hasPublishingRule(file, 'trusted-only')) return
  throw new HubError(
    'forbidden',
    `${owner} accepts versions only from trusted workflows (publishing: trusted-only in content/${owner}/index.md). Publish from a workflow that it trusts, or ask a member to change this.`,
  )
}

/** Does the same as `requireRights`, whatever the owner requires of a version. @throws HubError `forbidden` */
export function requireAccess(
  { holder }: Bearer,
  { owner, name }: { owner: string; name: string },
  needed: Permission,
  file: OwnerFile | undefined,
): void {
  if (holder.kind === 'operator') return
  if (holder.kind === 'job') {
    const refusal = holder.findRefusal(file?.trusted_publishers ?? [], name, needed)
    if (refusal === undefined) return
    throw new HubError(
      'forbidden',
      `This job may not ${SAID[needed]} ${owner}/${name}: ${refusal}. See trusted_publishers in content/${owner}/index.md.`,
    )
  }
  requireMember(holder, owner, needed, file)
}

/**
 * Checks that a sender currently has access to an owner itself.
 *
 * @param file the owner's `index.md`, parsed
 * @throws HubError `forbidden`
 */
export function requireOwnerRights({ holder }: Bearer, owner: string, file: OwnerFile | undefined): void {
  if (holder.kind === 'person') requireMember(holder, owner, 'maintain', file)
}

function requireMember(person: Person, owner: string, needed: Permission, file: OwnerFile | undefined): void {
  if (mayActFor(person, owner, file)) return
  throw new HubError(
    'forbidden',
    `${person.login} may not ${SAID[needed]} ${owner}. Its members are listed in content/${owner}/index.md.`,
  )
}

const SAID: Readonly<Record<Permission, string>> = {
  read: 'read',
  publish: 'publish to',
  label: 'move labels of',
  maintain: 'change',
}
