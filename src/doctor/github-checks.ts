// Checks that the credential may read and write the repository's branch on GitHub.
import * as z from 'zod'
import type { Config } from '../config.ts'
import { type AskGitHub, openGitHubRequests } from '../github/github-requests.ts'
import { findCertificateCause } from './certificate-cause.ts'
import { type Check, check, type Finding, type Findings, fail } from './checks.ts'

/** The repository to publish to, accessed with the configured credential. */
interface PublishingPlace {
  /** `owner/name`. */
  repository: string
  branch: string
  /** Whether the credential is a GitHub App; otherwise it is a token. */
  isApp: boolean
  ask: AskGitHub
}

const BRANCH = 'GET /repos/{owner}/{repo}/branches/{branch}'

const Sha = z.object({ sha: z.string() })
const Head = z.object({ commit: Sha })
const Commit = z.object({ tree: Sha })
const Rules = z.array(z.object({ type: z.string(), ruleset_id: z.int().optional() }))
const Ruleset = z.object({ name: z.string(), current_user_can_bypass: z.string().optional() })

/** The rules that block direct commits to the branch. @see https://docs.github.com/rest/repos/rules */
const BLOCKING_RULES: ReadonlySet<string> = new Set([
  ...['pull_request', 'required_status_checks', 'update', 'merge_queue', 'workflows', 'required_deployments'],
  ...['code_scanning', 'code_quality'],
])

/** Lists the checks for the repository. */
export function githubChecks(store: Extract<Config['gitStore'], { kind: 'github' }>): Check[] {
  const { repository, branch, credential } = store
  const place = { repository, branch, isApp: credential.kind === 'app', ask: openGitHubRequests(store) }
  const writing = 'the credential can write contents (tested with a commit on no branch)'
  return [
    check('github-access', 'the credential has access to the repository', ['setup'], () => checkAccess(place)),
    check('github-branch', 'the branch exists and has a commit', ['github-access'], () => checkBranch(place)),
    check('github-write', writing, ['github-branch'], () => checkWriting(place)),
    check('github-protection', 'the hub may commit to the branch', ['github-write'], () => checkProtection(place)),
  ]
}

async function checkAccess({ ask, repository, isApp }: PublishingPlace): Promise<Findings> {
  const found = await ask('GET /repos/{owner}/{repo}').catch((error: Error) => error)
  const certificate = findCertificateCause('GitHub’s API', found)
  if (certificate) return certificate
  if (found instanceof Error || found.status >= 500)
    return fail(
      `GitHub’s API ${found instanceof Error ? `does not respond: ${found.message}` : `responds with ${found.status}`}.`,
      'Check whether this machine can reach it (proxy, firewall, DNS), and check GITHUB_API_URL if it is set.',
    )
  const { status } = found
  if (status === 200) return undefined
  if (status !== 401)
    return fail(
      `The credential has no access to the repository ${repository} (${status}).`,
      `${isApp ? 'Install the App on' : 'Give the token access to'} only this repository, and make sure that GITHUB_REPOSITORY has the form owner/name.`,
    )
  return isApp
    ? fail(
        'GitHub does not accept the App’s key.',
        'Create a new private key in the App’s settings, set GITHUB_APP_PRIVATE_KEY and GITHUB_APP_ID to the values of the same App, and set this machine’s clock (timedatectl set-ntp true).',
      )
    : fail(
        'GitHub does not accept GITHUB_TOKEN: it is incorrect, has expired or was revoked.',
        'Create a fine-grained token for this repository with Contents: Read and write, and set GITHUB_TOKEN to it.',
      )
}

async function checkBranch({ ask, branch, repository }: PublishingPlace): Promise<Findings> {
  if ((await ask(BRANCH, { branch })).status === 200) return undefined
  return fail(
    `${repository} has no branch ${branch}.`,
    'Create a first commit on it, such as a README.md, or set GITHUB_BRANCH to an existing branch.',
  )
}

/** Creates a commit with the same tree as the branch head. No branch points to the commit, so GitHub deletes it eventually. */
async function checkWriting({ ask, branch, repository, isApp }: PublishingPlace): Promise<Findings> {
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

async function checkProtection({ ask, branch, isApp }: PublishingPlace): Promise<Findings> {
  const answer = await ask('GET /repos/{owner}/{repo}/rules/branches/{branch}', { branch })
  const rules = Rules.safeParse(answer.data).data ?? []
  const findings: Finding[] = []
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
  return findings
}
