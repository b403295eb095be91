// Decides who may sign in: GitHub users everywhere, local users only in local mode.
import type { Config } from '../config.ts'
import { isLocalPerson, type Person } from '../domain/access/account.ts'
import type { StateStore } from '../ports/state-store.ts'
import { hasBoundLogin } from '../stores/state/sessions.ts'
import type { Hub } from './platform.ts'

/** Returns whether the Node server runs the function. The Netlify dev server does not count, because it simulates production. */
export function isOurHost({ isNetlifyDev }: Config, hub: Hub | undefined): boolean {
  return hub !== undefined && !isNetlifyDev
}

/** Returns whether users may sign in with any handle. This is allowed only on a Node server that only this machine can reach and that has no GitHub sign-in configured. */
export function isLocalMode(config: Config, hub: Hub | undefined): boolean {
  return config.isLocal && isOurHost(config, hub)
}

/** Returns whether a login still belongs to a user. A GitHub login belongs to the first account that signed in with it; in local mode, a login belongs to every local user who signed in with it. */
export async function ownsLogin(
  person: Person,
  config: Config,
  hub: Hub | undefined,
  state: StateStore,
): Promise<boolean> {
  return isLocalPerson(person) ? isLocalMode(config, hub) : hasBoundLogin(state, person)
}
