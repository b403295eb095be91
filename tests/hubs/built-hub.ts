// A complete hub for browser tests: a site, a separate git repository, and the real functions and stores.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { vi } from 'vitest'
import { localSignInLink } from '../../src/account/local-keys.ts'
import { STARTING } from '../../src/hosts/node/health.ts'
import { type Files, makeRepository } from '../stores/local-repository.ts'
import { serveSite } from './serve-site.ts'

export type BuiltHub = Awaited<ReturnType<typeof startBuiltHub>>

/**
 * Builds and starts a hub.
 *
 * @param settings environment variables, set until the hub stops
 * @param files in the repository's first commit
 */
export async function startBuiltHub(port: number, settings: Readonly<Record<string, string>>, files: Files) {
  const url = `http://localhost:${port}`
  const { contentDir, git } = makeRepository('ready', { files })
  const lines: string[] = []
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...words: unknown[]) => void lines.push(words.map(String).join(' '))),
  )
  const { server, stores, dir, stop } = await serveSite({
    settings: { SITE_URL: url, CONTENT_DIR: contentDir, RATE_LIMIT_PER_MINUTE: '0', ...settings },
    serving: { port, healthOf: () => ({ ...STARTING, status: 'ok', built_at: new Date().toISOString() }) },
  })
  return {
    url,
    server,
    state: stores.state,
    /** Returns the current sign-in link in local mode. Each link works only once. */
    signInLink: () => localSignInLink(url, stores.localKeys.current()),
    /** Returns every string in the stores, including keys. */
    storedTexts() {
      const database = new DatabaseSync(join(dir, '.hub/state.db'), { readOnly: true })
      const rows = database.prepare('SELECT key, value FROM state').all()
      database.close()
      return rows.map(({ key, value }) => `${key}\n${value}`).join('\n')
    },
    /** Returns every line that the process has logged. */
    logged: () => lines.join('\n'),
    /** Runs git on the content repository. */
    git,
    async stop() {
      await stop()
      for (const spy of spies) spy.mockRestore()
    },
  }
}
