// Starts a temporary hub with the starter catalogue, for scripts that examine pages.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../../src/config.ts'

/** A running temporary hub. */
interface ScratchHub {
  address: string
  close(): Promise<void>
}

/**
 * Builds the site, and serves it on the usual port, which the pages show; `PORT` sets another one.
 *
 * @throws if the site cannot be built or served; standard error has the messages
 */
export async function openScratchHub(): Promise<ScratchHub> {
  mkdirSync('.hub', { recursive: true })
  const dir = mkdtempSync(resolve('.hub/look-'))
  const { port } = readConfig(process.env)
  const address = `http://localhost:${port}`
  const settings = { SITE_URL: address, CONTENT_DIR: resolve('content'), RATE_LIMIT_PER_MINUTE: '0' }
  const env = { ...process.env, ...settings, LOG_REQUESTS: 'off' }
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  // Only the build has these settings: the docs name the repository, but nothing is published there.
  const onGitHub = { GITHUB_REPOSITORY: 'acme/prompts', GITHUB_TOKEN: 'not a token' }
  execFileSync(process.execPath, ['scripts/build.ts', '--out', dir], {
    stdio: [...stdio],
    env: { ...env, ...onGitHub },
  })
  symlinkSync(resolve('netlify'), join(dir, 'netlify'))
  const hub = spawn(process.execPath, [resolve('scripts/serve.ts')], { cwd: dir, env, stdio: [...stdio] })
  const close = async () => {
    if (hub.kill()) await once(hub, 'exit')
    rmSync(dir, { recursive: true, force: true })
  }
  while (!(await fetch(address).catch(() => undefined))?.ok) {
    if (hub.exitCode !== null) {
      await close()
      throw new Error('The temporary hub did not start.')
    }
    await sleep(100)
  }
  return { address, close }
}
