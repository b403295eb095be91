// Checks a setup: its settings, this machine, GitHub, or a deployed hub.
import { type Config, readConfig } from '../../src/config.ts'
import { readMemory } from '../node-server/memory.ts'
import { findServedContent } from '../node-server/own-catalogue.ts'
import { type CheckResult, runChecks } from './checks.ts'
import { githubChecks } from './github-checks.ts'
import { hubChecks } from './hub-checks.ts'
import { openDeployedHub } from './hub-requests.ts'
import { machineChecks } from './machine-checks.ts'
import { settingsChecks } from './settings-checks.ts'
import { signInChecks } from './sign-in-checks.ts'

/** What to check. */
export interface Setup {
  /** The environment variables, usually `process.env`. */
  environment: Readonly<Record<string, string | undefined>>
  /** The absolute path of the checkout. */
  root: string
  /** The URL of a deployed hub to check instead of this machine. */
  url?: string | undefined
  /** Replaces the system clock in tests. */
  now?: () => Date
  /** Replaces the size of this machine's memory in tests. */
  memoryBytes?: number
}

/**
 * Checks a setup without making any visible changes.
 *
 * @throws Error for an invalid `url`
 */
export async function checkSetup({
  environment,
  root,
  url,
  now = () => new Date(),
  memoryBytes = readMemory(),
}: Setup): Promise<CheckResult[]> {
  const address = url === undefined ? undefined : parseAddress(url)
  const config = readIfValid(environment)
  const served = config && { ...config, contentDir: findServedContent(config, root) }
  const machine = served && address === undefined ? { root, config: served, environment, now, memoryBytes } : undefined
  return runChecks([
    ...settingsChecks(environment, config),
    ...(machine ? machineChecks(machine) : []),
    ...(config?.gitStore.kind === 'github' ? githubChecks(config.gitStore, now, machine) : []),
    ...(config ? signInChecks(config) : []),
    ...(address === undefined ? [] : hubChecks(openDeployedHub(address, environment.HUB_TOKEN), proxyHeaderOf(config))),
  ])
}

const proxyHeaderOf = (config: Config | undefined) =>
  config?.readAccess.kind === 'members' ? config.readAccess.proxyHeader : undefined

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

function readIfValid(environment: Setup['environment']): Config | undefined {
  try {
    return readConfig({ ...environment })
  } catch {
    // The first check reports invalid settings.
    return undefined
  }
}
