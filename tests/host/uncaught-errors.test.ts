// Checks that an uncaught error in a request does not stop any process, whichever thread, timer or callback throws it.
// An error during startup does. One causes no endless loop where the log has lost its reader. That `npm start` survives one,
// tests/host/faulty-builder.test.ts tests.
import { execFileSync } from 'node:child_process'
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

/**
 * A hub that forwards the log of a child process, such as the builder. It reports the number of uncaught errors on file
 * descriptor 3.
 */
const HUB = `
  import { spawn } from 'node:child_process'
  import { writeSync } from 'node:fs'
  const { logUncaughtErrors } = await import(process.cwd() + '/src/hosts/node/http/uncaught-errors.ts')
  let caught = 0
  const report = (text) => { writeSync(3, text); process.exit() }
  process.on('uncaughtException', () => { if (++caught === 1000) report('a loop') })
  logUncaughtErrors()
  const child = spawn(process.execPath, ['-e', 'setInterval(() => console.error("a line"), 50); setTimeout(() => process.exit(), 900)'])
  child.stderr.pipe(process.stderr)
  setTimeout(() => { throw new Error('of one request') }, 300)
  setTimeout(() => report(String(caught)), 1_300)
`

test('an uncaught error is handled once when the log has no reader', () => {
  const command = `{ "$NODE" --input-type=module -e "$HUB" 2>&1 1>/dev/null 3>&3 | true; } 3>&1`
  const said = execFileSync('sh', ['-c', command], { env: { ...process.env, NODE: process.execPath, HUB } })
  expect(said.toString()).toBe('1')
})
