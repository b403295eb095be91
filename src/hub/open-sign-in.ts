// Opens the ways to sign in to a hub, and finds the person whose session sent a write.
import { randomBytes } from 'node:crypto'
import { findSignedIn, type Provider, type SignIn } from '../account/visit.ts'
import type { Config } from '../config.ts'
import type { Person } from '../domain/access/person.ts'
import { openInvitations } from '../state/invitations.ts'
import { openPeople } from '../state/sessions.ts'
import type { StateStore } from '../state/state-store.ts'
import { currentConfig, type FunctionContext, type ServerHub, stateOf } from './open-hub.ts'
import { isByInvitation, isLocalMode, isOurHost } from './people.ts'

/** Returns the person whose session sent a write from a page of this hub. @throws HubError like `findSignedIn` */
export async function findWriter(request: Request, now: Date, { hub }: FunctionContext): Promise<Person | undefined> {
  const config = currentConfig()
  const { baseUrl, signIn } = config
  const state = await stateOf(hub)
  const accounts = openPeople(state)
  const deps = { baseUrl, accounts, signIn: openSignIn(config, hub, state), secret: cookieSecretOf(signIn) }
  return findSignedIn(request, deps, now)
}

/** The secret that signs the cookies of pending local sign-ins. It need not outlive the process. For providers, a setting provides the secret. */
const localSecret = randomBytes(32).toString('base64url')

/** Returns the secret that signs cookies. */
export const cookieSecretOf = (signIn: Config['signIn']): string =>
  signIn.kind === 'providers' ? signIn.secret : localSecret

/** Returns how people sign in to this hub. */
export function openSignIn(config: Config, hub: ServerHub | undefined, state: StateStore): SignIn {
  const { signIn } = config
  if (signIn.kind === 'providers') return openProviders(signIn)
  if (isOurHost(config, hub) && isByInvitation(config)) return { kind: 'invited', invitations: openInvitations(state) }
  return hub && isLocalMode(config, hub) ? { kind: 'local', keys: hub.localKeys } : { kind: 'off' }
}

type Providers = Extract<Config['signIn'], { kind: 'providers' }>

/** Opens the configured providers. Their modules are imported when somebody signs in. */
export function openProviders({ github, oidc }: Pick<Providers, 'github' | 'oidc'>): SignIn {
  return {
    kind: 'providers',
    providers: { ...(github && { github: openGithub(github) }), ...(oidc && { oidc: openOidc(oidc) }) },
  }
}

function openGithub(settings: NonNullable<Providers['github']>): Provider {
  const load = () => import('../account/providers/github.ts')
  return {
    name: 'GitHub',
    start: async (note, redirectUri) => (await load()).startGithub(settings, note, redirectUri),
    finish: async (note, callback) => ({ person: await (await load()).finishGithub(settings, note, callback) }),
  }
}

function openOidc(settings: NonNullable<Providers['oidc']>): Provider {
  const load = () => import('../account/providers/open-id.ts')
  return {
    name: new URL(settings.issuer).host,
    issuer: settings.issuer,
    start: async (note, redirectUri) => (await load()).startOpenId(settings, note, redirectUri),
    finish: async (note, callback) => (await load()).finishOpenId(settings, note, callback),
    findSignOutUrl: async (idToken, back) => (await load()).findSignOutUrl(settings, idToken, back),
  }
}
