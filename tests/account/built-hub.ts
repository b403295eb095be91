// Owns a whole hub for browser tests: a built site on a git repository of its own, the real functions and stores, on a free port of this machine.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { STARTING } from '../../src/host/health.ts'
import { openSite, serveSites } from '../../src/host/serve-sites.ts'
import type { BlobStore } from '../../src/ports/blob-store.ts'
import { localSignInLink, openLocalKeys } from '../../src/server/account/local-keys.ts'
import { startLocalBlobs } from '../../src/stores/blob-store-local.ts'
import { freshInBlobs, rememberFresh } from '../../src/stores/fresh-copies-blobs.ts'
import { buildSite, makeSiteFolder } from '../hubs/build-site.ts'
import { type Files, makeRepository } from '../stores/local-repository.ts'

/** A running hub. */
export interface BuiltHub {
  url: string
  server: Server
  /** The folder of the built site. */
  dist: string
  blobs: BlobStore
  /** The link of the moment, which signs in once in local mode. */
  signInLink(): string
  /** Every text that the stores hold, keys included. */
  storedTexts(): string
  /** Every line that the process has written. */
  logged(): string
  /** The content's repository. */
  git(...args: string[]): string
  stop(): Promise<void>
}

/**
 * Builds and starts a hub.
 *
 * @param settings of the environment, until the hub stops
 * @param files in the repository's first commit
 */
export async function startBuiltHub(
  port: number,
  settings: Readonly<Record<string, string>>,
  files: Files,
): Promise<BuiltHub> {
  const before = { ...process.env }
  const dir = makeSiteFolder('hub')
  const repository = makeRepository('ready')
  repository.commit(files)
  const url = `http://localhost:${port}`
  Object.assign(process.env, {
    ...{ SITE_URL: url, CONTENT_DIR: join(repository.folder, 'content'), RATE_LIMIT_PER_MINUTE: '0' },
    ...settings,
  })
  await buildSite(join(dir, 'dist'), { SITE_URL: url, CONTENT_DIR: join(repository.folder, 'content'), ...settings })
  const blobsDir = join(dir, 'blobs')
  const { blobs, close } = await startLocalBlobs(blobsDir)
  const site = openSite(join(dir, 'dist'))
  const lines: string[] = []
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...words: unknown[]) => void lines.push(words.map(String).join(' '))),
  )
  const localKeys = openLocalKeys(() => {})
  const stores = {
    localKeys,
    blobs,
    fresh: rememberFresh(freshInBlobs(blobs)),
    localGit: repository.openStore(),
    close,
  }
  const healthOf = () => ({ ...STARTING, status: 'ok', built_at: new Date().toISOString() }) as const
  const { trustedProxies } = readConfig(process.env)
  const host = await serveSites(() => site, stores, { port, trustedProxies, healthOf })
  return {
    url,
    server: host.server,
    dist: join(dir, 'dist'),
    blobs,
    signInLink: () => localSignInLink(url, localKeys.current()),
    storedTexts: () =>
      readdirSync(blobsDir, { recursive: true, withFileTypes: true })
        .map((entry) => {
          const path = join(entry.parentPath, entry.name)
          return entry.isFile() ? `${path}\n${readFileSync(path, 'utf8')}` : path
        })
        .join('\n'),
    logged: () => [...lines, ...repository.warnings].join('\n'),
    git: (...args) => repository.git(...args),
    async stop() {
      await host.stop()
      await close()
      site.close()
      for (const spy of spies) spy.mockRestore()
      process.env = before
      rmSync(dir, { recursive: true, force: true })
      repository.remove()
    },
  }
}
