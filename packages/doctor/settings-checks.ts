// Checks the settings, without network requests.
import { basename } from 'node:path'
import type { Config } from '../../src/config.ts'
import { isLoopback } from '../../src/domain/api/loopback.ts'
import type { ValueProblem } from '../../src/domain/text/problems.ts'
import { readSettings, type Settings } from '../../src/settings.ts'
import { type Check, type CheckProblem, type CheckProblems, check, fail, warn } from './checks.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Minimum number of distinct characters in a secret. A secret with fewer was probably not generated at random. */
const MIN_CHARACTERS = 10

/** Lists the checks for the settings. All later checks need the first check. @param config the settings, if they are valid */
export function settingsChecks(environment: Environment, config: Config | undefined): Check[] {
  const needs = ['settings']
  const { value: settings, problems } = readSettings(environment)
  const readers =
    config?.readAccess.kind === 'members'
      ? 'only readers may read the hub: people whom READERS admits, tokens, and whom a trusted proxy names'
      : 'everybody who can reach the hub may read it'
  return [
    check('settings', 'every setting has a valid form', [], () => (problems ?? []).map(describeProblem)),
    check('git-settings', 'the settings for publishing are complete and unambiguous', needs, () =>
      checkGitSettings(settings!, config!),
    ),
    check('sign-in-settings', 'sign-in is either fully configured or not configured at all', needs, () =>
      checkSignIn(settings!, config!),
    ),
    check('address', 'the public URL uses https, or is on this machine', needs, () => checkAddress(settings!, config!)),
    check('proxies', 'clients are identified correctly, and only proxies are trusted', needs, () =>
      checkProxies(config!),
    ),
    check('read-access', readers, needs, () => checkReadAccess(config!)),
  ]
}

const describeProblem = ({ key, message }: ValueProblem): CheckProblem =>
  fail(
    `${key} cannot be read: ${message}.`,
    `Correct or remove ${key}; src/pages/docs/settings.md lists every setting.`,
  )

function checkGitSettings({ GITHUB_TOKEN, GITHUB_APP_ID }: Settings, { gitStore, contentDir }: Config): CheckProblems {
  if (gitStore.kind === 'local') return undefined
  if (gitStore.kind === 'incomplete')
    return fail(
      `${gitStore.missing} is missing, although another setting of the GitHub store is set: publishing responds with 503.`,
      `Set ${gitStore.missing}, or remove all GitHub settings to publish to local git.`,
    )
  const findings: CheckProblem[] = []
  if (GITHUB_TOKEN && GITHUB_APP_ID)
    findings.push(
      warn(
        'Both GITHUB_TOKEN and GITHUB_APP_ID are set; the token is used.',
        'Remove one of them. Prefer the App: it has access to only one repository and does not belong to a user.',
      ),
    )
  if (basename(contentDir) !== 'content')
    findings.push(
      warn(
        'CONTENT_DIR does not end in /content, but publishing to GitHub writes to content/ in the repository.',
        'Set CONTENT_DIR to the content/ folder of a clone of that repository.',
      ),
    )
  return findings
}

function checkSignIn({ SESSION_SECRET }: Settings, { signIn }: Config): CheckProblems {
  if (signIn.kind === 'incomplete')
    return signIn.missing.map((sentence) =>
      fail(
        `Sign-in is only partly configured. ${sentence}.`,
        `Set ${sentence.split(':')[0]}, or remove the other settings of that provider: the Node server does not start if sign-in is only partly configured.`,
      ),
    )
  if (SESSION_SECRET && new Set(SESSION_SECRET).size < MIN_CHARACTERS)
    return fail(
      'SESSION_SECRET is long enough but easy to guess: it repeats a few characters.',
      'Generate a random one: openssl rand -hex 32',
    )
  return undefined
}

function checkAddress({ RATE_LIMIT_PER_MINUTE }: Settings, { baseUrl, isLocal, listenAt }: Config): CheckProblems {
  if (isLocal && (listenAt === 'everywhere' || !listenAt.every(isLoopback)))
    return warn(
      'With this HOST, the hub accepts connections from other machines, and in local mode anyone who opens the printed link can sign in under any username.',
      'Set SITE_URL to the public URL, which disables local mode, or remove HOST.',
    )
  if (baseUrl.startsWith('http:') && !isLoopback(new URL(baseUrl).hostname))
    return fail(
      'SITE_URL starts with http://, so tokens are sent over the network unencrypted.',
      'Add a reverse proxy with https, and set SITE_URL to its https:// URL.',
    )
  if (!isLocal && RATE_LIMIT_PER_MINUTE === 0)
    return warn(
      'RATE_LIMIT_PER_MINUTE is 0, so a single client can overload the hub and make unlimited guesses at tokens.',
      'Remove it to use the default of 120 per minute, or set a limit that your clients will not reach.',
    )
  return undefined
}

function checkReadAccess({ readAccess, signIn, isLocal, netlifySite }: Config): CheckProblems {
  if (readAccess.kind === 'public') return undefined
  if (netlifySite !== undefined)
    return fail(
      'READ_ACCESS is members, but Netlify cannot keep static files private.',
      'Run npm start on a machine of your own.',
    )
  const { readers, proxyHeader } = readAccess
  if (readers.length > 0 && signIn.kind === 'none' && !isLocal)
    return fail(
      'READERS is set, but nobody can sign in, so it admits nobody.',
      'Set up sign-in, or remove READERS if a proxy signs people in.',
    )
  if (readers.length === 0 && proxyHeader === undefined && !isLocal)
    return warn(
      'READ_ACCESS is members, but neither READERS nor AUTH_PROXY_HEADER is set, so nobody can read the hub in a browser.',
      'Set READERS, such as READERS=github-org:acme, unless only programs with tokens read this hub.',
    )
  return undefined
}

function checkProxies({ trustedProxies, listenAt, isLocal, netlifySite }: Config): CheckProblems {
  if (trustedProxies.some(({ prefix }) => prefix === 0))
    return fail(
      'TRUSTED_PROXIES includes every IP address, so any client can impersonate any other client.',
      'List only the IP addresses of your proxies, or set it to loopback for a proxy on this machine.',
    )
  const isBehindProxy = listenAt !== 'everywhere' && listenAt.every(isLoopback)
  if (!isLocal && netlifySite === undefined && isBehindProxy && trustedProxies.length === 0)
    return fail(
      'The hub listens only on loopback, so it is behind a proxy, but TRUSTED_PROXIES is empty, so all clients share one rate limit.',
      'Set TRUSTED_PROXIES=loopback.',
    )
  return undefined
}
