// Tests how a hub ends: behind a load balancer, it first says that it is not ready, keeps responding while the balancer notices, and then exits.
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { versionFile } from '../doctor/setups.ts'
import { isServingFiles, type Run, startProcess } from '../hubs/processes.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'

let repository: LocalRepository
let hub: { base: string; run: Run } | undefined
beforeEach(() => {
  repository = makeRepository()
  repository.commit({ 'content/acme/one/versions/1.0.0.md': versionFile('One.\n') })
})
afterEach(() => hub?.run.end())

const start = async (settings: Record<string, string>) => {
  hub = await startProcess({
    command: [process.execPath, 'scripts/start.ts'],
    settings: { CONTENT_DIR: join(repository.folder, 'content'), HOST: 'localhost', LOG_REQUESTS: 'off', ...settings },
    isReady: async (base) => (await isServingFiles(base)) && (await fetch(`${base}/readyz`)).ok,
  })
  return hub
}

test('after SIGTERM, /readyz returns 503 while everything else still responds, until a second signal', async () => {
  const { base, run } = await start({ SITE_URL: 'https://hub.example', DRAIN_SECONDS: '300' })
  run.child.kill('SIGTERM')
  let unready: Response
  do unready = await fetch(`${base}/readyz?exclude=state`)
  while (unready.ok)
  expect(unready.status).toBe(503)
  expect((await unready.json()).unready).toEqual([
    { part: 'server', reason: 'The hub is shutting down. Use another one.' },
  ])
  for (const path of ['/', '/docs', '/api/v1/repos/acme/one/raw', '/cli/hubcli', '/healthz']) {
    const answer = await fetch(base + path)
    expect([path, answer.status]).toEqual([path, 200])
    expect(answer.headers.get('connection')).toBe('close')
  }
  expect(run.ended()).toBe(false)
  run.child.kill('SIGTERM')
  expect(await run.closed).toEqual({ code: 0, signal: null })
})

test.each([
  ['Ctrl-C', 'SIGINT', { SITE_URL: 'https://hub.example' }],
  ['a hub in local mode', 'SIGTERM', {}],
] as const)('%s ends without waiting', async (_, signal, settings) => {
  const { run } = await start({ ...settings, DRAIN_SECONDS: '300' })
  run.child.kill(signal)
  expect(await run.closed).toEqual({ code: 0, signal: null })
})

test('the hub exits when the time is over', async () => {
  const { run } = await start({ SITE_URL: 'https://hub.example', DRAIN_SECONDS: '1' })
  run.child.kill('SIGTERM')
  expect(await run.closed).toEqual({ code: 0, signal: null })
})
