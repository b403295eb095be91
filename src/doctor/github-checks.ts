// Owns the checks of the repository on GitHub that the hub publishes to: who we are there, what we may, and whether its branch lets us.
import * as z from 'zod'
import type { AskGitHub, GitHubAnswer } from '../stores/github-questions.ts'
import { clockFindings } from './clock.ts'
import { advise, type Check, type Finding, wrong } from './examination.ts'

/** The repository that is published to, and the clock of this machine. */
interface PublishingPlace {
  repository: string
  branch: string
  isApp: boolean
  ask: AskGitHub
  now: () => Date
}

/** Days before a token ends in which there is still time. */
const EXPIRY_DAYS = 14
const DAY_MS = 86_400_000

const REPOSITORY = 'GET /repos/{owner}/{repo}'
const Repository = z.object({ full_name: z.string(), archived: z.boolean().default(false) })
const Sha = z.object({ sha: z.string() })
const Head = z.object({ commit: z.object({ sha: z.string(), commit: z.object({ tree: Sha }).optional() }) })
const Commit = z.object({ tree: Sha })
const Protection = z.object({ protected: z.boolean().default(false) })
const Rules = z.array(z.object({ type: z.string(), ruleset_id: z.int().optional() }))
const Ruleset = z.object({ name: z.string(), current_user_can_bypass: z.string().optional() })
const Reach = z.object({ total_count: z.int() })

/** Rules that stop a commit made directly on the branch. @see https://docs.github.com/rest/repos/rules */
const STOPPING: ReadonlySet<string> = new Set([
  ...['pull_request', 'required_status_checks', 'update', 'merge_queue', 'workflows', 'required_deployments'],
  ...['code_scanning', 'code_quality'],
])
/** A rule that keeps published versions from being taken back by a push of another history. */
const KEEPING = 'non_fast_forward'

/** In the order in which each means something. */
export const GITHUB_CHECKS: readonly Check<PublishingPlace>[] = [
  { name: 'github-reachable', about: 'GitHub answers', look: lookAtReach },
  {
    name: 'github-clock',
    about: 'this clock and GitHub’s agree',
    needs: ['github-reachable'],
    look: async ({ ask, now }) => {
      const answer = answered(await ask(REPOSITORY))
      return clockFindings('GitHub', answer.headers.date, now())
    },
  },
  {
    name: 'github-credential',
    about: 'GitHub knows the credential',
    needs: ['github-reachable', 'github-clock'],
    look: lookAtCredential,
  },
  {
    name: 'github-repository',
    about: 'the credential reaches the repository',
    needs: ['github-credential'],
    look: lookAtRepository,
  },
  {
    name: 'github-branch',
    about: 'the branch is there, with a first commit',
    needs: ['github-repository'],
    look: lookAtBranch,
  },
  {
    name: 'github-write',
    about: 'contents may be written (a commit was made that no branch has)',
    needs: ['github-branch'],
    look: lookAtWriting,
  },
  {
    name: 'github-protection',
    about: 'the branch lets the hub commit',
    needs: ['github-write'],
    look: lookAtProtection,
  },
  {
    name: 'github-scope',
    about: 'the credential reaches no more than it must',
    needs: ['github-repository'],
    look: lookAtScope,
  },
]

function answered(answer: GitHubAnswer): Extract<GitHubAnswer, { kind: 'answered' }> {
  if (answer.kind === 'unanswered') throw new Error(answer.reason)
  return answer
}

async function lookAtReach({ ask }: PublishingPlace): Promise<Finding[]> {
  const answer = await ask(REPOSITORY)
  if (answer.kind === 'answered' && answer.status < 500) return []
  const how = answer.kind === 'answered' ? `answers ${answer.status}` : `does not answer: ${answer.reason}`
  return [
    wrong(
      `GitHub’s API ${how}.`,
      'See whether this machine may reach it (proxy, firewall, DNS), and whether GITHUB_API_URL is right where it is set.',
    ),
  ]
}

async function lookAtCredential({ ask, isApp }: PublishingPlace): Promise<Finding[]> {
  const { status, headers } = answered(await ask(REPOSITORY))
  if (status === 401)
    return [
      isApp
        ? wrong(
            'GitHub does not accept the App’s key.',
            'Make a new private key in the App’s settings, and set GITHUB_APP_PRIVATE_KEY and GITHUB_APP_ID from the same App.',
          )
        : wrong(
            'GitHub does not accept GITHUB_TOKEN: it is mistyped, has expired or was revoked.',
            'Make a new fine-grained token for this repository with Contents: Read and write, and set it.',
          ),
    ]
  const expiry = Date.parse(String(headers['github-authentication-token-expiration'] ?? '').replace(' UTC', 'Z'))
  const days = (expiry - Date.now()) / DAY_MS
  return days < EXPIRY_DAYS
    ? [
        advise(
          `GITHUB_TOKEN expires in ${Math.max(0, Math.floor(days))} days.`,
          'Make a new one before that, or use a GitHub App, whose key does not expire.',
        ),
      ]
    : []
}

