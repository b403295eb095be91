// Checks that GitHub responds, that the credential may publish to the repository's branch, and that GitHub knows the OAuth app.
import * as z from 'zod'
import type { Config } from '../../src/config.ts'
import { cloneOptions } from '../node-server/follow-github.ts'
import { readRemoteBranch } from '../stores/content/content-clone.ts'
import { type AskGitHub, openGitHubRequests } from '../stores/github/github-requests.ts'
import { type Check, type CheckProblem, type CheckProblems, check, compareClocks, fail, warn } from './checks.ts'
import type { Machine } from './machine-checks.ts'

/** The repository to publish to, accessed with the configured credential. */
interface PublishingPlace {
  /** `owner/name`. */
  repository: string
  branch: string
  /** Whether the credential is a GitHub App; otherwise it is a token. */
  isApp: boolean
  ask: AskGitHub
}

const REPOSITORY = 'GET /repos/{owner}/{repo}'
const BRANCH = 'GET /repos/{owner}/{repo}/branches/{branch}'

const Repository = z.object({ full_name: z.string(), archived: z.boolean().default(false) })
const Sha = z.object({ sha: z.string() })
const Head = z.object({ commit: Sha })
const Commit = z.object({ tree: Sha })
const Rules = z.array(z.object({ type: z.string(), ruleset_id: z.int().optional() }))
const Ruleset = z.object({ name: z.string(), current_user_can_bypass: z.string().optional() })

/** How many days before a token expires the warnings start, so that there is time to create another token. */
const EXPIRY_DAYS = 14
const DAY_MS = 86_400_000
/** The rules that block direct commits to the branch. @see https://docs.github.com/rest/repos/rules */
const BLOCKING_RULES: ReadonlySet<string> = new Set([
  ...['pull_request', 'required_status_checks', 'update', 'merge_queue', 'workflows', 'required_deployments'],
  ...['code_scanning', 'code_quality'],
])
/** The rule that prevents a force push from removing published versions. */
const NO_FORCE_PUSH = 'non_fast_forward'

/** Lists the checks for the repository. @param machine this machine, if the hub runs here and may need a clone */
export function githubChecks(
  store: Extract<Config['gitStore'], { kind: 'github' }>,
  now: () => Date,
  machine: Machine | undefined,
): Check[] {
  const { repository, branch, credential } = store
  const ask = openGitHubRequests(store)
  const place = { repository, branch, isApp: credential.kind === 'app', ask }
  const checks = [
    check('github-reachable', 'GitHub responds', ['git-settings'], () => checkReach(place)),
    check('github-clock', 'this machine’s clock agrees with GitHub’s', ['github-reachable'], async () =>
      compareClocks('GitHub', new Date((await ask(REPOSITORY)).headers.date ?? ''), now()),
    ),
    check('github-credential', 'GitHub accepts the credential', ['github-clock'], () => checkCredential(place)),
    check('github-repository', 'the credential has access to the repository', ['github-credential'], () =>
      checkRepository(place),
    ),
    check('github-branch', 'the branch exists and has a commit', ['github-repository'], () => checkBranch(place)),
    check(
      'github-write',
      'the credential can write contents (tested with a commit on no branch)',
      ['github-branch'],
      () => checkWriting(place),
    ),
    check('github-protection', 'the hub may commit to the branch', ['github-write'], () => checkProtection(place)),
  ]
  if (!machine?.config.keepsClone) return checks
  const clone = 'the content can be cloned from GitHub and kept up to date'
  return [...checks, check('clone', clone, ['git', 'github-branch'], () => checkClone(machine))]
}

async function checkReach({ ask }: PublishingPlace): Promise<CheckProblems> {
  const trouble = await ask(REPOSITORY).then(
    ({ status }) => (status < 500 ? undefined : `responds with ${status}`),
    (error: Error) => `does not respond: ${error.message}`,
  )
  if (trouble === undefined) return undefined
  return fail(
    `GitHub’s API ${trouble}.`,
    'Check whether this machine can reach it (proxy, firewall, DNS), and check GITHUB_API_URL if it is set.',
  )
}

async function checkCredential({ ask, isApp }: PublishingPlace): Promise<CheckProblems> {
  const { status, headers } = await ask(REPOSITORY)
  if (status === 401)
    return isApp
      ? fail(
          'GitHub does not accept the App’s key.',
          'Create a new private key in the App’s settings, and set GITHUB_APP_PRIVATE_KEY and GITHUB_APP_ID to the values of the same App.',
        )
      : fail(
          'GitHub does not accept GITHUB_TOKEN: it is incorrect, has expired or was revoked.',
          'Create a fine-grained token for this repository with Contents: Read and write, and set GITHUB_TOKEN to it.',
        )
  const expiry = Date.parse(String(headers['github-authentication-token-expiration'] ?? '').replace(' UTC', 'Z'))
  const days = (expiry - Date.now()) / DAY_MS
  if (!(days < EXPIRY_DAYS)) return undefined
  return warn(
    `GITHUB_TOKEN expires in ${Math.max(0, Math.floor(days))} days.`,
    'Create a new one before then, or use a GitHub App, whose key does not expire.',
  )
}

