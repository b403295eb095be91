// Starts a temporary hub with the starter catalogue, for scripts that examine pages.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { openSite, serveSites } from '../../../src/host/builds/serve-sites.ts'
import { loadPages } from '../../../src/host/pages.ts'
import { localSignInLink, openLocalKeys } from '../../../src/server/account/local-keys.ts'
import { openLocalGit } from '../../../src/stores/git/git-store-local.ts'
import { openCopies } from '../../../src/stores/state/fresh-copies.ts'
import { openSqliteState } from '../../../src/stores/state/state-sqlite.ts'

/** Settings that only the build receives, so that the docs show the repository but publishing stays on this machine. */
const ON_GITHUB = { GITHUB_REPOSITORY: 'acme/prompts', GITHUB_TOKEN: 'not a token' }

/** A running temporary hub. */
export interface ScratchHub {
  address: string
  /** Returns the one-time sign-in link. */
  signInLink(): string
  close(): Promise<void>
}

/**
 * Builds the site and serves it.
 *
 * @param port default: any free port
 * @throws if the site cannot be built; the build's messages are on standard error
 */
export async function openScratchHub(port?: number): Promise<ScratchHub> {
  const parent = resolve('.hub')
  mkdirSync(parent, { recursive: true })
  const dir = mkdtempSync(join(parent, 'look-'))
  const contentDir = join(dir, 'content')
  cpSync('content', contentDir, { recursive: true })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] })
  git('init', '-q', '-b', 'main')
  git('add', 'content')
  git('-c', 'user.name=Hub', '-c', 'user.email=hub@example.com', 'commit', '-q', '-m', 'The starter catalogue')

  port ??= await findFreePort()
  const address = `http://localhost:${port}`
  const settings = { SITE_URL: address, CONTENT_DIR: contentDir, RATE_LIMIT_PER_MINUTE: '0' }
  execFileSync(process.execPath, ['scripts/build.ts', '--out', dir], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...settings, ...ON_GITHUB },
  })
  // The functions read their settings from the environment.
  Object.assign(process.env, settings)
  const localKeys = openLocalKeys(() => {})
  const state = await openSqliteState(join(dir, 'state.db'))
  const site = openSite(join(dir, 'dist'))
  const pages = await loadPages(join(dir, 'build/pages'), join(dir, 'dist'))
  const localGit = openLocalGit({ contentDir, environment: process.env })
  const stores = { localKeys, state, copies: openCopies(state), localGit, close: state.close }
  const host = await serveSites(() => site, stores, { port, listenAt: ['127.0.0.1'], pages: () => pages })
  return {
    address,
    signInLink: () => localSignInLink(address, localKeys.current()),
    async close() {
      await host.stop()
      await stores.close()
      site.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Finds a free port in advance, because the pages contain the base URL. */
async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const place = server.address()
  await new Promise((closed) => server.close(closed))
  if (place === null || typeof place === 'string') throw new Error('No free port was found.')
  return place.port
}
