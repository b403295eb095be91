// Connects the account pages and the editor to the platform: account stores, sign-in, memberships and publishing.
import { readOwnPrompts } from '../account/own-prompts.ts'
import type { AccountDeps } from '../account/visit.ts'
import { parseBuilt } from '../built/site-files.ts'
import { findSourceHost, SIGN_IN_PROBLEMS, settingsError } from '../config.ts'
import { memberEntriesOf, membershipsPath, ownHandleOf } from '../domain/access/memberships.ts'
import type { EditorDeps } from '../editor/editing.ts'
import { openPeople } from '../state/sessions.ts'
import { openTokens } from '../state/tokens.ts'
import { currentConfig, type FunctionContext, limiterOf, openViews, runLongOf, sourcesOf, stateOf } from './open-hub.ts'
import { cookieSecretOf, openSignIn } from './open-sign-in.ts'
import { isOurHost, openAdmission } from './people.ts'

/** Returns the dependencies of the account pages on this platform. @throws HubError `unavailable` naming each setting that is missing or wrong */
export async function connectAccount(request: Request, context: FunctionContext): Promise<AccountDeps> {
  const { hub } = context
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
    clientAddress: context.client,
  }
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
