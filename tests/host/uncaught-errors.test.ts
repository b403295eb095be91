// Checks that an uncaught error in a request does not stop any process, whichever thread, timer or callback throws it.
// An error during startup does.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeRepository } from '../e2e/made-content.ts'
import { launch, type Run, startProcess } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'

const SERVER = resolve('tests/host/throwing-server.ts')

describe('a request that throws', () => {
  let base: string
  let run: Run
  beforeAll(async () => {
    const isReady = async (at: string) => (await fetch(`${at}/`)).ok
    const started = await startProcess({ command: ['node', SERVER], isReady })
    base = started.base
    run = started.run
  })
  afterAll(() => run.end())

  test.each(words`
    listener rejected-answer rejection promise-callback microtask next-tick timeout interval immediate abort-listener
    error-event stream file-callback socket-callback thread thread-timer thread-message
  `)('in %s is logged, and the server keeps running', async (kind) => {
    expect(await (await fetch(`${base}/${kind}`)).text()).toBe('answered')
    await expect.poll(run.log).toContain(`"cause":"thrown in ${kind}"`)
    expect(await (await fetch(`${base}/`)).text()).toBe('answered')
    expect(run.ended()).toBe(false)
  })

  test.each([
    ['thread-memory', 'memory limit'],
    ['textless', 'a value without a text representation'],
  ])('in %s is logged, and the server keeps running', async (kind, said) => {
    expect(await (await fetch(`${base}/${kind}`)).text()).toBe('answered')
    await expect.poll(run.log).toContain(said)
    expect(await (await fetch(`${base}/`)).text()).toBe('answered')
    expect(run.ended()).toBe(false)
  })
})

test('an error before the server listens ends the process', async () => {
  const run = launch('node', [SERVER, 'early'], { PORT: '0' })
  expect((await run.closed).code).toBe(1)
  expect(run.log()).toContain('thrown in the start')
})

const THROW_WHEN_TOLD = `data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('thrown when told')})`

describe('npm start', () => {
  const contentDir = join(temporaryFolder(), 'content')
  let run: Run | undefined
  afterAll(async () => {
    await run?.end()
    for (const site of readdirSync('.hub/data')) {
      const place = join('.hub/data', site, 'place.json')
      if (existsSync(place) && readFileSync(place, 'utf8').includes(contentDir))
        rmSync(join('.hub/data', site), { recursive: true, force: true })
    }
  })

  test('survives an uncaught error', async () => {
    writeRepository(contentDir, 'acme/one', {
      index: 'title: One',
      versions: { '1.0.0': { at: '2025-03-01T00:00:00Z', content: 'Text\n' } },
    })
    const { base, run: started } = await startProcess({
      command: ['node', '--import', THROW_WHEN_TOLD, 'scripts/start.ts'],
      settings: { CONTENT_DIR: contentDir, SITE_URL: 'http://localhost', RATE_LIMIT_PER_MINUTE: '0' },
    })
    run = started
    process.kill(run.child.pid!, 'SIGUSR2')
    await expect.poll(run.log).toContain('"cause":"thrown when told"')
    expect((await fetch(`${base}/data/v1/tags.json`)).status).toBe(200)
    expect(run.ended()).toBe(false)
  })
})
