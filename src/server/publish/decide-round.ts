// Decides one round of a publish: either a commit or a response without one. Pure, so that it can be tested with a table of cases.
import { HubError } from '../../domain/api/errors.ts'
import type { Addresses } from '../../domain/api/record-links.ts'
import type { VersionRecord, Warning } from '../../domain/api/schema.ts'
import { recordVersion } from '../../domain/catalogue/repository-records.ts'
import { formatMoment } from '../../domain/content/values.ts'
import { decidePublish, type PublishDecision, type Publisher, warnOf } from '../../domain/publishing/decision.ts'
import {
  nextLower,
  type RepositoryState,
  readListedVersion,
  readRepositoryState,
} from '../../domain/publishing/repository-state.ts'
import type { PublishInput } from '../../domain/publishing/request.ts'
import type { FolderState, PublishMark } from '../../ports/git-store.ts'
import { measure } from '../../ports/measure.ts'
import { type Bearer, requireRights } from './authenticate.ts'
import type { RepositoryWrite, Round } from './rounds.ts'

/** A request that has passed all checks that do not need git. */
export interface AcceptedPublish {
  owner: string
  name: string
  bearer: Bearer
  body: PublishInput
  /** Digests of the Idempotency-Key and the request; undefined without a key. */
  idempotency: { key: string; request: string } | undefined
  /** The time when the request arrived, in milliseconds. */
  arrivedMs: number
  /** The same in all rounds; distinguishes our own commit from others. */
  operationId: string
  /** The versions in the fresh copy, which exist even if a git listing lacks them. */
  known: readonly string[]
  addresses: Addresses
}

/** The outcome of a publish. */
export interface Outcome {
  record: VersionRecord
  /** The warnings about the version. */
  warnings: Warning[]
  /** Whether this request added the version. */
  isNew: boolean
  isUnchanged: boolean
  isReplay: boolean
  commit: { sha: string; url: string | null } | null
}

/** The state that a round determines before it decides. */
interface RoundState {
  state: RepositoryState
  /** The publish that this request repeats, or undefined. */
  earlier: PublishMark | undefined
  /** The version whose file is needed for the decision, or undefined. */
  needed: string | undefined
}

/** The outcome of one round. */
export type PublishRound = Round<PublishDecision, Outcome>

/** Converts a publish to a write for `rounds`. */
export function publishAsWrite(accepted: AcceptedPublish): RepositoryWrite<PublishDecision, Outcome> {
  const { owner, name, arrivedMs, operationId, known, idempotency } = accepted
  return {
    owner,
    name,
    arrivedMs,
    operationId,
    known,
    needsHistory: idempotency !== undefined,
    decide: async (folder, readVersion) => {
      const standing = readRoundState(accepted, folder)
      const { needed } = standing
      return decideRound(accepted, standing, needed === undefined ? undefined : await readVersion(needed))
    },
  }
}

/** Checks access, and derives the repository's state and the needed file from a git listing. @throws HubError `forbidden`, `idempotency_key_reused`, or `upstream_error` for a broken file */
export function readRoundState(accepted: AcceptedPublish, folder: FolderState): RoundState {
  const { owner, name, bearer, idempotency } = accepted
  requireRights(bearer, { owner, name }, 'publish', folder.ownerIndex)
  const earlier = folder.publishes.find(
    ({ trailers }) => idempotency && trailers.get('Idempotency-Key') === idempotency.key,
  )
  if (earlier && earlier.trailers.get('Request-Digest') !== idempotency?.request)
    throw new HubError(
      'idempotency_key_reused',
      'This Idempotency-Key was already used with another body. Use a new key for each publish, and repeat a key only with the same body.',
    )
  const state = readRepositoryState({ owner, name, versions: folder.versions.keys(), index: folder.index })
  return { state, earlier, needed: earlier ? (earlier.trailers.get('Version') ?? '') : state.latest }
}

/**
 * Decides a round.
 *
 * @param text the file of the needed version, or undefined
 * @throws HubError for every rejection; see `decidePublish`
 */
export function decideRound(accepted: AcceptedPublish, standing: RoundState, text: string | undefined): PublishRound {
  const { state, earlier } = standing
  if (earlier) return { kind: 'answer', answer: replay(earlier, state, text, accepted.addresses) }
  const { owner, name, body, addresses, operationId, idempotency } = accepted
  const publisher = publisherOf(accepted)
  const decision = decidePublish(body, state, text, publisher, { measure, addresses })
  const { isUnchanged, versionText, indexText, version } = decision
  if (body.dry_run || (isUnchanged && indexText === undefined))
    return { kind: 'answer', answer: { ...outcomeOf(decision, null), isNew: false } }
  const headline = isUnchanged ? `Update ${owner}/${name}` : `Publish ${owner}/${name} ${version.version}`
  const trailers: [string, string][] = [
    ['Version', version.version],
    ['Published-By', publisher.published_by],
    ['Operation-Id', operationId],
  ]
  if (idempotency) trailers.push(['Idempotency-Key', idempotency.key], ['Request-Digest', idempotency.request])
  const addition = versionText === undefined ? undefined : { version: version.version, text: versionText }
  return {
    kind: 'commit',
    decision,
    additions: { owner, name, message: { headline, trailers }, version: addition, index: indexText },
  }
}

/** Returns the outcome of a decision. @param commit the commit, or null */
export function outcomeOf({ record, warnings, isUnchanged }: PublishDecision, commit: Outcome['commit']): Outcome {
  return { record, warnings, isNew: !isUnchanged, isUnchanged, isReplay: false, commit }
}

function publisherOf({ bearer, owner, arrivedMs }: AcceptedPublish): Publisher {
  return {
    published_by: bearer.login ?? owner,
    published_at: formatMoment(new Date(arrivedMs)),
    provenance: bearer.provenance,
  }
}

/** Rebuilds the earlier publish's response from its commit and file. */
function replay(
  { sha, url, headline, trailers }: PublishMark,
  state: RepositoryState,
  text: string | undefined,
  addresses: Addresses,
): Outcome {
  const version = trailers.get('Version') ?? ''
  const file = readListedVersion(state, version, text)
  const entry = { ...file, ...measure(file.content), version }
  return {
    record: recordVersion(entry, nextLower(state.versions, version), state, addresses),
    warnings: warnOf(entry, state),
    isNew: false,
    isUnchanged: headline.startsWith('Update '),
    isReplay: true,
    commit: { sha, url },
  }
}
