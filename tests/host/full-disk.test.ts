// Tests that a hub survives a full disk: a small file system with the hub's own files is filled during a build and freed
// again, and the next commit is served. Only root may mount a file system.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClient } from '../e2e/client.ts'
import { openMachines } from '../hubs/machines.ts'
import type { Run } from '../hubs/processes.ts'
import { makeRepository } from '../stores/local-repository.ts'

const WITHIN = 60_000
const machines = openMachines()
const repository = makeRepository('ready')
const version = '---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\n---\nText\n'
const machine = machines.make({
  CONTENT_DIR: join(repository.folder, 'content'),
  SITE_URL: 'http://full.localhost',
  RATE_LIMIT_PER_MINUTE: '0',
})
const disk = join(machine.folder, '.hub')
const canMount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk]).status === 0
let hub: { base: string; run: Run } | undefined

beforeAll(async () => {
  if (!canMount) return
  repository.commit({ 'content/acme/one/versions/1.0.0.md': version })
  hub = await machine.start()
})
afterAll(async () => {
  await hub?.run.end()
  if (canMount) execFileSync('umount', ['--lazy', disk])
  machines.close()
})

const ask = (path: string) => openClient(hub!.base)(path)
const setTitle = (text: string) => repository.commit({ 'content/acme/one/index.md': `---\ntitle: ${text}\n---\n` })
const isShown = (text: string) =>
  expect
    .poll(async () => (await ask('/api/v1/repos/acme/one')).text, { timeout: WITHIN })
    .toContain(`"title":"${text}"`)
const failure = async () => (await ask('/healthz')).json().failure

/** Writes until the disk is full. */
function fill(): void {
  mkdirSync(join(disk, 'filling'))
  for (const size of [1 << 20, 1 << 12, 1])
    for (let number = 0; ; number++)
      try {
        writeFileSync(join(disk, 'filling', `${size}-${number}`), Buffer.alloc(size))
      } catch {
        break
      }
}

test.skipIf(!canMount)(
  'the next commit is served once a full disk has space again (needs root, to mount a file system)',
  { timeout: 6 * WITHIN },
  async () => {
    setTitle('First')
    await isShown('First')
    setTitle('Second')
    await isShown('Second')
    fill()
    setTitle('Lost')
    await expect.poll(failure, { timeout: WITHIN }).toMatch(/full|ENOSPC/)
    expect((await ask('/api/v1/repos/acme/one')).text).toContain('"title":"Second"')
    rmSync(join(disk, 'filling'), { recursive: true })
    setTitle('Third')
    await isShown('Third')
    await expect.poll(failure, { timeout: WITHIN }).toBe(null)
  },
)
