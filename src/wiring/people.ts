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

/** Returns whether people may sign in with any handle: on the Node server, if only this machine can reach it and GitHub sign-in is not configured. */
export function isLocalMode(config: Config, hub: Hub | undefined): boolean {
  return config.isLocal && isOurHost(config, hub)
}

/** Returns whether a login still belongs to a person. On GitHub, it belongs to the first account that signed in with it; in local mode, to anyone who signed in there. */
export async function ownsLogin(
  person: Person,
  config: Config,
  hub: Hub | undefined,
  state: StateStore,
): Promise<boolean> {
  return isLocalPerson(person) ? isLocalMode(config, hub) : hasBoundLogin(state, person)
}
