// Tests that a build process that is stuck is noticed and replaced: one that is stopped, one in an endless loop, and one
// whose round never ends. Until then, the age of the oldest change that is not built is known.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FollowMessage, keepBuilding } from '../../packages/node-server/builds/keep-building.ts'
import { buildersOf } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WITHIN = 60_000
const PATIENCE = { silenceMs: 15_000, roundMs: 600_000, checkMs: 250 }
const environment = { ...process.env }
let root = ''
let stop = new AbortController()
let heard: FollowMessage[] = []

beforeEach(() => {
  root = temporaryFolder('hub-stuck-')
  stop = new AbortController()
  heard = []
  write('one', 'First')
  mkdirSync(join(root, 'site'))
  Object.assign(process.env, { CONTENT_DIR: join(root, 'content'), SITE_URL: 'https://hub.test' })
})
afterEach(() => {
  stop.abort()
  process.env = { ...environment }
})

function write(name: string, text: string): void {
  const dir = join(root, 'content/acme', name, 'versions')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, '1.0.0.md'), `---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\n---\n${text}\n`)
}
const build = (patience = PATIENCE, beforeBuild = async () => ({ isWhole: true, orderMs: Date.now(), changed: [] })) =>
  keepBuilding(
    [join(root, 'site')],
    stop.signal,
    { hear: (message) => void heard.push(message), beforeBuild },
    patience,
  )
const failures = () => heard.flatMap((one) => (one.kind === 'failed' ? [`${one.message} ${one.next}`] : []))
const repositories = () => {
  const states = heard.flatMap((one) => (one.kind === 'state' ? [one.state.counts.repositories] : []))
  return states.at(-1)
}
const isServed = (count: number) => expect.poll(repositories, { timeout: WITHIN }).toBe(count)

/** Loads a fault into the build process. @param code runs with each message that it sends */
function addFault(code: string): void {
  const path = join(root, 'fault.mjs')
  writeFileSync(
    path,
    `import { existsSync } from 'node:fs'
    const send = process.send.bind(process)
    process.send = (message, ...rest) => { send(message, ...rest); ${code} }`,
  )
  process.env.NODE_OPTIONS = `--import=${pathToFileURL(path)}`
}

test('a stopped build process is replaced, and the change that waited for it is built', {
  timeout: 3 * WITHIN,
}, async () => {
  const builder = build()
  await isServed(1)
  await expect.poll(builder.oldestUnbuilt, { timeout: WITHIN }).toBe(undefined)
  const [pid] = buildersOf(process.pid)
  process.kill(pid!, 'SIGSTOP')
  write('two', 'Second')
  const began = Date.now()
  builder.send({ kind: 'written', fullName: 'acme/two' })
  const since = builder.oldestUnbuilt()!
  expect(since.getTime()).toBeGreaterThanOrEqual(began)
  await isServed(2)
  expect(failures()[0]).toBe('The build process has not responded for 15 s. It is being replaced.')
  expect(failures()[1]).toBe('The build process exited with SIGKILL. Restarting it in 1 s.')
  await expect.poll(builder.oldestUnbuilt, { timeout: WITHIN }).toBe(undefined)
})

test('a build process in an endless loop is replaced', { timeout: 3 * WITHIN }, async () => {
  const flag = join(root, 'flag')
  // Between two rounds it sleeps, which leaves the processor to other tests and responds as little.
  addFault(
    `while (message.kind === 'begin' && existsSync(${JSON.stringify(flag)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)`,
  )
  const builder = build()
  await isServed(1)
  writeFileSync(flag, '')
  write('two', 'Second')
  builder.send({ kind: 'written', fullName: 'acme/two' })
  await expect.poll(() => failures()[0], { timeout: WITHIN }).toContain('has not responded for 15 s.')
  // Retries while the loop lasts do not make the change any younger.
  const since = builder.oldestUnbuilt()!
  rmSync(flag)
  expect(since.getTime()).toBeLessThan(Date.now() - 10_000)
  await isServed(2)
})

test('a round that makes no progress ends, although the process responds', { timeout: 3 * WITHIN }, async () => {
  let isHanging = true
  const hang = () =>
    isHanging ? new Promise<never>(() => {}) : Promise.resolve({ isWhole: true, orderMs: Date.now(), changed: [] })
  build({ ...PATIENCE, roundMs: 8_000 }, hang)
  await expect
    .poll(() => failures()[0], { timeout: WITHIN })
    .toBe('The build process has made no progress for 8 s. It is being replaced.')
  isHanging = false
  await isServed(1)
})

test('a build process that cannot be started is started again', { timeout: 3 * WITHIN }, async () => {
  const { execPath } = process
  process.execPath = join(root, 'missing')
  build()
  await expect.poll(() => failures()[0], { timeout: WITHIN }).toMatch(/^The build process cannot be started: .*ENOENT/)
  process.execPath = execPath
  await isServed(1)
})
