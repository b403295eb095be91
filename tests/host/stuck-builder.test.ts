// Tests that a builder that crashes or is stuck is replaced: one that throws, one in an endless loop, and one whose round
// never ends. Until then, the age of the oldest change that is not built is known.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashCode } from '../../src/build/code-hash.ts'
import { readState } from '../../src/built/site-database.ts'
import { type FollowMessage, keepBuilding } from '../../src/hosts/node/builds/keep-building.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WITHIN = 120_000
const PATIENCE = { silenceMs: 15_000, roundMs: 600_000, checkMs: 250 }
/** Where a silent builder is not what is tested: on a busy machine, one that starts is silent for long. */
const PATIENT = { ...PATIENCE, silenceMs: 600_000 }
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
const build = (
  beforeBuild = async () => ({ isWhole: true, orderMs: Date.now(), changed: [] }),
  options: Parameters<typeof keepBuilding>[3] = {},
) =>
  keepBuilding(
    { dir: join(root, 'site'), contentDir: join(root, 'content') },
    stop.signal,
    { hear: (message) => void heard.push(message), beforeBuild },
    { patience: PATIENCE, ...options },
  )
const failures = () => heard.flatMap((one) => (one.kind === 'failed' ? [`${one.message} ${one.next}`] : []))
const repositories = () => {
  if (!heard.some(({ kind }) => kind === 'state')) return undefined
  const text = readState(join(root, 'site/site.db'), hashCode(process.cwd()).data)
  return text === undefined ? undefined : JSON.parse(text).counts.repositories
}
const isServed = (count: number) => expect.poll(repositories, { timeout: WITHIN }).toBe(count)

/** Starts a builder that does something whenever a round begins while the flag exists. @param code may use `isFaulty()` */
function buildWithFault(code: string, patience = PATIENCE) {
  const fault = join(root, 'fault.mjs')
  writeFileSync(
    fault,
    `import { existsSync } from 'node:fs'
    import { parentPort } from 'node:worker_threads'
    const isFaulty = () => existsSync(${JSON.stringify(join(root, 'flag'))})
    const post = parentPort.postMessage.bind(parentPort)
    parentPort.postMessage = (message) => {
      post(message)
      if (message.kind === 'begin') ${code}
    }
    await import(${JSON.stringify(new URL('../../src/hosts/node/builds/builder-thread.ts', import.meta.url).href)})`,
  )
  return { flag: join(root, 'flag'), builder: build(undefined, { module: pathToFileURL(fault), patience }) }
}

test('a builder that crashes is restarted with increasing delays', { timeout: 3 * WITHIN }, async () => {
  const crash = `if (isFaulty()) setTimeout(() => { throw new Error('Out of order.') }, 20)`
  const { flag, builder } = buildWithFault(crash, PATIENT)
  await isServed(1)
  writeFileSync(flag, '')
  write('two', 'Second')
  builder.send({ kind: 'written', fullName: 'acme/two' })
  await expect
    .poll(() => failures().slice(0, 2), { timeout: WITHIN })
    .toEqual([1, 2].map((pause) => `The builder ended: Out of order. Restarting it in ${pause} s.`))
  rmSync(flag)
  await isServed(2)
})

test('a builder in an endless loop is replaced, and the change that waited for it is built', {
  timeout: 3 * WITHIN,
}, async () => {
  // Between two rounds it sleeps, which leaves the processor to other tests and responds as little.
  const { flag, builder } = buildWithFault(
    'while (isFaulty()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)',
  )
  await isServed(1)
  writeFileSync(flag, '')
  await expect.poll(builder.oldestUnbuilt, { timeout: WITHIN }).toBe(undefined)
  write('two', 'Second')
  const began = Date.now()
  builder.send({ kind: 'written', fullName: 'acme/two' })
  expect(builder.oldestUnbuilt()!.getTime()).toBeGreaterThanOrEqual(began)
  await expect
    .poll(() => failures()[0], { timeout: WITHIN })
    .toBe('The builder has not responded for 15 s. It is being replaced.')
  await expect
    .poll(() => failures()[1], { timeout: WITHIN })
    .toBe('The builder ended: exit code 1. Restarting it in 1 s.')
  // Retries while the loop lasts do not make the change any younger.
  const since = builder.oldestUnbuilt()!
  rmSync(flag)
  expect(since.getTime()).toBeLessThan(Date.now() - 10_000)
  await isServed(2)
  await expect.poll(builder.oldestUnbuilt, { timeout: WITHIN }).toBe(undefined)
})

test('a round that makes no progress ends, although the builder responds', { timeout: 3 * WITHIN }, async () => {
  let isHanging = true
  const hang = () =>
    isHanging ? new Promise<never>(() => {}) : Promise.resolve({ isWhole: true, orderMs: Date.now(), changed: [] })
  build(hang, { patience: { ...PATIENT, roundMs: 8_000 } })
  await expect
    .poll(() => failures()[0], { timeout: WITHIN })
    .toBe('The builder has made no progress for 8 s. It is being replaced.')
  isHanging = false
  await isServed(1)
})
