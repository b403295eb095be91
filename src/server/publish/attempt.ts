// Carries out one accepted write, from the queue to the fresh copy.
import { ownerTag, repositoryTag, tagTag } from '../../domain/api/routes.ts'
import type { FreshCopies } from '../../ports/fresh-copies.ts'
import type { GitStore } from '../../ports/git-store.ts'
import type { SiteFiles } from '../../ports/site-files.ts'
import { type AcceptedPublish, type Outcome, outcomeOf, publishAsWrite } from './decide-round.ts'
import { renewFreshCopy, type Written } from './renew-fresh-copy.ts'
import { type Ending, LATEST_START_MS, type RepositoryWrite, type TimeAndChance, writeInRounds } from './rounds.ts'
import type { TakeTurn } from './turns.ts'

/** The dependencies of a publish once it is accepted. */
export interface PublishTools {
  baseUrl: string
  git: GitStore
  fresh: FreshCopies
  siteFiles: SiteFiles
  /** Purges what caches hold under any of the tags; a failure never fails a publish. */
  purge: (cacheTags: string[]) => Promise<void>
  /** Runs this process's publishes to the branch one at a time; git keeps several processes apart. Without the queue publishes would still be correct, but repeated more often: any commit outdates the head that the others read. */
  takeTurn: TakeTurn
}

/** Carries out an accepted publish in its turn. @throws HubError for every rejection in docs/contract.md section 6 that needs git */
export async function publishToGit(
  accepted: Omit<AcceptedPublish, 'known' | 'operationId'>,
  tools: PublishTools,
  time: TimeAndChance,
): Promise<Outcome> {
  const operationId = time.newId()
  const ending = await writeToGit(
    { ...accepted, publisher: accepted.bearer.publisher },
    (known) => publishAsWrite({ ...accepted, known, operationId }),
    ({ file, version, record, isUnchanged }) => ({ file, entry: version, added: isUnchanged ? undefined : record }),
    tools,
    time,
  )
  return ending.kind === 'answer' ? ending.answer : outcomeOf(ending.decision, ending.commit)
}

/**
 * Carries out a write in its sender's turn, and makes it visible at once.
 *
 * @param writeOf creates the write, from the versions in the fresh copy
 * @param shownOf the parts of a decision that the fresh copy needs
 */
export async function writeToGit<Decision, Answer>(
  asked: { owner: string; name: string; publisher: string; bearer: { login: string | undefined }; arrivedMs: number },
  writeOf: (known: readonly string[]) => RepositoryWrite<Decision, Answer>,
  shownOf: (decision: Decision) => Pick<Written, 'file' | 'entry' | 'added'>,
  tools: PublishTools,
  time: TimeAndChance,
): Promise<Ending<Decision, Answer>> {
  const { owner, name, publisher, arrivedMs, bearer } = asked
  // The copy is made in the same turn. Made later, the copy of an older write could replace that of a newer one.
  const turn = { publisher, waitMs: arrivedMs + LATEST_START_MS - time.now() }
  return tools.takeTurn(turn, async () => {
    const copy = await tools.fresh.find(owner, name)
    const known = copy?.versions.map(({ version }) => version) ?? []
    const ending = await writeInRounds(tools.git, writeOf(known), time)
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
      await showAtOnce(written, copy?.repository.tags ?? [], tools, new Date(time.now()))
    }
    return ending
  })
}

/** The commit exists by now, so a failure here is logged and the write succeeds. */
export async function showAtOnce(
  written: Parameters<typeof renewFreshCopy>[0],
  tagsBefore: readonly string[],
  tools: PublishTools,
  now: Date,
): Promise<void> {
  try {
    await renewFreshCopy(written, tools, now)
    const { owner, name, file } = written
    const tags = new Set([...tagsBefore, ...file.tags])
    await tools.purge([repositoryTag(owner, name), ownerTag(owner), ...[...tags].map(tagTag)])
  } catch (error) {
    const { logTrouble } = await import('../../ports/log.ts')
    logTrouble('warning', 'A write is not shown before the next build.', { cause: error })
  }
}
