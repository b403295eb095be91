// A complete hub for browser tests: a site, a separate git repository, and the real functions and stores.
import type { Server } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { vi } from 'vitest'
import { localSignInLink, openLocalKeys } from '../../src/account/local-keys.ts'
import { STARTING } from '../../src/hosts/node/health.ts'
import { openOrderClock } from '../../src/state/fresh-copies.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import type { StateStore } from '../../src/state/state-store.ts'
import { openCopies, rememberCopies } from '../../src/state/stored-copies.ts'
import { type Files, makeRepository } from '../stores/local-repository.ts'
import { serveSite } from './serve-site.ts'

export interface BuiltHub {
  url: string
  server: Server
  state: StateStore
  /** Returns the current sign-in link in local mode. Each link works only once. */
  signInLink(): string
  /** Returns every string in the stores, including keys. */
  storedTexts(): string
  /** Returns every line that the process has logged. */
  logged(): string
  /** Runs git on the content repository. */
  git(...args: string[]): string
  stop(): Promise<void>
}

/**
 * Builds and starts a hub.
 *
 * @param settings environment variables, set until the hub stops
 * @param files in the repository's first commit
 */
export async function startBuiltHub(
  port: number,
  settings: Readonly<Record<string, string>>,
  files: Files,
): Promise<BuiltHub> {
  let stateFile = ''
  const repository = makeRepository('ready', { files })
  const url = `http://localhost:${port}`
  const content = { SITE_URL: url, CONTENT_DIR: repository.contentDir, RATE_LIMIT_PER_MINUTE: '0' }
  const lines: string[] = []
  let spies: { mockRestore(): void }[] = []
  const localKeys = openLocalKeys(() => {})
  const openStores = async (dir: string) => {
    stateFile = join(dir, 'state/state.db')
    const state = await openSqliteState(stateFile)
    spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi
        .spyOn(console, level)
        .mockImplementation((...words: unknown[]) => void lines.push(words.map(String).join(' '))),
    )
    return {
      localKeys,
      state,
      copies: rememberCopies(openCopies(state)),
      order: openOrderClock(),
      localGit: repository.openStore(),
      close: state.close,
    }
  }
  const healthOf = () => ({ ...STARTING, status: 'ok', built_at: new Date().toISOString() }) as const
  const served = await serveSite({
    settings: { ...content, ...settings },
    openStores,
    serving: { port, healthOf },
  })
  return {
    url,
    server: served.server,
    state: served.stores.state,
    signInLink: () => localSignInLink(url, localKeys.current()),
    storedTexts() {
      const database = new DatabaseSync(stateFile, { readOnly: true })
      const rows = database.prepare('SELECT key, value FROM state').all()
      database.close()
      return rows.map(({ key, value }) => `${key}\n${value}`).join('\n')
    },
    logged: () => [...lines, ...repository.warnings].join('\n'),
    git: (...args) => repository.git(...args),
    async stop() {
      await served.stop()
      for (const spy of spies) spy.mockRestore()
    },
  }
}
