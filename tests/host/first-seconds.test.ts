// Tests the first seconds of a hub: downloads are served at once, and the user who runs a hub need not be able to write to its code.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { versionFile } from '../doctor/setups.ts'
import { poll } from '../e2e/client.ts'
import { freePort, launch, type Run } from '../hubs/processes.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { isInstalled } from './programs.ts'

const WITHIN = 120_000
/** The user `nobody` on Debian. */
const NOBODY = 65_534

let repository: LocalRepository
let folder: string
let run: Run | undefined
beforeEach(() => {
  repository = makeRepository()
  repository.commit({ 'content/acme/one/versions/1.0.0.md': versionFile('One.\n') })
  folder = temporaryFolder('first-seconds-')
  chmodSync(folder, 0o755)
  for (const name of ['clients', 'netlify', 'packages', 'releases', 'scripts', 'src'])
    cpSync(name, join(folder, name), { recursive: true })
  for (const name of ['astro.config.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(name, join(folder, name))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
})
afterEach(() => run?.end())

const settingsOf = (port: number) => ({
  PORT: String(port),
  CONTENT_DIR: join(repository.folder, 'content'),
  LOG_REQUESTS: 'off',
})

test(
  'downloads are served before the content and the pages',
  async () => {
    const port = await freePort()
    run = launch(process.execPath, ['scripts/start.ts'], settingsOf(port), folder)
    const ask = async (path: string) => {
      const answer = await fetch(`http://localhost:${port}${path}`)
      return { path, status: answer.status, text: await answer.text() }
    }
    const first = await poll('the first response', WITHIN, () => ask('/cli/hubcli').catch(() => undefined))
    expect([first.status, first.text.slice(0, 9)]).toEqual([200, '#!/bin/sh'])
    expect(first.text).toContain(`HUB_DEFAULT_URL='http://localhost:${port}'`)
    const others = ['/cli/releases/1.0.0/hubcli.sha256', '/clients/releases/1.0.0/prompt-hub-client-1.0.0.tgz', '/']
    const answers = await Promise.all(others.map(ask))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 503])
  },
  WITHIN,
)

test.runIf(process.getuid?.() === 0 && isInstalled('setpriv'))(
  'a hub whose code only root can write runs as another user',
  async () => {
    execFileSync(process.execPath, ['scripts/bundle.ts'])
    // What `npm ci` makes is the same in every folder with the same code.
    for (const name of ['.pages', '.clients']) cpSync(name, join(folder, name), { recursive: true })
    mkdirSync(join(folder, '.hub'))
    execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, join(folder, '.hub'), repository.folder])
    const port = await freePort()
    const as = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups', process.execPath]
    run = launch('setpriv', [...as, 'scripts/start.ts'], { ...settingsOf(port), HOME: '/' }, folder)
    await poll(`the hub is ready\n${run.log()}`, WITHIN, async () => {
      const answer = await fetch(`http://localhost:${port}/readyz`).catch(() => undefined)
      return answer?.ok || undefined
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${run?.log()}`)
    })
    expect(await (await fetch(`http://localhost:${port}/acme/one`)).text()).toContain('One.')
    const written = execFileSync('find', ['.', '-user', 'nobody', '-not', '-path', './.hub*'], { cwd: folder })
    expect(written.toString()).toBe('')
  },
  WITHIN,
)
