// Checks that what a write has answered is visible at every address: on the hub that answered, with lists, tags and
// search; and on another hub with the same state, whatever its build, at every address of the prompt or owner. Then, that
// what is taken down in git is gone from all of them, also after a restart. tests/publish/takedown.test.ts has a build of
// a shallow clone.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLocalKeys } from '../../src/account/local-keys.ts'
import { writeData } from '../../src/build/write-data.ts'
import { readConfig } from '../../src/config.ts'
import { openLocalGit } from '../../src/git/git-store-local.ts'
import { openOrderClock } from '../../src/state/fresh-copies.ts'
import { shareCopies } from '../../src/state/shared-copies.ts'
import { poll } from '../e2e/client.ts'
import { CONTENT_OF_WRITES, findOutdated, OF_TAKEN, send, TAKEN, WRITES } from '../hubs/addresses-of-writes.ts'
import { BASE_URL } from '../hubs/handlers.ts'
import { type Machine, type Machines, openMachines } from '../hubs/machines.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { freePort, isServingFiles, type Run } from '../hubs/processes.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { serveSite } from '../hubs/serve-site.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** How long a write waits for its build. On a machine with much other work, a build may take longer. */
const MAX_WAIT_MS = 2_000
const WITHIN = 60_000
/** How often writes meet a build, and the time that a build takes. */
const [ROUNDS, STEP_MS] = [2, 300]

/** Until a build has read the commit, a change in the activity has the time at which the hub showed it, which may be in the next second. */
const withoutTimes = (path: string, bytes: Buffer) => {
  const text = bytes.toString('latin1')
  return path.startsWith('data/v1/activity/') ? text.replaceAll(/"at":"[^"]*"/g, '"at":""') : text
}

describe('the hub that answered', () => {
  let repository: LocalRepository
  let machines: Machines
  let machine: Machine
  let hub: { base: string; run: Run }
  let token: string
  let settings: { CONTENT_DIR: string; SITE_URL: string; RATE_LIMIT_PER_MINUTE: string }
  beforeAll(async () => {
    repository = makeRepository('ready')
    repository.commit(CONTENT_OF_WRITES)
    const CONTENT_DIR = join(repository.folder, 'content')
    settings = { CONTENT_DIR, SITE_URL: 'http://localhost', RATE_LIMIT_PER_MINUTE: '0' }
    machines = openMachines()
    machine = machines.make(settings)
    hub = await machine.start({}, isServingFiles)
    token = machine.makeToken('acme', 'publish,label,maintain')
  })
  afterAll(async () => {
    await hub?.run.end()
    machines?.close()
  })

  test.each(WRITES)('shows $title at once, everywhere', { timeout: WITHIN * 2 }, async (write) => {
    const { failure, ms } = await send(hub.base, token, write)
    expect(failure).toBe('')
    const { copy, page, build } = write.reads
    const [copied, built] = await Promise.all([
      findOutdated(hub.base, { ...copy, ...page }),
      findOutdated(hub.base, { ...build }),
    ])
    expect(copied).toEqual([])
    if (ms < MAX_WAIT_MS) expect(built).toEqual([])
    if (built.length > 0)
      await poll('the build is served', WITHIN, async () =>
        (await findOutdated(hub.base, { ...build })).length === 0 ? true : undefined,
      )
  })

  test('shows a new prompt and a changed owner in every read, while another write is being built', async () => {
    const missing: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const write = async (method: string, path: string, body: object) => {
        const { failure } = await send(hub.base, token, { title: '', method, path: `/api/v1/${path}`, body, reads: {} })
        expect(failure).toBe('')
      }
      const [prompt, name] = [`repos/acme/round-${round}`, `Round ${round}`]
      const before = write('POST', `repos/acme/before-${round}/versions`, { content: 'Before\n' })
      // A different pause each time, so that the writes meet the build of the first one at every step.
      await sleep((round * STEP_MS) / ROUNDS)
      await Promise.all([
        write('POST', `${prompt}/versions`, { content: 'After\n' }),
        write('PATCH', 'users/acme', { name }),
      ])
      for (const until = performance.now() + STEP_MS; performance.now() < until; await sleep(10)) {
        const [found, owner] = await Promise.all(
          [prompt, 'users/acme'].map((path) => fetch(`${hub.base}/api/v1/${path}`)),
        )
        const said = await owner!.text()
        if (!found!.ok || !said.includes(`"name":"${name}"`)) missing.push(`${round}: ${found!.status} ${said}`)
        await found!.arrayBuffer()
      }
      await before
    }
    expect(missing).toEqual([])
  })

  test('shows nothing of what is taken down, next to a prompt that cannot be read, nor after a restart', async () => {
    const text = { content: `${TAKEN}\n`, changelog: TAKEN }
    for (const [name, body] of [
      ['kept', { content: 'Plain\n' }],
      ['kept', text],
      ['gone', text],
    ] as const) {
      const write = { title: '', method: 'POST', path: `/api/v1/repos/acme/${name}/versions`, body, reads: {} }
      expect((await send(hub.base, token, write)).failure).toBe('')
    }
    const said = (moment: 'before' | 'after') =>
      Object.fromEntries(Object.entries(OF_TAKEN).map(([address, says]) => [address, says[moment]]))
    const outdated = (moment: 'before' | 'after') => findOutdated(hub.base, said(moment))
    await expect.poll(() => outdated('before'), { timeout: WITHIN, interval: 300 }).toEqual([])
    repository.commit({ 'content/acme/forked/index.md': '---\ntitel: Nothing that a hub could read\n---\n' })
    rmSync(join(settings.CONTENT_DIR, 'acme/kept/versions/1.0.1.md'))
    rmSync(join(settings.CONTENT_DIR, 'acme/gone/versions/1.0.0.md'))
    repository.write({
      'content/acme/kept/index.md': '---\nremoved: {"1.0.1": Taken down}\n---\n',
      'content/acme/gone/index.md': '---\nremoved: {"1.0.0": Taken down}\n---\n',
    })
    repository.git('add', '-A')
    repository.git('commit', '-q', '-m', 'Take down')
    await expect.poll(() => outdated('after'), { timeout: WITHIN, interval: 300 }).toEqual([])
    await hub.run.end()
    hub = await machine.start({}, isServingFiles)
    expect(await outdated('after')).toEqual([])
  })
})

