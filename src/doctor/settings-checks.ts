// Checks the settings, without network requests.
import type { Config } from '../config.ts'
import { isLoopback } from '../domain/api/loopback.ts'
import { readSettings } from '../settings.ts'
import { type Check, check, type Finding, fail } from './checks.ts'

/** Lists the checks for the settings. @param config the settings, if they are valid */
export function settingsChecks(
  environment: Readonly<Record<string, string | undefined>>,
  config: Config | undefined,
): Check[] {
  return [
    check('settings', 'every setting has a valid form', [], () =>
      (readSettings(environment).problems ?? []).map(({ key, message }) =>
        fail(
          `${key} cannot be read: ${message}.`,
          `Correct or remove ${key}; src/pages/docs/settings.md lists every setting.`,
        ),
      ),
    ),
    check('setup', 'the settings are complete, and fit together', ['settings'], () => [
      ...checkComplete(config!),
      ...checkAddress(config!),
      ...checkReadAccess(config!),
    ]),
  ]
}

function* checkComplete({ gitStore, signIn }: Config): Generator<Finding> {
  if (gitStore.kind === 'incomplete')
    yield fail(
      `${gitStore.missing} is missing, although another setting of the GitHub store is set: publishing responds with 503.`,
      `Set ${gitStore.missing}, or remove all GitHub settings to publish to local git.`,
    )
  if (signIn.kind === 'incomplete')
    for (const sentence of signIn.missing)
      yield fail(
        `Sign-in is only partly configured. ${sentence}.`,
        `Set ${sentence.split(':')[0]}, or remove the other settings of that provider: the Node server does not start if sign-in is only partly configured.`,
      )
}

function* checkAddress({ baseUrl, isLocal, listenAt, trustedProxies, netlifySite }: Config): Generator<Finding> {
  const isOnLoopback = listenAt !== 'everywhere' && listenAt.every(isLoopback)
  if (isLocal && !isOnLoopback)
    yield fail(
      'With this HOST, the hub accepts connections from other machines, and in local mode anyone who opens the printed link can sign in under any username.',
      'Set SITE_URL to the public URL, which disables local mode, or remove HOST.',
    )
  if (baseUrl.startsWith('http:') && !isLoopback(new URL(baseUrl).hostname))
    yield fail(
      'SITE_URL starts with http://, so tokens are sent over the network unencrypted.',
      'Add a reverse proxy with https, and set SITE_URL to its https:// URL.',
    )
  if (trustedProxies.some(({ prefix }) => prefix === 0))
    yield fail(
      'TRUSTED_PROXIES includes every IP address, so any client can impersonate any other client.',
      'List only the IP addresses of your proxies, or set it to loopback for a proxy on this machine.',
    )
  if (!isLocal && netlifySite === undefined && isOnLoopback && trustedProxies.length === 0)
    yield fail(
      'The hub listens only on loopback, so it is behind a proxy, but TRUSTED_PROXIES is empty, so all clients share one rate limit.',
      'Set TRUSTED_PROXIES=loopback.',
    )
}

function* checkReadAccess({ readAccess, signIn, isLocal, netlifySite }: Config): Generator<Finding> {
  if (readAccess.kind === 'public') return
  if (netlifySite !== undefined)
    yield fail(
      'READ_ACCESS is members, but Netlify cannot keep static files private.',
      'Run npm start on a machine of your own.',
    )
  else if (readAccess.readers.length > 0 && signIn.kind === 'none' && !isLocal)
    yield fail(
      'READERS is set, but nobody can sign in, so it admits nobody.',
      'Set up sign-in, or remove READERS if a proxy signs people in.',
    )
}
