// Checks a setup: its settings, the content and the git host, or a running hub.
import { type Config, readConfig } from '../config.ts'
import { openNetwork } from '../hosts/node/network.ts'
import { findServedContent } from '../hosts/node/own-catalogue.ts'
import { type CheckResult, runChecks } from './checks.ts'
import { contentChecks } from './content-checks.ts'
import { githubChecks } from './github-checks.ts'
import { hubChecks } from './hub-checks.ts'
import { openDeployedHub } from './hub-requests.ts'
import { settingsChecks } from './settings-checks.ts'

/** What to check. */
export interface Setup {
  /** The environment variables, usually `process.env`. */
  environment: Record<string, string | undefined>
  /** The absolute path of the checkout. */
  root: string
  /** The URL of a running hub to check instead of the content here. */
  url?: string | undefined
}

/**
 * Checks a setup without making any visible changes.
 *
 * @throws Error for an invalid `url`
 */
export async function checkSetup({ environment, root, url }: Setup): Promise<CheckResult[]> {
  const address = url === undefined ? undefined : parseAddress(url)
  const config = readIfValid(environment)
  if (config) openNetwork(config, environment)
  const served = config && { ...config, contentDir: findServedContent(config, root) }
  return runChecks([
    ...settingsChecks(environment, config),
    ...(served && address === undefined ? contentChecks({ root, config: served, environment }) : []),
    ...(config?.gitStore.kind === 'github' ? githubChecks(config.gitStore) : []),
    ...(address === undefined
      ? []
      : hubChecks(openDeployedHub(address, environment.HUB_TOKEN), environment.AUTH_PROXY_HEADER)),
  ])
}

/** Returns whether every check passed. */
export function hasPassed(examined: readonly CheckResult[]): boolean {
  return examined.every(({ outcome }) => outcome === 'ok')
}

function parseAddress(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw new Error('--url: expected the URL of a hub without a path, such as https://prompts.example.org')
  return url.origin
}

function readIfValid(environment: Setup['environment']): Config | undefined {
  try {
    return readConfig({ ...environment })
  } catch {
    // The first check reports invalid settings.
    return undefined
  }
}
