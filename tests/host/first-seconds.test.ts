// Tests the first seconds of a hub: downloads are served at once. That its code need not be writable for the user who runs
// it, the guides and the container show: tests/operate.
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { versionFile } from '../doctor/setups.ts'
import { poll } from '../e2e/client.ts'
import { freePort, launch, signalGroup } from '../hubs/processes.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WITHIN = 120_000

test('downloads are served before the content and the pages', { timeout: WITHIN }, async () => {
  const repository = makeRepository()
  repository.commit({ 'content/acme/one/versions/1.0.0.md': versionFile('One.\n') })
  // The code without the bundle of its pages. The compiled library is there, because compiling it takes ten times as long.
  const folder = temporaryFolder('first-seconds-')
  mkdirSync(join(folder, '.hub'))
  for (const name of readdirSync('.'))
    if (!name.startsWith('.') || name === '.clients') symlinkSync(resolve(name), join(folder, name))
  const port = await freePort()
  const settings = { PORT: String(port), CONTENT_DIR: join(repository.folder, 'content'), LOG_REQUESTS: 'off' }
  const run = launch(process.execPath, ['scripts/start.ts'], settings, folder)
  try {
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
  } finally {
    // It would bundle the pages first.
    signalGroup(run.child, 'SIGKILL')
    await run.end()
  }
})
