// Checks the GitHub branch that the hub publishes to: it exists, accepts commits, and rejects force pushes.
import * as z from 'zod'
import { type Check, type Finding, fail, warn } from './checks.ts'
import { type PublishingPlace, requireResponse } from './publishing-place.ts'

const Sha = z.object({ sha: z.string() })
const Head = z.object({ commit: z.object({ sha: z.string(), commit: z.object({ tree: Sha }).optional() }) })
const Commit = z.object({ tree: Sha })
const Rules = z.array(z.object({ type: z.string(), ruleset_id: z.int().optional() }))
const Ruleset = z.object({ name: z.string(), current_user_can_bypass: z.string().optional() })

/** Rules that block a commit made directly on the branch. @see https://docs.github.com/rest/repos/rules */
const STOPPING: ReadonlySet<string> = new Set([
  ...['pull_request', 'required_status_checks', 'update', 'merge_queue', 'workflows', 'required_deployments'],
  ...['code_scanning', 'code_quality'],
])
/** The rule that prevents a force push from removing published versions. */
const KEEPING = 'non_fast_forward'

/** Checks that need a repository that the credential can access. */
export const BRANCH_CHECKS: readonly Check<PublishingPlace>[] = [
  {
    name: 'github-branch',
    about: 'the branch exists and has a commit',
    needs: ['github-repository'],
    run: checkBranch,
  },
  {
    name: 'github-write',
    about: 'contents can be written (by creating a commit outside any branch)',
    needs: ['github-branch'],
    run: checkWriting,
  },
  {
    name: 'github-protection',
    about: 'the hub may commit to the branch',
    needs: ['github-write'],
    run: checkProtection,
  },
]

const BRANCH = 'GET /repos/{owner}/{repo}/branches/{branch}'

async function checkBranch({ ask, branch, repository }: PublishingPlace): Promise<Finding[]> {
  const { status } = requireResponse(await ask(BRANCH, { branch }))
  return status === 200
    ? []
    : [
        fail(
          `${repository} has no branch ${branch}.`,
          'Create a first commit on it, such as a README.md, or set GITHUB_BRANCH to an existing branch.',
        ),
      ]
}

/** Creates a commit with the same tree as the branch head. No branch points to it, so GitHub deletes it eventually. */
async function checkWriting({ ask, branch, repository, isApp }: PublishingPlace): Promise<Finding[]> {
  const { commit } = Head.parse(requireResponse(await ask(BRANCH, { branch })).data)
  const read = requireResponse(await ask('GET /repos/{owner}/{repo}/git/commits/{sha}', { sha: commit.sha }))
  const tree = Commit.safeParse(read.data).data?.tree.sha
  const made = tree
    ? requireResponse(
        await ask('POST /repos/{owner}/{repo}/git/commits', {
          ...{ message: 'Whether the hub may write (npm run doctor)', tree, parents: [commit.sha] },
        }),
      ).status
    : read.status
  if (made === 201) return []
  return [
    fail(
      `The credential has no write access to the contents of ${repository} (${made}).`,
      isApp
        ? 'Give the App the permission Contents: Read and write, and accept the change where it is installed.'
        : 'Give the token the permission Contents: Read and write for this repository.',
    ),
  ]
}

async function checkProtection({ ask, branch, isApp }: PublishingPlace): Promise<Finding[]> {
  const answer = requireResponse(await ask('GET /repos/{owner}/{repo}/rules/branches/{branch}', { branch }))
  const rules = Rules.safeParse(answer.status === 200 ? answer.data : []).data ?? []
  const who = isApp ? 'the App' : 'the owner of the token (a role or team that it has)'
  const findings: Finding[] = []
  for (const id of new Set(
    rules.flatMap(({ type, ruleset_id }) => (STOPPING.has(type) && ruleset_id ? [ruleset_id] : [])),
  )) {
    const ruleset = requireResponse(await ask('GET /repos/{owner}/{repo}/rulesets/{ruleset_id}', { ruleset_id: id }))
    const { name, current_user_can_bypass: bypass } = Ruleset.safeParse(ruleset.data).data ?? { name: String(id) }
    if (bypass === 'always' || bypass === 'exempt') continue
    const types = rules.flatMap(({ type, ruleset_id }) => (ruleset_id === id && STOPPING.has(type) ? [type] : []))
    findings.push(
      fail(
        `The ruleset “${name}” blocks the hub’s commits on ${branch}: ${types.join(', ')}.`,
        `Add ${who} to its bypass list, as “Always allow”.`,
      ),
    )
  }
  if (findings.length > 0) return findings
  if (rules.some(({ type }) => type === KEEPING)) return []
  return [
    warn(
      `${branch} has no ruleset that blocks force pushes, which can remove published versions.`,
      `Add a ruleset for ${branch} that restricts deletions and blocks force pushes.`,
    ),
  ]
}
