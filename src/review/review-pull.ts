// Reviews the content of a pull request: the report, the number of problems, and whether its owners agree. Nothing from
// the pull request is executed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mayActFor } from '../domain/access/memberships.ts'
import type { Person } from '../domain/access/person.ts'
import { parsePath } from '../domain/content/content-path.ts'
import {
  hasPublishingRule,
  type OwnerFile,
  parseOwnerFile,
  parseRepositoryFile,
} from '../domain/content/prompt-file.ts'
import { openPullTree, type PullTree } from '../github/pull-tree.ts'
import { reviewContent } from './review-content.ts'
import { checkApprovals, checkProtections, checkTakedowns, type RemovedNumbers } from './rules/pull-owners.ts'
import { formatPullReport } from './rules/pull-report.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The result of a review. */
interface PullReview {
  /** The comment for the pull request. */
  report: string
  problems: number
  /** Whether the owner of a changed file, or a maintainer, must still approve. */
  waits: boolean
  /** The number of changed files in the content folder. */
  changed: number
}

/**
 * Reviews a pull request.
 *
 * @param repository the clone with both commits
 * @param environment names the two commits (BASE_SHA, HEAD_SHA), the author (AUTHOR, AUTHOR_ID), and whether a maintainer approved (APPROVED); git gets the rest
 * @throws Error if a value is missing, or the pull request cannot be read
 */
export async function reviewPull(repository: string, environment: Environment): Promise<PullReview> {
  const { BASE_SHA: base = '', HEAD_SHA: head = '', AUTHOR = '', AUTHOR_ID = '', APPROVED = '' } = environment
  if (![base, head].every((sha) => /^[0-9a-f]{40,64}$/.test(sha)) || !/^[\w[\]-]{1,64}$/.test(AUTHOR))
    throw new Error('expected BASE_SHA, HEAD_SHA and AUTHOR')
  if (!/^[1-9]\d{0,15}$/.test(AUTHOR_ID)) throw new Error('expected AUTHOR_ID, the number of an account at GitHub')
  const folder = mkdtempSync(join(tmpdir(), 'prompt-hub-pull-'))
  try {
    const tree = await openPullTree({ repository, base, head }, folder, environment)
    const isApproved = APPROVED === 'true'
    const files = await readOwners(tree)
    const author = { login: AUTHOR.toLowerCase(), user_id: AUTHOR_ID }
    const judged = [
      ...checkApprovals(tree.changed, author, (owner) => files.get(owner)),
      ...checkProtections(await readRules(tree, files)),
      ...checkTakedowns(await readRemoved(tree)),
    ]
    const review = await reviewContent({
      contentDir: tree.contentDir,
      base,
      environment,
      mayBePublisher: (owner, login) => login === author.login || namesMember(files.get(owner), login),
      mayReport: (owner) => mayReport(author, owner, files.get(owner)),
    })
    const owners = [...judged, ...review.approvals]
    const notes = [
      ...(owners.some(({ isByName }) => isByName) ? [describeName(author)] : []),
      ...(tree.isConflict ? ['It **conflicts** with its base branch. Resolve the conflicts first.'] : []),
      ...(tree.outside > 0
        ? [`It also changes ${tree.outside} files outside \`content/\`, which are not reviewed here.`]
        : []),
      ...review.notes,
    ]
    return {
      report: formatPullReport({ ...review, notes, owners, head, isApproved }),
      problems: review.entries.filter(({ severity }) => severity === 'error').length + (tree.isConflict ? 1 : 0),
      waits: !isApproved && owners.some(({ isAllowed }) => !isAllowed),
      changed: tree.changed.length,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Says what a review cannot know: only the hub's state has the account that first signed in with a login. */
const describeName = ({ user_id }: Person) =>
  `The author is known by name, and GitHub can give a name to another account. To trust this account alone, list its ID \`${user_id}\` in \`members\` instead of the name.`

/** Reads the affected owners' files from the base, because changes to members in the pull request itself take effect only after it is merged. */
async function readOwners(tree: PullTree): Promise<Map<string, OwnerFile | 'broken'>> {
  const owners = new Set(tree.changed.filter((path) => path.includes('/')).map((path) => path.split('/')[0]!))
  const files = new Map<string, OwnerFile | 'broken'>()
  for (const owner of owners) {
    const file = await readOwner(tree, 'base', owner)
    if (file) files.set(owner, file)
  }
  return files
}

async function readOwner(
  tree: PullTree,
  side: 'base' | 'merged',
  owner: string,
): Promise<OwnerFile | 'broken' | undefined> {
  const text = await tree.readAt(side, `${owner}/index.md`).catch(() => null)
  return text === undefined ? undefined : (text !== null && parseOwnerFile(text).value) || 'broken'
}

/** Reads the files of the owners whose own file changes, at the base and after the merge. */
async function readRules(tree: PullTree, files: ReadonlyMap<string, OwnerFile | 'broken'>) {
  const changed = [...files].filter(([owner]) => tree.changed.includes(`${owner}/index.md`))
  return Promise.all(
    changed.map(async ([owner, before]) => ({ owner, before, after: await readOwner(tree, 'merged', owner) })),
  )
}

/** Reads what the changed `index.md` of prompts name in `removed`. */
async function readRemoved(tree: PullTree): Promise<RemovedNumbers[]> {
  const prompts: RemovedNumbers[] = []
  for (const path of tree.changed) {
    const place = parsePath(path).value
    if (place?.kind !== 'repository') continue
    const readAt = async (side: 'base' | 'merged') => {
      const text = await tree.readAt(side, path).catch(() => null)
      if (text === undefined) return []
      const file = text === null ? undefined : parseRepositoryFile(text).value
      return file && Object.keys(file.removed)
    }
    const { owner, name } = place
    prompts.push({ owner, name, before: await readAt('base'), after: await readAt('merged') })
  }
  return prompts
}

/** Returns whether the author could report results to the hub, so that those in the pull request count at once. */
function mayReport(author: Person, owner: string, file: OwnerFile | 'broken' | undefined): boolean {
  return file !== 'broken' && !hasPublishingRule(file, 'trusted-only') && mayActFor(author, owner, file)
}

function namesMember(file: OwnerFile | 'broken' | undefined, login: string): boolean {
  return file !== undefined && file !== 'broken' && file.members.includes(login)
}