async function lookAtRepository({ ask, repository, isApp }: PublishingPlace): Promise<Finding[]> {
  const { status, data } = answered(await ask(REPOSITORY))
  if (status === 429 || (status === 403 && !isApp))
    return [
      wrong(
        `GitHub answers ${status} for ${repository}.`,
        'Wait for the end of the limit, or let the organisation accept the token.',
      ),
    ]
  if (status !== 200)
    return [
      wrong(
        `GitHub shows the credential no repository ${repository} (${status}).`,
        isApp
          ? 'Install the App on exactly this repository, and see that GITHUB_REPOSITORY is written as owner/name.'
          : 'Give the token access to exactly this repository, and see that GITHUB_REPOSITORY is written as owner/name.',
      ),
    ]
  const { full_name, archived } = Repository.parse(data)
  if (archived)
    return [wrong(`${repository} is archived on GitHub: nothing can be written.`, 'Unarchive it in its settings.')]
  return full_name.toLowerCase() === repository.toLowerCase()
    ? []
    : [wrong(`${repository} is called ${full_name} by now.`, `Set GITHUB_REPOSITORY=${full_name}.`)]
}

const BRANCH = 'GET /repos/{owner}/{repo}/branches/{branch}'

async function lookAtBranch({ ask, branch, repository }: PublishingPlace): Promise<Finding[]> {
  const { status } = answered(await ask(BRANCH, { branch }))
  return status === 200
    ? []
    : [
        wrong(
          `${repository} has no branch ${branch}.`,
          'Make a first commit on it, such as a README.md, or set GITHUB_BRANCH to the branch that there is.',
        ),
      ]
}

/** The commit has the head's own tree and no branch leads to it, so GitHub clears it away in time. */
async function lookAtWriting({ ask, branch, repository, isApp }: PublishingPlace): Promise<Finding[]> {
  const { commit } = Head.parse(answered(await ask(BRANCH, { branch })).data)
  const read = answered(await ask('GET /repos/{owner}/{repo}/git/commits/{sha}', { sha: commit.sha }))
  const tree = Commit.safeParse(read.data).data?.tree.sha
  const made = tree
    ? answered(
        await ask('POST /repos/{owner}/{repo}/git/commits', {
          ...{ message: 'Whether the hub may write (npm run doctor)', tree, parents: [commit.sha] },
        }),
      ).status
    : read.status
  if (made === 201) return []
  return [
    wrong(
      `The credential may not write the contents of ${repository} (${made}).`,
      isApp
        ? 'Give the App the permission Contents: Read and write, and accept the change where it is installed.'
        : 'Give the token the permission Contents: Read and write for this repository.',
    ),
  ]
}

async function lookAtProtection({ ask, branch, isApp }: PublishingPlace): Promise<Finding[]> {
  const answer = answered(await ask('GET /repos/{owner}/{repo}/rules/branches/{branch}', { branch }))
  const rules = Rules.safeParse(answer.status === 200 ? answer.data : []).data ?? []
  const who = isApp ? 'the App' : 'the owner of the token (a role or team that it has)'
  const findings: Finding[] = []
  for (const id of new Set(
    rules.flatMap(({ type, ruleset_id }) => (STOPPING.has(type) && ruleset_id ? [ruleset_id] : [])),
  )) {
    const ruleset = answered(await ask('GET /repos/{owner}/{repo}/rulesets/{ruleset_id}', { ruleset_id: id }))
    const { name, current_user_can_bypass: bypass } = Ruleset.safeParse(ruleset.data).data ?? { name: String(id) }
    if (bypass === 'always' || bypass === 'exempt') continue
    const types = rules.flatMap(({ type, ruleset_id }) => (ruleset_id === id && STOPPING.has(type) ? [type] : []))
    findings.push(
      wrong(
        `The ruleset “${name}” stops the hub’s commits on ${branch}: ${types.join(', ')}.`,
        `Add ${who} to its bypass list, as “Always allow”.`,
      ),
    )
  }
  if (findings.length > 0) return findings
  const { protected: isProtected } = Protection.parse(answered(await ask(BRANCH, { branch })).data)
  if (rules.some(({ type }) => type === KEEPING)) return []
  return [
    isProtected
      ? advise(
          `${branch} has a classic protection rule, whose exceptions cannot be read with this right.`,
          `See that it lets ${who} push past required pull requests and checks, and that it refuses force pushes.`,
        )
      : advise(
          `Nothing keeps ${branch} from a force push, which could take published versions back.`,
          `Add a ruleset for ${branch}: restrict deletions, block force pushes.`,
        ),
  ]
}

async function lookAtScope({ ask, isApp }: PublishingPlace): Promise<Finding[]> {
  if (isApp) {
    const answer = answered(await ask('GET /installation/repositories', { per_page: 1 }))
    const count = Reach.safeParse(answer.data).data?.total_count ?? 1
    return count > 1
      ? [
          advise(
            `The App reaches ${count} repositories.`,
            'Choose “Only select repositories” where it is installed, and this one alone.',
          ),
        ]
      : []
  }
  const scopes = String(answered(await ask(REPOSITORY)).headers['x-oauth-scopes'] ?? '')
  return /\b(?:public_)?repo\b/.test(scopes)
    ? [
        advise(
          'GITHUB_TOKEN is a classic token: it writes to every repository that its owner may write to.',
          'Use a fine-grained token for this repository alone, or a GitHub App.',
        ),
      ]
    : []
}
