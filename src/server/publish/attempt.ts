// Owns one accepted publish on its way into git: what each round decides, what a retry finds, and the fresh copy at the end.
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../../domain/api/errors.ts'
import { addressesBelow } from '../../domain/api/record-links.ts'
import type { VersionRecord, Warning } from '../../domain/api/schema.ts'
import { recordVersion } from '../../domain/catalogue/catalogue.ts'
import { parseVersionFile } from '../../domain/content/prompt-file.ts'
import {
  decidePublish,
  latestOf,
  nextLower,
  type PublishDecision,
  type RepositoryState,
  warnAgain,
} from '../../domain/publishing/decision.ts'
import type { PublishRequest } from '../../domain/publishing/request.ts'
import type { FreshCopies, FreshCopy } from '../../ports/fresh-copies.ts'
import type { FolderState, GitStore, PublishMark } from '../../ports/git-store.ts'
import type { SiteFiles } from '../../ports/site-files.ts'
import { measure } from '../measure.ts'
import { repositoryTag } from '../respond.ts'
import { type Caller, requireRights } from './authenticate.ts'
import type { Enqueue } from './queue.ts'
import { renewFreshCopy } from './renew-fresh-copy.ts'
import { publishInRounds, type ReadVersion, type Round } from './rounds.ts'

/** What a publish needs once it is accepted. */
export interface PublishTools {
  baseUrl: string
  git: GitStore
  fresh: FreshCopies
  siteFiles: SiteFiles
  /** Drops what the CDN keeps under a tag; its failure never fails a publish. */
  purge: (cacheTag: string) => Promise<void>
  /** Runs publishes to the branch one after the other: any commit makes every other one's head stale. Correctness never rests on it. */
  enqueue: Enqueue
}

/** A request that passed every check that needs no git. */
interface AcceptedPublish {
  owner: string
  name: string
  caller: Caller
  body: PublishRequest
  /** Digests of the Idempotency-Key and of the request; undefined without a key. */
  idempotency: { key: string; request: string } | undefined
  arrived: Date
}

/** What a publish came to. */
export interface Outcome {
  record: VersionRecord
  /** What is worth a second look. */
  warnings: Warning[]
  /** Whether a version was added by this very request. */
  isNew: boolean
  isUnchanged: boolean
  isReplay: boolean
  commit: { sha: string; url: string | null } | null
}

/** SHA-256 of some parts, in hex; no part holds a NUL. */
export function digest(...parts: string[]): string {
  return hash('sha256', parts.join('\0'))
}

/** Publishes. @throws HubError for every refusal of docs/contract.md section 6 that needs git */
export async function publishToGit(accepted: AcceptedPublish, tools: PublishTools): Promise<Outcome> {
  const { owner, name, caller, body, idempotency, arrived } = accepted
  const addresses = addressesBelow(tools.baseUrl)
  const publisher = {
    published_by: caller.login ?? owner,
    published_at: `${arrived.toISOString().slice(0, 19)}Z`,
    provenance: caller.provenance,
  }
  const operationId = randomUUID()
  const known = await tools.fresh.find(owner, name)

  // The copy is made in the same turn: made later, an older publish could overwrite what a newer one shows.
  return tools.enqueue(async () => {
    const ending = await publishInRounds<Outcome, PublishDecision>(
      tools.git,
      {
        owner,
        name,
        operationId,
        needsHistory: idempotency !== undefined,
        arrivedMs: arrived.getTime(),
        isStale: (state) => lacksKnownVersion(state, known),
        decide,
      },
      { now: Date.now, random: Math.random, sleep },
    )
    if (ending.kind === 'answer') return ending.answer
    const { state, decision, commit } = ending
    await showAtOnce(state, decision, accepted, tools)
    const { record, warnings, isUnchanged } = decision
    return { record, warnings, isNew: !isUnchanged, isUnchanged, isReplay: false, commit }
  })

  async function decide(state: FolderState, readVersion: ReadVersion): Promise<Round<Outcome, PublishDecision>> {
    requireRights(caller, owner, name, state.ownerIndex)
    const earlier = findEarlier(state, idempotency?.key)
    if (earlier) return { kind: 'answer', answer: await replay(earlier, state, readVersion) }
    const repository: RepositoryState = { owner, name, versions: [...state.versions.keys()], index: state.index }
    const latest = latestOf(repository)
    const decision = decidePublish(
      body,
      repository,
      latest === undefined ? undefined : await readVersion(latest),
      publisher,
      { measure, addresses },
    )
    const { record, warnings, isUnchanged, versionText, indexText, version } = decision
    if (body.dry_run || (isUnchanged && indexText === undefined))
      return { kind: 'answer', answer: { record, warnings, isNew: false, isUnchanged, isReplay: false, commit: null } }
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

  async function replay(
    { sha, url, headline, trailers }: PublishMark,
    state: FolderState,
    readVersion: ReadVersion,
  ): Promise<Outcome> {
    if (trailers.get('Request-Digest') !== idempotency?.request) {
      throw new HubError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another body. Send each publish with a key of its own, and repeat a key only with the same body.',
      )
    }
    const version = trailers.get('Version') ?? ''
    const parsed = parseVersionFile((await readVersion(version)) ?? '')
    if (parsed.problems)
      throw new HubError(
        'upstream_error',
        `content/${owner}/${name}/versions/${version}.md on the branch cannot be read. Mend it in git.`,
      )
    const entry = { ...parsed.value, ...measure(parsed.value.content), version }
    const record = recordVersion(entry, nextLower([...state.versions.keys()], version), { owner, name }, addresses)
    return {
      record,
      warnings: warnAgain(entry, { owner, name, versions: [...state.versions.keys()], index: state.index }),
      isNew: false,
      isUnchanged: headline.startsWith('Update '),
      isReplay: true,
      commit: { sha, url },
    }
  }
}

function findEarlier({ publishes }: FolderState, key: string | undefined): PublishMark | undefined {
  return key === undefined ? undefined : publishes.find(({ trailers }) => trailers.get('Idempotency-Key') === key)
}

/** A version that was answered with 201 exists, whatever a lagging listing says. */
function lacksKnownVersion({ versions }: FolderState, known: FreshCopy | undefined): boolean {
  return known?.versions.some(({ version }) => !versions.has(version)) ?? false
}

/** Nothing here can take the publish back, so nothing here may fail it. */
async function showAtOnce(
  state: FolderState,
  decision: PublishDecision,
  { owner, name }: AcceptedPublish,
  tools: PublishTools,
): Promise<void> {
  try {
    await renewFreshCopy({ owner, name, state, decision }, tools, new Date())
    await tools.purge(repositoryTag(owner, name))
  } catch (error) {
    console.error(
      JSON.stringify({
        level: 'warning',
        message: 'A publish is not shown before the next build.',
        cause: error instanceof Error ? error.message : String(error),
      }),
    )
  }
}
