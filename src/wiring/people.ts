// Decides who may sign in, and whose tokens count: people of the configured providers, and local users only in local mode.

import { findPerson } from '../../packages/stores/state/identities.ts'
import { hasBoundLogin } from '../../packages/stores/state/sessions.ts'
import type { Config } from '../config.ts'
import type { Person } from '../domain/access/person.ts'
import { isSameIssuer, signInKindOf } from '../domain/access/sign-in-kind.ts'
import type { StateStore } from '../ports/state-store.ts'
import type { Hub } from './platform.ts'

/** Returns whether the Node server runs the function. The Netlify dev server does not count, because it simulates production. */
export function isOurHost({ isNetlifyDev }: Config, hub: Hub | undefined): boolean {
  return hub !== undefined && !isNetlifyDev
}

/** Returns whether users may sign in with any handle. This is allowed only on a Node server that only this machine can reach and that has no provider configured. */
export function isLocalMode(config: Config, hub: Hub | undefined): boolean {
  return config.isLocal && isOurHost(config, hub)
}

/** Returns what is known now about the holder of a token. A login at a provider belongs to the first account that signed in with it; in local mode, a login belongs to every local user who signed in with it. @returns undefined if the login belongs to somebody else, or the hub no longer lets people sign in this way */
export async function findHolder(
  holder: Person,
  config: Config,
  hub: Hub | undefined,
  state: StateStore,
): Promise<Person | undefined> {
  const kind = signInKindOf(holder)
  if (kind === 'local') return isLocalMode(config, hub) ? holder : undefined
  if (!(await hasBoundLogin(state, holder))) return undefined
  const person = await findPerson(state, holder)
  const issuer = config.signIn.kind === 'providers' ? config.signIn.oidc?.issuer : undefined
  return kind === 'github' || isSameIssuer(issuer, person?.oidc?.issuer) ? person : undefined
}
