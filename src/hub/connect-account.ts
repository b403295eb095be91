// Connects the account pages and the editor to the platform: account stores, sign-in, memberships and publishing.
import { randomBytes } from 'node:crypto'
import { readOwnPrompts } from '../account/own-prompts.ts'
import { type AccountDeps, findSignedIn, type Provider, type SignIn } from '../account/visit.ts'
import { parseBuilt } from '../built/site-files.ts'
import { type Config, findSourceHost, SIGN_IN_PROBLEMS, settingsError } from '../config.ts'
import { memberEntriesOf, membershipsPath, ownHandleOf } from '../domain/access/memberships.ts'
import type { Person } from '../domain/access/person.ts'
import type { EditorDeps } from '../editor/editing.ts'
import { openInvitations } from '../state/invitations.ts'
import { openPeople } from '../state/sessions.ts'
import type { StateStore } from '../state/state-store.ts'
import { openTokens } from '../state/tokens.ts'
import {
  clientKeyOf,
  currentConfig,
  type FunctionContext,
  limiterOf,
  openViews,
  runLongOf,
  type ServerHub,
  sourcesOf,
  stateOf,
} from './open-hub.ts'
import { isByInvitation, isLocalMode, isOurHost, openAdmission } from './people.ts'

/** Returns the dependencies of the account pages on this platform. @throws HubError `unavailable` naming each setting that is missing or wrong */
export async function connectAccount(request: Request, { ip, hub }: FunctionContext): Promise<AccountDeps> {
  const config = currentConfig()
  const { baseUrl, signIn } = config
  if (signIn.kind === 'incomplete') throw settingsError(signIn.missing)
  if (signIn.kind === 'none' && !isOurHost(config, hub)) throw settingsError(SIGN_IN_PROBLEMS)
  const show = await openViews(hub)
  const state = await stateOf(hub)
  const { siteFiles } = await sourcesOf(request, hub)
  return {
    baseUrl,
    accounts: { ...openPeople(state), ...openTokens(state) },
    signIn: openSignIn(config, hub, state),
    admits: openAdmission(config),
    secret: cookieSecretOf(signIn),
    ownersOf: async (person) => {
      const files = await Promise.all(memberEntriesOf(person).map((entry) => siteFiles.read(membershipsPath(entry))))
      const lists = files.map((bytes) => bytes && parseBuilt<string[]>(bytes))
      const own = ownHandleOf(person)
      // The list of a login, which is the first, says whether the handle of that name is the user's own.
      const all = new Set([
        ...(own !== undefined && !lists[0] ? [own] : []),
        ...lists.flatMap((owners) => owners ?? []),
      ])
      const others = [...all].sort().filter((owner) => owner !== own)
      // The user's own handle comes first, because most users publish under it.
      return own !== undefined && all.has(own) ? [own, ...others] : others
    },
    promptsOf: (owners) => readOwnPrompts(siteFiles, owners),
    show,
    limiter: await limiterOf('account', config.rateLimitPerMinute, config),
    clientAddress: clientKeyOf(ip),
  }
}

/** Returns the person whose session sent a write from a page of this hub. @throws HubError like `findSignedIn` */
export async function findWriter(request: Request, now: Date, { hub }: FunctionContext): Promise<Person | undefined> {
  const config = currentConfig()
  const { baseUrl, signIn } = config
  const state = await stateOf(hub)
  const accounts = openPeople(state)
  const deps = { baseUrl, accounts, signIn: openSignIn(config, hub, state), secret: cookieSecretOf(signIn) }
  return findSignedIn(request, deps, now)
}

/** Returns the editor's dependencies on this platform. @throws HubError like `connectAccount` */
export async function connectEditor(request: Request, context: FunctionContext): Promise<EditorDeps> {
  return {
    ...(await connectAccount(request, context)),
    ...(await sourcesOf(request, context.hub)),
    runLong: runLongOf(context),
    sourceHost: findSourceHost(currentConfig()),
    // Imported only when a form is submitted, because most requests only show a form.
    openPublishHub: async (write) => (await import('./open-publish-hub.ts')).openPublishHub(write, context),
  }
}

/** The secret that signs the cookies of pending local sign-ins. It need not outlive the process. For providers, a setting provides the secret. */
const localSecret = randomBytes(32).toString('base64url')

/** Returns the secret that signs cookies. */
export const cookieSecretOf = (signIn: Config['signIn']): string =>
  signIn.kind === 'providers' ? signIn.secret : localSecret

function openSignIn(config: Config, hub: ServerHub | undefined, state: StateStore): SignIn {
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