describe('another hub with the same state, whose build is older', () => {
  let hub: Hub
  let token: string
  let settings: { CONTENT_DIR: string; SITE_URL: string; RATE_LIMIT_PER_MINUTE: string }
  let other: Awaited<ReturnType<typeof serveSite>>
  let base: string
  beforeAll(async () => {
    const world = openLocalWorld(CONTENT_OF_WRITES)
    const state = memoryState(undefined, Date.now)
    const copies = [shareCopies(state), shareCopies(state)] as const
    hub = await openHub(world, { state, copies: copies[0] })
    await hub.build()
    settings = { CONTENT_DIR: await world.contentDir(), SITE_URL: BASE_URL, RATE_LIMIT_PER_MINUTE: '0' }
    const port = await freePort()
    base = `http://localhost:${port}`
    const stores = {
      state: { ...state, close: async () => {} },
      copies: copies[1],
      order: openOrderClock(),
      localKeys: openLocalKeys(() => {}),
      localGit: openLocalGit({ contentDir: settings.CONTENT_DIR, environment: process.env }),
      async close() {
        for (const each of copies) each.close()
      },
    }
    other = await serveSite({ settings, openStores: async () => stores, serving: { port } })
    token = await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] })
  })
  afterAll(() => other?.stop())

  test.each(WRITES)('shows $title at once, at its own addresses', async ({ method, path, body, reads }) => {
    const answer = await hub.publish(body, { method, path, token })
    expect([answer.status < 300, answer.message]).toEqual([true, ''])
    expect(await findOutdated(base, { ...reads.copy })).toEqual([])
  })

  test('serves the data files of prompts and labels as the next build writes them, byte for byte', async () => {
    const built = temporaryFolder('visible-next-')
    await writeData(readConfig(settings), { siteDir: built, indexPath: join(built, 'search.db') })
    const paths = readdirSync(built, { recursive: true, encoding: 'utf8' })
      .filter((path) => /^data\/v1\/(?:repos|activity|users\/acme\/labels)\/.*\.\w+$/.test(path))
      .sort()
    expect(paths.length).toBeGreaterThan(30)
    const different: string[] = []
    for (const path of paths) {
      const served = Buffer.from(await (await fetch(`${base}/${path}`)).arrayBuffer())
      if (withoutTimes(path, served) !== withoutTimes(path, readFileSync(join(built, path)))) different.push(path)
    }
    expect(different).toEqual([])
  })
})
