// Checks the settings, without network requests.

import { createPrivateKey } from 'node:crypto'
import { basename } from 'node:path'
import type { Config } from '../config.ts'
import { isLoopback } from '../domain/api/loopback.ts'
import { readSettings } from '../settings.ts'
import { advise, type Check, type Finding, wrong } from './examination.ts'

/** The raw settings, and the parsed ones if they are valid. */
interface GivenSettings {
  environment: Readonly<Record<string, string | undefined>>
  config: Config | undefined
}

/** A secret with fewer distinct characters was typed by a person. */
const MIN_CHARACTERS = 10

/** The checks of the settings; all others need the first one. README.md */
export const SETTINGS_CHECKS: readonly Check<GivenSettings>[] = [
  { name: 'settings', about: 'every setting has a form that can be read', look: lookAtForms },
  {
    name: 'git-settings',
    about: 'publishing goes to one place, with all that it takes',
    needs: ['settings'],
    look: ({ environment, config }) => lookAtGitSettings(environment, config!),
  },
  {
    name: 'sign-in-settings',
    about: 'sign-in is set up whole, or not at all',
    needs: ['settings'],
    look: ({ environment, config }) => lookAtSignIn(environment, config!),
  },
  {
    name: 'address',
    about: 'the public address is one that others can trust',
    needs: ['settings'],
    look: ({ environment, config }) => lookAtAddress(environment, config!),
  },
  {
    name: 'proxies',
    about: 'clients are told apart, and only proxies may say who they are',
    needs: ['settings'],
    look: ({ config }) => lookAtProxies(config!),
  },
]

function lookAtForms({ environment }: GivenSettings): Finding[] {
  return (readSettings(environment).problems ?? []).map(({ key, message }) =>
    wrong(`${key} cannot be read: ${message}.`, `Correct ${key} or leave it out; README.md lists every setting.`),
  )
}

function lookAtGitSettings({ GITHUB_TOKEN, GITHUB_APP_ID }: Environment, { gitStore, contentDir }: Config): Finding[] {
  if (gitStore.kind === 'local') return []
  if (gitStore.kind === 'incomplete')
    return [
      wrong(
        `${gitStore.missing} is missing, because another setting of the GitHub store is set: publishing answers 503.`,
        `Set ${gitStore.missing}, or none of the GitHub settings to publish to git on this machine.`,
      ),
    ]
  const findings: Finding[] = []
  if (gitStore.credential.kind === 'app' && !isPrivateKey(gitStore.credential.privateKey))
    findings.push(
      wrong(
        'GITHUB_APP_PRIVATE_KEY cannot be read as a private key.',
        'Set the whole .pem file that GitHub made, with its line ends: as several lines, not as \\n in one.',
      ),
    )
  if (GITHUB_TOKEN && GITHUB_APP_ID)
    findings.push(
      advise(
        'Both GITHUB_TOKEN and GITHUB_APP_ID are set; the token is used.',
        'Remove the one that is not meant: an App is the better one, for it reaches one repository and belongs to nobody.',
      ),
    )
  if (basename(contentDir) !== 'content')
    findings.push(
      advise(
        'The last folder of CONTENT_DIR is not content, but publishing to GitHub writes to content/ in the repository.',
        'Set CONTENT_DIR to the folder content/ of a clone of that repository.',
      ),
    )
  return findings
}

function isPrivateKey(text: string): boolean {
  try {
    createPrivateKey(text)
    return true
  } catch {
    return false
  }
}

function lookAtSignIn({ SESSION_SECRET }: Environment, { signIn }: Config): Finding[] {
  if (signIn.kind === 'incomplete')
    return signIn.missing.map((sentence) =>
      wrong(
        `Sign-in is half set up. ${sentence}.`,
        `Set ${sentence.split(':')[0]}, or neither GITHUB_CLIENT_ID nor GITHUB_CLIENT_SECRET: our own host does not start half-open.`,
      ),
    )
  if (SESSION_SECRET && new Set(SESSION_SECRET).size < MIN_CHARACTERS)
    return [
      wrong(
        'SESSION_SECRET is long but can be guessed: it repeats a few characters.',
        'Make a random one: openssl rand -hex 32',
      ),
    ]
  return []
}

function lookAtAddress({ RATE_LIMIT_PER_MINUTE }: Environment, { baseUrl, isLocal, listenAt }: Config): Finding[] {
  if (isLocal)
    return listenAt === 'everywhere' || !listenAt.every(isLoopback)
      ? [
          advise(
            'HOST lets other machines in, and in local mode whoever opens the printed link signs in as anybody.',
            'Set SITE_URL to the public address, which ends local mode, or leave HOST out.',
          ),
        ]
      : []
  const findings: Finding[] = []
  if (baseUrl.startsWith('http:') && !isLoopback(new URL(baseUrl).hostname))
    findings.push(
      wrong(
        'SITE_URL begins with http://, so tokens cross the network where anybody can read them.',
        'Put a proxy that speaks https in front, and set SITE_URL to the address that begins with https://.',
      ),
    )
  if (RATE_LIMIT_PER_MINUTE === '0')
    findings.push(
      advise(
        'RATE_LIMIT_PER_MINUTE is 0: one client may use up the hub, and guess tokens as fast as it likes.',
        'Leave it out for 120 a minute, or set a number that your readers do not reach.',
      ),
    )
  return findings
}

function lookAtProxies({ trustedProxies, listenAt, isLocal, netlifySite }: Config): Finding[] {
  if (trustedProxies.some(({ prefix }) => prefix === 0))
    return [
      wrong(
        'TRUSTED_PROXIES names a network that holds every address, so any client may say that it is another one.',
        'Name the addresses of your proxies alone, or loopback for one on this machine.',
      ),
    ]
  const isBehindProxy = listenAt !== 'everywhere' && listenAt.every(isLoopback)
  if (!isLocal && netlifySite === undefined && isBehindProxy && trustedProxies.length === 0)
    return [
      wrong(
        'The hub listens to this machine alone, so a proxy stands in front of it, and TRUSTED_PROXIES names none: all readers share one limit.',
        'Set TRUSTED_PROXIES=loopback.',
      ),
    ]
  return []
}

type Environment = GivenSettings['environment']
