// Checks that an uncaught error in a request does not stop any process, whichever thread, timer or callback throws it.
// An error during startup does. That `npm start` survives one, tests/host/faulty-builder.test.ts tests.
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launch, type Run, startProcess } from '../hubs/processes.ts'
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
    rejection promise-callback microtask next-tick timeout interval immediate abort-listener
    error-event stream file-callback socket-callback thread thread-timer thread-message
  `)('in %s is logged, and the server keeps running', async (kind) => {
    expect(await (await fetch(`${base}/${kind}`)).text()).toBe('answered')
    await expect.poll(run.log).toContain(`"cause":"thrown in ${kind}"`)
    expect(await (await fetch(`${base}/`)).text()).toBe('answered')
    expect(run.ended()).toBe(false)
  })

  test('in the handler is logged, and answered as an error', async () => {
    expect((await fetch(`${base}/answer`)).status).toBe(500)
    await expect.poll(run.log).toContain('"cause":"thrown in answer"')
    expect(await (await fetch(`${base}/`)).text()).toBe('answered')
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
