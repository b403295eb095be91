// Chooses the checks for a setup: settings, this machine, GitHub, or a deployed hub.
import { type Config, readConfig } from '../config.ts'
import { type AskGitHub, openGitHubRequests } from '../stores/github/github-requests.ts'
import { type CheckResult, runChecks } from './checks.ts'
import { CLUSTER_CHECKS } from './cluster-checks.ts'
import { GITHUB_CHECKS } from './github-checks.ts'
import { HUB_CHECKS } from './hub-checks.ts'
import { openDeployedHub } from './hub-requests.ts'
import { MACHINE_CHECKS } from './machine-checks.ts'
import { SETTINGS_CHECKS } from './settings-checks.ts'
import { SIGN_IN_CHECKS } from './sign-in-checks.ts'

/** What to check. */
export interface Setup {
  /** Usually `process.env`. */
  environment: Readonly<Record<string, string | undefined>>
  /** Absolute path of the checkout. */
  root: string
  /** The URL of a deployed hub to check instead of this machine. */
  url?: string | undefined
  /** Another clock, for tests. */
  now?: () => Date
}

/**
 * Checks a setup. Changes nothing that anyone sees.
 *
 * @throws Error for an invalid `url`
 */
export async function checkSetup({ environment, root, url, now = () => new Date() }: Setup): Promise<CheckResult[]> {
  const address = url === undefined ? undefined : parseAddress(url)
  const config = readIfGood(environment)
  const examined = await runChecks(SETTINGS_CHECKS, { environment, config })
  const machine = config && { root, config, environment }
  if (machine && address === undefined) examined.push(...(await runChecks(MACHINE_CHECKS, machine)))
  if (config?.gitStore.kind === 'github') {
    const { repository, branch, credential } = config.gitStore
    const ask = rememberQuestions(openGitHubRequests(config.gitStore))
    const place = { repository, branch, isApp: credential.kind === 'app', ask, now }
    const isReady = examined.every(({ check, outcome }) => check !== 'git-settings' || outcome !== 'error')
    if (isReady) examined.push(...(await runChecks(GITHUB_CHECKS, place)))
  }
  // These run after the GitHub checks, because a clone needs the same credential.
  if (machine && address === undefined)
    examined.push(...(await runChecks(CLUSTER_CHECKS, { ...machine, now }, examined)))
  if (config?.signIn.kind === 'github')
    examined.push(...(await runChecks(SIGN_IN_CHECKS, { signIn: config.signIn, baseUrl: config.baseUrl })))
  if (address !== undefined) examined.push(...(await runChecks(HUB_CHECKS, openDeployedHub(address))))
  return examined
}

/** Returns whether no check found an error. */
export function hasPassed(examined: readonly CheckResult[]): boolean {
  return examined.every(({ outcome }) => outcome === 'ok' || outcome === 'advice')
}

function parseAddress(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw new Error('--url: expected the URL of a hub without a path, such as https://prompts.example.org')
  return url.origin
}

function readIfGood(environment: Setup['environment']): Config | undefined {
  try {
    return readConfig({ ...environment })
  } catch {
    // The first check reports invalid settings.
    return undefined
  }
}

/** Sends each read-only request once, because several checks need the same one. */
function rememberQuestions(ask: AskGitHub): AskGitHub {
  const known = new Map<string, ReturnType<AskGitHub>>()
  return (route, values) => {
    if (!route.startsWith('GET ')) return ask(route, values)
    const key = JSON.stringify([route, values])
    const answer = known.get(key) ?? ask(route, values)
    known.set(key, answer)
    return answer
  }
}
