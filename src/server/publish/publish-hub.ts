// Defines a hub as the handlers of writes see it: what a read may use, git, and what tokens are checked with.

import type { TakeTurn } from '../../concurrency/turns.ts'
import type { RootEntry } from '../../domain/content/trusted-root-file.ts'
import type { WebhookRecord, WebhookRequest } from '../../domain/managing/webhook-request.ts'
import type { AttestationVerdict } from '../../domain/publishing/attested.ts'
import type { PublishInput } from '../../domain/publishing/request.ts'
import type { RepositoryPlace, VersionPlace } from '../../domain/values/names.ts'
import type { GitStore } from '../../git/git-store.ts'
import type { FreshCopies, WriteOrigin } from '../../state/fresh-copies.ts'
import type { Proposals } from '../../state/proposal-store.ts'
import type { RateLimiter } from '../../state/rate-limiter.ts'
import type { Hub } from '../hub.ts'
import type { NameSearch } from '../read/close-names.ts'
import type { TokenChecks } from './authenticate.ts'

/** The webhooks of owners. Every function throws HubError `unavailable` if the store fails. */
export interface OwnerWebhooks {
  /** Lists the webhooks of an owner, by name. */
  list(owner: string): Promise<WebhookRecord[]>
  /** Lists their names. */
  idsOf(owner: string): Promise<string[]>
  /** Sets a webhook. @returns its secret if it is new */
  set(
    place: { owner: string; id: string },
    wish: WebhookRequest,
    made: { by: string | null; now: Date },
  ): Promise<{ webhook: WebhookRecord; secret: string | null }>
  /** Removes a webhook, with what waits for it. @returns whether there was one */
  remove(place: { owner: string; id: string }): Promise<boolean>
  /** Returns what is wrong with an address, after its name was resolved; undefined if nothing is. */
  findAddressProblem(url: string): Promise<string | undefined>
}

/** A hub to which a sender publishes. Its files and copies are read again each time, because a write changes them. */
export interface PublishHub
  extends TokenChecks,
    NameSearch,
    Pick<Hub, 'baseUrl' | 'siteFiles' | 'runLong' | 'quota' | 'clientAddress'> {
  git: GitStore
  /** Parses the archive of a skill's folder to publish, with its query parameters. @throws HubError `invalid_request`, `validation_failed`, `content_too_large` */
  parseArchive: (archive: Uint8Array<ArrayBuffer>, query: Readonly<Record<string, string>>) => Promise<PublishInput>
  /** Verifies an attestation with the hub's trusted roots. @returns what it says, or why it is refused */
  verifyAttestation: (text: string, roots: readonly RootEntry[]) => Promise<AttestationVerdict>
  fresh: FreshCopies
  /** The issuer of OIDC tokens that the hub accepts, also in the certificates of attestations. */
  issuer: string
  /** Returns the place of a new fresh copy in the order of publishes and builds; used if this machine is the git host. @param fullName the repository, which is in the content folder now */
  nextOrder: (fullName: string) => number
  /** Lists the numbers of a repository that mean a text already, although git may no longer say so: those that this hub published, and those that the history has. @throws HubError `unavailable` */
  listUsedNumbers: (place: RepositoryPlace) => Promise<readonly string[]>
  /** Remembers a version, so that its number stays used whatever becomes of the branch. */
  rememberVersion: (place: RepositoryPlace, published: { version: string; digest: string }) => Promise<void>
  /** Notes what a version is about to include; a deletion reads it. @throws HubError `unavailable` */
  noteIncluded: (by: VersionPlace, parts: readonly VersionPlace[]) => Promise<void>
  /** Lists who was about to include versions of a prompt, whatever became of it. @throws HubError `unavailable` */
  listIncluding: (place: RepositoryPlace) => Promise<{ part: string; by: VersionPlace }[]>
  /** Opens the proposals, which most writes do not need. */
  proposals: () => Promise<Proposals>
  /** Purges all cache entries with any of the tags; if this fails, the publish still succeeds. */
  purge: (cacheTags: string[]) => Promise<void>
  /** Whether no other machine serves this hub, so that nobody else needs a copy of what was written here. */
  isAlone: boolean
  /** Advances what this process serves to a write: records, lists, tags, search and pages. Takes a few seconds at most, and never throws. @returns whether they include the write; false where the hub cannot advance, or not now */
  advance: (write: WriteOrigin) => Promise<boolean>
  /** Runs publishes to the branch one at a time; git prevents conflicts between those that run at the same time anyway. Without the queue, publishes would still be correct, but would need more attempts, because each commit outdates the branch head that the others have read. */
  takeTurn: TakeTurn
  /** Records when a token was last used. Failures are ignored, because this time is only informational. */
  recordTokenUse: (tokenId: string) => Promise<void>
  /** Opens the webhooks; undefined where nothing delivers events. */
  webhooks?: (() => Promise<OwnerWebhooks>) | undefined
  /** Limits publishes per publisher. */
  limiter: RateLimiter
  /** Opens what limits requests with an invalid token per client IP address. */
  failedTokens: () => Promise<RateLimiter>
}
