// Carries out one accepted write, from the queue to the fresh copy.
import { ownerCacheTag, repositoryCacheTag, tagCacheTag } from '../../domain/api/routes.ts'
import type { FreshCopies } from '../../ports/fresh-copies.ts'
import type { GitStore } from '../../ports/git-store.ts'
import type { SiteFiles } from '../../ports/site-files.ts'
import { type AcceptedPublish, type Outcome, outcomeOf, publishAsWrite } from './decide-round.ts'
import { renewFreshCopy, type Written } from './renew-fresh-copy.ts'
import { type Clock, type FinalOutcome, LATEST_START_MS, type RepositoryWrite, writeInRounds } from './rounds.ts'
import type { TakeTurn } from './turns.ts'

/** The dependencies of an accepted publish. */
export interface PublishDeps {
  baseUrl: string
  git: GitStore
  fresh: FreshCopies
  siteFiles: SiteFiles
  /** Purges all cache entries with any of the tags; if this fails, the publish still succeeds. */
  purge: (cacheTags: string[]) => Promise<void>
  /** Runs this process's publishes to the branch one at a time; git prevents conflicts between processes. Without the queue, publishes would still be correct but repeated more often, because every commit outdates the head that the others have read. */
  takeTurn: TakeTurn
}

/** Carries out an accepted publish when it is its turn. @throws HubError for every rejection in docs/contract.md section 6 that requires git */
export async function publishToGit(
  accepted: Omit<AcceptedPublish, 'known' | 'operationId'>,
  deps: PublishDeps,
  time: Clock,
): Promise<Outcome> {
  const operationId = time.newId()
  const ending = await writeToGit(
    { ...accepted, publisher: accepted.bearer.publisher },
    (known) => publishAsWrite({ ...accepted, known, operationId }),
    ({ file, version, record, isUnchanged }) => ({ file, entry: version, added: isUnchanged ? undefined : record }),
    deps,
    time,
  )
  return ending.kind === 'answer' ? ending.answer : outcomeOf(ending.decision, ending.commit)
}

/**
 * Carries out a write when it is its sender's turn, and makes it visible immediately.
 *
 * @param writeOf creates the write from the versions in the fresh copy
 * @param shownOf returns the parts of a decision that the fresh copy needs
 */
export async function writeToGit<Decision, Answer>(
  asked: { owner: string; name: string; publisher: string; bearer: { login: string | undefined }; arrivedMs: number },
  writeOf: (known: readonly string[]) => RepositoryWrite<Decision, Answer>,
  shownOf: (decision: Decision) => Pick<Written, 'file' | 'entry' | 'added'>,
  deps: PublishDeps,
  time: Clock,
): Promise<FinalOutcome<Decision, Answer>> {
  const { owner, name, publisher, arrivedMs, bearer } = asked
  // The copy is made in the same turn. If it were made later, an older write's copy could replace a newer one.
  const turn = { publisher, waitMs: arrivedMs + LATEST_START_MS - time.now() }
  return deps.takeTurn(turn, async () => {
    const copy = await deps.fresh.find(owner, name)
    const known = copy?.versions.map(({ version }) => version) ?? []
    const ending = await writeInRounds(deps.git, writeOf(known), time)
    if (ending.kind === 'committed') {
      const { folder, decision, commit } = ending
      const written = {
        owner,
        name,
        folder,
        ...shownOf(decision),
        commit: commit.sha,
        before: copy?.commit,
        by: bearer.login ?? owner,
      }
      await showAtOnce(written, copy?.repository.tags ?? [], deps, new Date(time.now()))
    }
    return ending
  })
}

/** Shows a write to readers. Its commit already exists, so failures here are only logged and the write succeeds. */
export async function showAtOnce(
  written: Parameters<typeof renewFreshCopy>[0],
  tagsBefore: readonly string[],
  deps: PublishDeps,
  now: Date,
): Promise<void> {
  try {
    await renewFreshCopy(written, deps, now)
    const { owner, name, file } = written
    const tags = new Set([...tagsBefore, ...file.tags])
    await deps.purge([repositoryCacheTag(owner, name), ownerCacheTag(owner), ...[...tags].map(tagCacheTag)])
  } catch (error) {
    const { logProblem } = await import('../../ports/log.ts')
    logProblem('warning', 'A write will not be visible until the next build.', { cause: error })
  }
}