async function checkRepository({ ask, repository, isApp }: PublishingPlace): Promise<CheckProblems> {
  const { status, data } = await ask(REPOSITORY)
  if (status === 429 || (status === 403 && !isApp))
    return fail(
      `GitHub responds with ${status} for ${repository}.`,
      'Wait until the rate limit resets, or have the organisation approve the token.',
    )
  if (status !== 200)
    return fail(
      `The credential has no access to the repository ${repository} (${status}).`,
      `${isApp ? 'Install the App on' : 'Give the token access to'} only this repository, and make sure that GITHUB_REPOSITORY has the form owner/name.`,
    )
  const { full_name, archived } = Repository.parse(data)
  if (archived) return fail(`${repository} is archived on GitHub, so it is read-only.`, 'Unarchive it in its settings.')
  if (full_name.toLowerCase() === repository.toLowerCase()) return undefined
  return fail(`${repository} was renamed to ${full_name}.`, `Set GITHUB_REPOSITORY=${full_name}.`)
}

async function checkBranch({ ask, branch, repository }: PublishingPlace): Promise<CheckProblems> {
  if ((await ask(BRANCH, { branch })).status === 200) return undefined
  return fail(
    `${repository} has no branch ${branch}.`,
    'Create a first commit on it, such as a README.md, or set GITHUB_BRANCH to an existing branch.',
  )
}

/** Creates a commit with the same tree as the branch head. No branch points to the commit, so GitHub deletes it eventually. */
async function checkWriting({ ask, branch, repository, isApp }: PublishingPlace): Promise<CheckProblems> {
  const { sha } = Head.parse((await ask(BRANCH, { branch })).data).commit
  const { tree } = Commit.parse((await ask('GET /repos/{owner}/{repo}/git/commits/{sha}', { sha })).data)
  const message = 'Test of write access (npm run doctor)'
  const commit = { message, tree: tree.sha, parents: [sha] }
  const { status } = await ask('POST /repos/{owner}/{repo}/git/commits', commit)
  if (status === 201) return undefined
  return fail(
    `The credential has no write access to the contents of ${repository} (${status}).`,
    isApp
      ? 'Give the App the permission Contents: Read and write, and accept the change where it is installed.'
      : 'Give the token the permission Contents: Read and write for this repository.',
  )
}

async function checkProtection({ ask, branch, isApp }: PublishingPlace): Promise<CheckProblems> {
  const answer = await ask('GET /repos/{owner}/{repo}/rules/branches/{branch}', { branch })
  const rules = Rules.safeParse(answer.data).data ?? []
  const findings: CheckProblem[] = []
  const blocking = rules.filter(({ type }) => BLOCKING_RULES.has(type))
  for (const ruleset_id of new Set(blocking.flatMap((rule) => rule.ruleset_id ?? []))) {
    const ruleset = await ask('GET /repos/{owner}/{repo}/rulesets/{ruleset_id}', { ruleset_id })
    const { name, current_user_can_bypass: bypass } = Ruleset.parse(ruleset.data)
    if (bypass === 'always' || bypass === 'exempt') continue
    const types = blocking.flatMap((rule) => (rule.ruleset_id === ruleset_id ? [rule.type] : []))
    findings.push(
      fail(
        `The ruleset “${name}” blocks the hub’s commits on ${branch}: ${types.join(', ')}.`,
        `Add ${isApp ? 'the App' : 'the owner of the token (a role or team that it has)'} to its bypass list, as “Always allow”.`,
      ),
    )
  }
  if (findings.length > 0 || rules.some(({ type }) => type === NO_FORCE_PUSH)) return findings
  return warn(
    `${branch} has no ruleset that blocks force pushes, which can remove published versions.`,
    `Add a ruleset for ${branch} that restricts deletions and blocks force pushes.`,
  )
}

async function checkClone({ root, config, environment }: Machine): Promise<CheckProblems> {
  try {
    await readRemoteBranch(cloneOptions(config, environment, root))
    return undefined
  } catch (error) {
    return fail(
      error instanceof Error ? error.message : String(error),
      'Correct GITHUB_REPOSITORY, GITHUB_BRANCH and the credential, and make sure that this machine can reach GitHub.',
    )
  }
}
