// Checks that GitHub responds and accepts the credential, and that the credential has access to the repository.
import * as z from 'zod'
import { type Check, type Finding, fail, warn } from './checks.ts'
import { clockFindings } from './clock.ts'
import { BRANCH_CHECKS } from './github-branch-checks.ts'
import { type PublishingPlace, REPOSITORY, requireResponse } from './publishing-place.ts'

/** Number of days before a token expires when the warnings start, which leaves time to create another. */
const EXPIRY_DAYS = 14
const DAY_MS = 86_400_000

const Repository = z.object({ full_name: z.string(), archived: z.boolean().default(false) })

/** Ordered so that each check comes after those it depends on. */
export const GITHUB_CHECKS: readonly Check<PublishingPlace>[] = [
  { name: 'github-reachable', about: 'GitHub responds', run: checkReach },
  {
    name: 'github-clock',
    about: 'this machine’s clock agrees with GitHub’s',
    needs: ['github-reachable'],
    run: async ({ ask, now }) => {
      const answer = requireResponse(await ask(REPOSITORY))
      return clockFindings('GitHub', answer.headers.date, now())
    },
  },
  {
    name: 'github-credential',
    about: 'GitHub accepts the credential',
    needs: ['github-reachable', 'github-clock'],
    run: checkCredential,
  },
  {
    name: 'github-repository',
    about: 'the credential has access to the repository',
    needs: ['github-credential'],
    run: checkRepository,
  },
  ...BRANCH_CHECKS,
]

async function checkReach({ ask }: PublishingPlace): Promise<Finding[]> {
  const answer = await ask(REPOSITORY)
  if (answer.kind === 'answered' && answer.status < 500) return []
  const how = answer.kind === 'answered' ? `responds with ${answer.status}` : `does not respond: ${answer.reason}`
  return [
    fail(
      `GitHub’s API ${how}.`,
      'Check whether this machine can reach it (proxy, firewall, DNS), and check GITHUB_API_URL if it is set.',
    ),
  ]
}

async function checkCredential({ ask, isApp }: PublishingPlace): Promise<Finding[]> {
  const { status, headers } = requireResponse(await ask(REPOSITORY))
  if (status === 401)
    return [
      isApp
        ? fail(
            'GitHub does not accept the App’s key.',
            'Create a new private key in the App’s settings, and set GITHUB_APP_PRIVATE_KEY and GITHUB_APP_ID to the values of the same App.',
          )
        : fail(
            'GitHub does not accept GITHUB_TOKEN: it is mistyped, has expired or was revoked.',
            'Create a fine-grained token for this repository with Contents: Read and write, and set GITHUB_TOKEN to it.',
          ),
    ]
  const expiry = Date.parse(String(headers['github-authentication-token-expiration'] ?? '').replace(' UTC', 'Z'))
  const days = (expiry - Date.now()) / DAY_MS
  return days < EXPIRY_DAYS
    ? [
        warn(
          `GITHUB_TOKEN expires in ${Math.max(0, Math.floor(days))} days.`,
          'Create a new one before then, or use a GitHub App, whose key does not expire.',
        ),
      ]
    : []
}

async function checkRepository({ ask, repository, isApp }: PublishingPlace): Promise<Finding[]> {
  const { status, data } = requireResponse(await ask(REPOSITORY))
  if (status === 429 || (status === 403 && !isApp))
    return [
      fail(
        `GitHub responds with ${status} for ${repository}.`,
        'Wait until the rate limit resets, or have the organisation approve the token.',
      ),
    ]
  if (status !== 200)
    return [
      fail(
        `The credential has no access to the repository ${repository} (${status}).`,
        isApp
          ? 'Install the App on only this repository, and make sure that GITHUB_REPOSITORY has the form owner/name.'
          : 'Give the token access to only this repository, and make sure that GITHUB_REPOSITORY has the form owner/name.',
      ),
    ]
  const { full_name, archived } = Repository.parse(data)
  if (archived)
    return [fail(`${repository} is archived on GitHub, so it is read-only.`, 'Unarchive it in its settings.')]
  return full_name.toLowerCase() === repository.toLowerCase()
    ? []
    : [fail(`${repository} was renamed to ${full_name}.`, `Set GITHUB_REPOSITORY=${full_name}.`)]
}
