// Connects the account pages to the platform: account stores, sign-in and memberships.
import { randomBytes } from 'node:crypto'
import { type Config, SIGN_IN_SETTINGS, settingsError } from '../config.ts'
import { membershipsPath } from '../domain/access/memberships.ts'
import { isOwner } from '../domain/values/names.ts'
import { parseBuilt } from '../ports/site-files.ts'
import { readOwnPrompts } from '../server/account/own-prompts.ts'
import type { AccountDeps, SignIn } from '../server/account/visit.ts'
import { exchangeCode } from '../stores/github/github-sign-in.ts'
import { openPeople } from '../stores/state/sessions.ts'
import { openTokens } from '../stores/state/tokens.ts'
import { isLocalMode, isOurHost } from './people.ts'
import {
  clientKeyOf,
  currentConfig,
  type FunctionContext,
  type Hub,
  limiterOf,
  siteFilesOf,
  stateOf,
} from './platform.ts'

/** Returns the dependencies of the account pages on this platform. @throws HubError `unavailable` naming each setting that is missing or wrong */
export async function connectAccount(request: Request, { ip, hub }: FunctionContext): Promise<AccountDeps> {
  const config = currentConfig()
  const { baseUrl, signIn } = config
  if (signIn.kind === 'incomplete') throw settingsError(signIn.missing)
  if (signIn.kind === 'none' && !isOurHost(config, hub))
    throw settingsError(SIGN_IN_SETTINGS.map((name) => `${name}: expected, because sign-in with GitHub is enabled`))
  const state = await stateOf(hub)
  const siteFiles = await siteFilesOf(request, hub)
  return {
    baseUrl,
    accounts: { ...openPeople(state), ...openTokens(state) },
    signIn: openSignIn(config, hub),
    secret: cookieSecretOf(signIn),
    ownersOf: async (login, userId) => {
      const members = [login, ...(/^\d+$/.test(userId) ? [Number(userId)] : [])]
      const files = await Promise.all(members.map((member) => siteFiles.read(membershipsPath(member))))
      const lists = files.map((bytes) => bytes && parseBuilt<string[]>(bytes))
      const own = isOwner(login) ? [login] : []
      const all = new Set([...(lists[0] ?? own), ...(lists[1] ?? [])])
      // The user's own handle comes first, because most users publish under it.
      return [...own.filter((owner) => all.has(owner)), ...[...all].sort().filter((owner) => owner !== login)]
    },
    promptsOf: (owners) => readOwnPrompts(siteFiles, owners),
    siteFiles,
    limiter: await limiterOf('account', config.rateLimitPerMinute, config),
    clientAddress: clientKeyOf(ip),
  }
}

/** The secret that signs the cookies of pending local sign-ins. It need not outlive the process. For GitHub sign-in, a setting provides the secret. */
const localSecret = randomBytes(32).toString('base64url')

/** Returns the secret that signs cookies. */
export const cookieSecretOf = (signIn: Config['signIn']): string =>
  signIn.kind === 'github' ? signIn.secret : localSecret

function openSignIn(config: Config, hub: Hub | undefined): SignIn {
  const { signIn } = config
  if (signIn.kind === 'github') return { ...signIn, identify: (grant) => exchangeCode(signIn, grant) }
  return hub && isLocalMode(config, hub) ? { kind: 'local', keys: hub.localKeys } : { kind: 'off' }
}
