// Decides who may sign in: GitHub users everywhere, local users only in local mode.
import type { Config } from '../config.ts'
import { isLocalPerson, type Person } from '../domain/access/account.ts'
import type { StateStore } from '../ports/state-store.ts'
import { holdsLogin } from '../stores/state/sessions.ts'
import type { Hub } from './platform.ts'

/** Whether the Node server runs the function. The Netlify dev server does not count, because it stands in for production. */
export function isOurHost({ isNetlifyDev }: Config, hub: Hub | undefined): boolean {
  return hub !== undefined && !isNetlifyDev
}

/** Whether people may sign in with any handle: on the Node server, when only this machine can reach it and no sign-in with GitHub is configured. */
export function isLocalMode(config: Config, hub: Hub | undefined): boolean {
  return config.isLocal && isOurHost(config, hub)
}

/** Whether a login still belongs to a person: to the first account that signed in with it at GitHub or, in local mode, to anyone who signed in there. */
export async function isRightful(
  person: Person,
  config: Config,
  hub: Hub | undefined,
  state: StateStore,
): Promise<boolean> {
  return isLocalPerson(person) ? isLocalMode(config, hub) : holdsLogin(state, person)
}
