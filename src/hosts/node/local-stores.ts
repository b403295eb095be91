// Opens the stores of this machine: the state, the local git repository, and the fresh copies.
import { resolve } from 'node:path'
import { localSignInLink, openLocalKeys } from '../../account/local-keys.ts'
import { type Config, settingsError } from '../../config.ts'
import { type LocalGit, openLocalGit } from '../../git/git-store-local.ts'
import type { ServerHub } from '../../hub/open-hub.ts'
import { logInfo, logProblem } from '../../log.ts'
import { type FreshCopies, openOrderClock } from '../../state/fresh-copies.ts'
import { shareCopies } from '../../state/shared-copies.ts'
import { openOwnCopies } from '../../state/stored-copies.ts'
import { inBackground } from './http/background.ts'
import { openState } from './open-state.ts'
import { type StateWatch, watchState } from './watch-state.ts'

/** This machine's stores. */
export interface LocalStores extends Pick<ServerHub, 'state' | 'localKeys'> {
  localGit: LocalGit
  /** Fresh copies of published versions, whether or not a build includes them. */
  copies: FreshCopies
  /** Checks the state store regularly. */
  stateWatch: StateWatch
  /** Orders this server's publishes and builds. */
  order: ReturnType<typeof openOrderClock>
  /** Calls a listener within seconds of each publish on any machine that shares the database; undefined when the state is a local file. */
  watchPublishes?: (onPublish: () => void) => void
  close(): Promise<void>
}

/**
 * Opens this machine's stores.
 *
 * @param root the folder that contains `.hub`
 * @throws HubError if sign-in is only partly configured, so that the server does not start in that case
 */
export async function openLocalStores(config: Config, root?: string): Promise<LocalStores> {
  const { contentDir, signIn, baseUrl, databaseUrl } = config
  if (signIn.kind === 'incomplete') throw settingsError(signIn.missing)
  const state = await openState(config, root, { isServing: true })
  inBackground('Removing expired entries', () => state.removeExpired())
  const stateWatch = watchState(state, databaseUrl === undefined ? 'file' : 'database')
  const shared = databaseUrl === undefined ? undefined : shareCopies(state)
  return {
    state,
    copies: shared ?? (await openOwnCopies(state)),
    stateWatch,
    order: openOrderClock(),
    ...(shared ? { watchPublishes: shared.watch } : {}),
    localKeys: openLocalKeys(
      (key) => logInfo('sign_in_link', `One-time link to sign in again: ${localSignInLink(baseUrl, key)}`),
      state,
    ),
    localGit: openLocalGit({
      contentDir: resolve(contentDir),
      environment: process.env,
      warn: (message) => logProblem('warning', 'git', message),
    }),
    close() {
      stateWatch.stop()
      shared?.close()
      return state.close()
    },
  }
}

/** Prints the sign-in link, if there is one (local mode). */
export function printSignInLink({ isLocal, baseUrl }: Config, { localKeys }: Pick<LocalStores, 'localKeys'>): void {
  if (isLocal) logInfo('sign_in_link', `One-time sign-in link: ${localSignInLink(baseUrl, localKeys.current())}`)
}
