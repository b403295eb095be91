// Defines what all writes have in common, and carries out an accepted write, from the queue until readers see it.

import type { Permission } from '../../domain/access/token.ts'
import { ownerCacheTag, repositoryCacheTag, tagCacheTag } from '../../domain/api/caching.ts'
import { type ChangeMark, listTrailers } from '../../domain/catalogue/change-mark.ts'
import type { Additions, FolderState } from '../../git/git-store.ts'
import type { FreshCopy, WriteOrigin } from '../../state/fresh-copies.ts'
import { respondWithRecord, respondWithText } from '../respond.ts'
import { type Clock, LATEST_START_MS, type RepositoryWrite, type WriteDecision, writeWithRetries } from './attempts.ts'
import type { Bearer } from './authenticate.ts'
import type { PublishHub } from './publish-hub.ts'
import type { Readers } from './read-from-git.ts'
import { renewFreshCopy, type Written } from './renew-fresh-copy.ts'

/** A write by an authenticated sender. */
export interface Sending {
  owner: string
  /** Empty if the write is to the owner itself. */
  name: string
  bearer: Bearer
  /** When the request had arrived, in milliseconds since 1970. */
  arrivedMs: number
  /** Whether the sender wants a response in text, where there is one. */
  wantsText?: boolean
}

/** Parses the body of a write whose URL and headers are valid: text or, for a publish, an archive. @throws HubError with all of its problems */
export type ParseWrite = (
  body: string | Uint8Array<ArrayBuffer>,
  deps: Pick<PublishHub, 'runLong' | 'parseArchive'>,
) => Promise<ParsedWrite>

/** A write whose body is valid. */
interface ParsedWrite {
  /** The permission that the write needs. */
  needed: Permission
  /** Carries out the write. @throws HubError for every rejection in docs/contract.md section 6 that requires git */
  carryOut(sending: Sending, deps: PublishHub, time: Clock): Promise<Response>
  /** The prompts that it changes; by default, the one of the path. */
  names?: readonly string[]
}

/**
 * Opens a write of one commit that needs no more than the permission to publish.
 *
 * @param read parses the body, which is no archive: only a publish may be one
 * @param decide decides an attempt
 */
export function openCommit<Change>(
  read: (body: string) => Change,
  decide: (
    sending: Sending,
    change: Change,
    folder: FolderState,
    readers: Readers,
    deps: PublishHub,
    time: Clock,
  ) => Promise<WriteDecision>,
): ParseWrite {
  return async (body) => {
    const change = read(String(body))
    return {
      needed: 'publish',
      async carryOut(sending, deps, time) {
        const write = {
          ...sending,
          needsHistory: false,
          decide: (folder: FolderState, readers: Readers) => decide(sending, change, folder, readers, deps, time),
        }
        return writeToGit(write, sending.bearer, deps, time)
      },
    }
  }
}

/** Returns the message of a commit that changes what is already published. */
export function changeMessage(
  { owner, bearer }: Sending,
  headline: string,
  mark: ChangeMark = markOf(bearer),
): Additions['message'] {
  return { headline, trailers: [['Changed-By', bearer.login ?? owner], ...listTrailers(mark)] }
}

/** Returns what a commit says of its sender and, of a label that moves, why and of which prompts it went back. */
export function markOf(
  { tokenName, provenance }: Pick<Bearer, 'tokenName' | 'provenance'>,
  { reason = null, restored = [] }: { reason?: string | null | undefined; restored?: readonly string[] } = {},
): ChangeMark {
  const by_workflow = provenance ? `${provenance.repository}/${provenance.workflow}` : null
  return { by_token: tokenName ?? null, by_workflow, reason, restored }
}

/** Carries out a write when it is its sender's turn, and makes it visible immediately. @throws HubError for every rejection in docs/contract.md section 6 that requires git */
export async function writeToGit(
  write: RepositoryWrite,
  { publisher, login }: Pick<Bearer, 'publisher' | 'login'>,
  deps: PublishHub,
  time: Clock,
): Promise<Response> {
  const { owner, name, arrivedMs } = write
  return writeInTurn({ sender: publisher, arrivedMs }, deps, time, async () => {
    const copy = await deps.fresh.find('repositories', owner, name)
    const { answer, toShow, published } = await writeWithRetries(write, deps, copy, time)
    if (published) await showSafely(() => deps.rememberVersion({ owner, name }, published))
    const { data, status, headers, inText } = answer
    const response = inText ? respondWithText(inText(data), status, headers) : respondWithRecord(data, status, headers)
    if (!toShow) return { response }
    const written = { owner, name, ...toShow }
    return { response, show: await openShowing(written, copy, { login }, deps, new Date(time.now())) }
  })
}

/** Writes when it is the sender's turn, and then makes visible what was written: other writes need not wait for that. @param work returns the response, and what makes it visible */
export async function writeInTurn(
  { sender, arrivedMs }: { sender: string; arrivedMs: number },
  { takeTurn }: Pick<PublishHub, 'takeTurn'>,
  time: Clock,
  work: () => Promise<{ response: Response; show?: () => Promise<void> }>,
): Promise<Response> {
  const waitMs = arrivedMs + LATEST_START_MS - time.now()
  const { response, show } = await takeTurn({ sender, waitMs }, work)
  await show?.()
  return response
}

/**
 * Opens what makes a written repository visible; see `openShow`.
 *
 * @param copy the copy that existed when the write was decided
 * @param now for the activity
 */
export async function openShowing(
  written: Written & { commit: string; atMs: number | undefined },
  copy: FreshCopy | undefined,
  { login }: Pick<Bearer, 'login'>,
  deps: PublishHub,
  now: Date,
): Promise<() => Promise<void>> {
  const { owner, name, commit, atMs, file } = written
  const keptMs = atMs ?? deps.nextOrder(`${owner}/${name}`)
  const keepCopy = async () => {
    await renewFreshCopy({ ...written, keptMs, before: copy?.commit, by: login ?? owner }, deps, now)
    const tags = new Set([...(copy?.repository.tags ?? []), ...file.tags])
    await deps.purge([repositoryCacheTag(owner, name), ownerCacheTag(owner), ...[...tags].map(tagCacheTag)])
  }
  return openShow({ owner, name, commit, kept_at: new Date(keptMs).toISOString() }, keepCopy, deps)
}

/**
 * Makes a write visible. Where other machines serve the hub as well, its copy is stored in the turn of the write: if it were stored
 * later, an older write's copy could replace a newer copy. Elsewhere, the catalogue advances, and a copy shows the write only if it cannot.
 *
 * @returns what makes the write visible in this process, after its turn
 */
export async function openShow(
  origin: WriteOrigin,
  keepCopy: () => Promise<void>,
  { isAlone, advance }: Pick<PublishHub, 'isAlone' | 'advance'>,
): Promise<() => Promise<void>> {
  if (!isAlone) await showSafely(keepCopy)
  return async () => {
    if (!(await advance(origin)) && isAlone) await showSafely(keepCopy)
  }
}

/** Makes a write visible to readers. Its commit already exists, so failures here are only logged and the write still succeeds. */
async function showSafely(show: () => Promise<void>): Promise<void> {
  try {
    await show()
  } catch (error) {
    const { logProblem } = await import('../../log.ts')
    logProblem('warning', 'fresh_copy_failed', 'A write will not be visible until the next build.', { cause: error })
  }
}
