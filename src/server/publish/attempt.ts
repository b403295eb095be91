// Carries out one accepted publish, from its turn at git to the fresh copy at its end.
import { ownerTag, repositoryTag, tagTag } from '../../domain/api/routes.ts'
import type { FreshCopies } from '../../ports/fresh-copies.ts'
import type { GitStore } from '../../ports/git-store.ts'
import type { SiteFiles } from '../../ports/site-files.ts'
import { type AcceptedPublish, type Outcome, outcomeOf } from './decide-round.ts'
import { type Published, renewFreshCopy } from './renew-fresh-copy.ts'
import { LATEST_START_MS, publishInRounds, type TimeAndChance } from './rounds.ts'
import type { TakeTurn } from './turns.ts'

/** What a publish needs once it is accepted. */
export interface PublishTools {
  baseUrl: string
  git: GitStore
  fresh: FreshCopies
  siteFiles: SiteFiles
  /** Drops what caches keep under any of the tags; its failure never fails a publish. */
  purge: (cacheTags: string[]) => Promise<void>
  /** Runs publishes of this process to the branch one after the other; git keeps those of several processes apart. Without turns publishes would still be correct, but would be repeated more often: any commit makes the head that the others read stale. */
  takeTurn: TakeTurn
}

/** Carries out an accepted publish in its turn. @throws HubError for every refusal of docs/contract.md section 6 that needs git */
export async function publishToGit(
  accepted: Omit<AcceptedPublish, 'known' | 'operationId'>,
  tools: PublishTools,
  time: TimeAndChance,
): Promise<Outcome> {
  const { owner, name } = accepted
  const copy = await tools.fresh.find(owner, name)
  const known = copy?.versions.map(({ version }) => version) ?? []
  const operationId = time.newId()
  // The copy is made in the same turn. Made later, the copy of an older publish could replace that of a newer one.
  const turn = { publisher: accepted.bearer.publisher, waitMs: accepted.arrivedMs + LATEST_START_MS - time.now() }
  return tools.takeTurn(turn, async () => {
    const ending = await publishInRounds(tools.git, { ...accepted, known, operationId }, time)
    if (ending.kind === 'answer') return ending.answer
    const { folder, decision, commit } = ending
    await showAtOnce({ owner, name, folder, decision, commit: commit.sha }, tools, new Date(time.now()))
    return outcomeOf(decision, commit)
  })
}

/** The commit is made by now, so a failure here is logged and the publish is answered as done. */
async function showAtOnce(published: Published, tools: PublishTools, now: Date): Promise<void> {
  try {
    await renewFreshCopy(published, tools, now)
    const { owner, name, decision } = published
    await tools.purge([repositoryTag(owner, name), ownerTag(owner), ...decision.file.tags.map(tagTag)])
  } catch (error) {
    const { logTrouble } = await import('../../ports/log.ts')
    logTrouble('warning', 'A publish is not shown before the next build.', { cause: error })
  }
}
