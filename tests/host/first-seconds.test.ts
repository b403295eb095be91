// Tests the first seconds of a hub: downloads are served at once, and a restart with nothing new builds nothing. That its
// code need not be writable for the user who runs it, the guides and the container show: tests/operate.
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { versionFile } from '../doctor/setups.ts'
import { type Json, poll } from '../e2e/client.ts'
import { openMachines } from '../hubs/machines.ts'
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

test('a restart builds nothing if the commit is built, and then builds the next commit', {
  timeout: 2 * WITHIN,
}, async () => {
  const repository = makeRepository()
  const commit = (name: string, text: string) =>
    repository.commit({ [`content/acme/${name}/versions/1.0.0.md`]: versionFile(text) })
  commit('one', 'One.\n')
  const machines = openMachines()
  onTestFinished(machines.close)
  const settings = { SITE_URL: 'http://localhost', RATE_LIMIT_PER_MINUTE: '0' }
  const machine = machines.make({ ...settings, CONTENT_DIR: join(repository.folder, 'content') })
  const data = join(machine.folder, '.hub/data')
  const health = async ({ base }: { base: string }) => (await fetch(`${base}/healthz`)).json() as Promise<Json>
  const first = await machine.start()
  // What was listed is kept in a pause.
  await expect
    .poll(() => readdirSync(data, { recursive: true }).some((path) => basename(String(path)) === 'seen'))
    .toBe(true)
  const before = await health(first)
  await first.run.end()

  const again = await machine.start()
  await expect.poll(async () => (await health(again)).unbuilt).toBeNull()
  // The files are looked at by then.
  await sleep(6_000)
  const { built_at, status } = await health(again)
  expect([built_at, status]).toEqual([before.built_at, 'ok'])
  expect(again.run.log()).not.toContain('"build_served"')
  commit('two', 'Two.\n')
  await expect.poll(async () => (await fetch(`${again.base}/api/v1/repos/acme/two`)).status).toBe(200)
  await again.run.end()
})
