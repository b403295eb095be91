// Owns who counts as whom on the platform at hand: people of GitHub everywhere, people of this machine in local mode alone.
import type { Config } from '../config.ts'
import { isLocalPerson, type Person } from '../domain/access/account.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { holdsLogin } from '../stores/sessions-blobs.ts'
import type { Hub } from './platform.ts'

/** Ours, on a machine of one's own: the Netlify dev server stands in for production, so it is none. */
export function isOurHost({ isNetlifyDev }: Config, hub: Hub | undefined): boolean {
  return hub !== undefined && !isNetlifyDev
}

/** Whether people may sign in as anybody here: our own host, meant for this very machine, and nothing set up. */
export function isLocalMode(config: Config, hub: Hub | undefined): boolean {
  return config.isLocal && isOurHost(config, hub)
}

/** Whether a login is still whose it was: by the first sign-in at GitHub, or, on a machine of one's own, by having signed in there. */
export async function isRightful(
  person: Person,
  config: Config,
  hub: Hub | undefined,
  blobs: BlobStore,
): Promise<boolean> {
  return isLocalPerson(person) ? isLocalMode(config, hub) : holdsLogin(blobs, person)
}
