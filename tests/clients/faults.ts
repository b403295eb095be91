// Tests that both libraries react identically to every hub failure: with the same source or error, after the same
// number of requests.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { diskStore } from '../../clients/typescript/source/files.ts'
import { PromptHub, PromptHubError } from '../../clients/typescript/source/prompt-hub.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import {
  cut,
  drip,
  type Fault,
  type FaultHub,
  noConnection,
  openFaultHub,
  otherBytes,
  redirect,
  silence,
  status,
} from './fault-hub.ts'

/** Options for opening a client. All times are in milliseconds. */
interface Settings {
  url: string
  freshMs: number
  revalidateMs: number
  timeoutMs: number
  folder?: string
}
interface Got {
  /** The source of the prompt, or the error code. */
  source: string
  events: string[]
}
/** One of the libraries. Each client that it opens has its own in-memory cache. */
type Library = (settings: Settings) => (name: string, fallback?: string) => Promise<Got>

const RETRIES = 1
/** For a hub that responds, however busy this machine is. */
const LONG_TIMEOUT_MS = 60_000
/** For a hub that never responds. */
const TIMEOUT_MS = 2_000
const typescript: Library = ({ folder, ...settings }) => {
  const events: string[] = []
  const store = folder === undefined ? {} : { store: diskStore(folder) }
  const limits = { retries: RETRIES, deadlineMs: 2 * LONG_TIMEOUT_MS }
  const hub = new PromptHub({ ...settings, ...limits, ...store, onEvent: ({ type }) => events.push(type) })
  return async (name, fallback) => {
    try {
      return { source: (await hub.get(name, fallback === undefined ? {} : { fallback })).source, events }
    } catch (error) {
      if (!(error instanceof PromptHubError)) throw error
      return { source: error.code, events }
    }
  }
}

let driver: ChildProcess
const waiting = new Map<number, (got: Got) => void>()
let opened = 0
let asked = 0
const python: Library = ({ url, freshMs, revalidateMs, timeoutMs, folder }) => {
  const client = ++opened
  const times = { fresh: freshMs / 1000, revalidate: revalidateMs / 1000, timeout: timeoutMs / 1000 }
  const limits = { retries: RETRIES, deadline: (2 * LONG_TIMEOUT_MS) / 1000 }
  const options = { url, ...times, ...limits, ...(folder === undefined ? {} : { cache_dir: folder }) }
  return (name, fallback) => {
    const number = ++asked
    const given = fallback === undefined ? {} : { fallback }
    driver.stdin!.write(`${JSON.stringify([number, client, options, name, given])}\n`)
    return new Promise((resolve) => waiting.set(number, resolve))
  }
}

let scratch: string
beforeAll(() => {
  scratch = temporaryFolder('prompt-hub-faults-')
  const env = { ...process.env, PYTHONPATH: 'clients/python' }
  driver = spawn('python3', ['tests/clients/python_driver.py'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  createInterface({ input: driver.stdout! }).on('line', (line) => {
    const { number, ...got } = JSON.parse(line) as Got & { number: number }
    waiting.get(number)?.(got)
  })
})
afterAll(() => driver.stdin!.end())

//  failure                      empty cache      and a fallback   stale entry          next request after a stale entry
const FAULTS: [string, Fault, string, string, string, string][] = [
  ['no connection', noConnection, 'unavailable 2', 'fallback 2', 'stale 2', 'stale'],
  // Whoever has something else to use does not wait for a second attempt.
  ['no response', silence, 'unavailable 2', 'fallback 1', 'stale 1', 'stale'],
  ['response headers that never end', drip, 'unavailable 2', 'fallback 1', 'stale 1', 'stale'],
  [
    'a redirect away from this machine',
    redirect('http://192.0.2.1/'),
    'unavailable 1',
    'fallback 1',
    'stale 1',
    'stale',
  ],
  ['a redirect loop', redirect('?again'), 'unavailable 4', 'fallback 4', 'stale 4', 'stale'],
  ['a truncated response', cut, 'unavailable 2', 'fallback 2', 'stale 2', 'stale'],
  ['500', status(500), 'unavailable 2', 'fallback 2', 'stale 2', 'stale'],
  ['a page instead of a record', status(200), 'unavailable 1', 'fallback 1', 'stale 1', 'stale'],
  ['429', status(429), 'unavailable 2', 'fallback 2', 'unavailable 2', 'stale'],
  // The static file does not exist. The API, which would know about a later publish, also returns 404.
  ['404', status(404), 'not_found 2', 'not_found 2', 'not_found 2', 'not_found'],
  ['401', status(401), 'refused 1', 'refused 1', 'refused 1', 'refused'],
  ['content that does not match its digest', otherBytes, 'integrity 1', 'integrity 1', 'integrity 1', 'stale'],
]
const HOUR_MS = 3_600_000
const openSettings = ({ url }: FaultHub): Settings => {
  return { url, freshMs: HOUR_MS, revalidateMs: 0, timeoutMs: LONG_TIMEOUT_MS }
}
const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 120_000 })

const PINNED = 'acme/hello@1.1.0'
const newFolder = () => mkdtempSync(join(scratch, 'cache-'))

async function withHub(work: (hub: FaultHub, settings: Settings) => Promise<void>, settings: Partial<Settings> = {}) {
  const hub = await openFaultHub()
  try {
    await work(hub, { ...openSettings(hub), ...settings })
  } finally {
    await hub.stop()
  }
}
/** Makes the hub fail, and returns the result and the number of requests. */
async function fail(hub: FaultHub, fault: Fault, get: () => Promise<Got>) {
  hub.outage = fault
  hub.asked.length = 0
  const { source, events } = await get()
  return { got: `${source} ${hub.asked.length}`, events }
}
/** Waits until all background requests have been made. */
const settle = (hub: FaultHub, count: number) => waitFor(() => expect(hub.asked).toHaveLength(count))

describe.concurrent.each([
  ['TypeScript', typescript],
  ['Python', python],
] as const)('%s', (_, library) => {
  describe.each(FAULTS)('%s', (what, fault, cold, fallback, old, later) => {
    const timeoutMs = [silence, drip].includes(fault) ? TIMEOUT_MS : LONG_TIMEOUT_MS

    test('with an empty cache, and then with a fallback', () =>
      withHub(
        async (hub, settings) => {
          const alone = library(settings)
          expect((await fail(hub, fault, () => alone('acme/hello'))).got).toBe(cold)
          const get = library(settings)
          const { got, events } = await fail(hub, fault, () => get('acme/hello', 'Hi {{name}}'))
          expect(got).toBe(fallback)
          const isDown = fallback.startsWith('fallback')
          // Another page instead of a record says nothing about the hub.
          const isPaused = isDown && what !== 'a page instead of a record' && what !== '429'
          expect(events).toEqual([...(isPaused ? ['unreachable'] : []), ...(isDown ? ['fallback'] : [])])
        },
        { timeoutMs },
      ))

    test('with a stale prompt, which another process has cached on disk', () =>
      withHub(
        async (hub, settings) => {
          await library(settings)('acme/hello')
          const get = library(settings)
          const { got, events } = await fail(hub, fault, () => get('acme/hello'))
          expect(got).toBe(old)
          expect(events.includes('stale')).toBe(old.startsWith('stale'))
        },
        { timeoutMs, freshMs: 0, folder: newFolder() },
      ))

    test('returns a stale prompt at once, and the result of the background request next time', () =>
      withHub(
        async (hub, settings) => {
          const get = library(settings)
          await get('acme/hello')
          const { got } = await fail(hub, fault, () => get('acme/hello'))
          expect(got).toMatch(/^stale /)
          // For a URL that no longer exists, only the file is requested again.
          await settle(hub, later === 'not_found' ? 1 : Number(old.split(' ')[1]))
          await waitFor(async () => expect((await get('acme/hello')).source).toBe(later))
        },
        { timeoutMs, freshMs: 0, revalidateMs: HOUR_MS },
      ))
  })

  test('asks for no fresh prompt again, and for no exact version, also one that another process has cached', () =>
    withHub(
      async (hub, settings) => {
        const get = library(settings)
        await get('acme/hello')
        await get(PINNED)
        await settle(hub, 3)
        const kept = () => readdirSync(settings.folder!).filter((name) => name.endsWith('.json'))
        await waitFor(() => expect(kept()).toHaveLength(3))
        for (const name of ['acme/hello', PINNED])
          expect((await fail(hub, noConnection, () => get(name))).got).toBe('memory 0')
        const other = library(settings)
        expect((await fail(hub, noConnection, () => other(PINNED))).got).toBe('disk 0')
      },
      { folder: newFolder() },
    ))

  test('treats a cache entry dated in the future as stale', async () => {
    const hub = await openFaultHub()
    const folder = newFolder()
    const settings = { ...openSettings(hub), revalidateMs: HOUR_MS, folder }
    await library(settings)('acme/hello')
    const [file = ''] = readdirSync(folder)
    const kept = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    writeFileSync(join(folder, file), JSON.stringify({ ...kept, checkedAt: Date.now() + 24 * HOUR_MS }))
    hub.outage = status(500)
    const get = library(settings)
    // The second call returns the prompt from memory.
    for (let time = 0; time < 2; time++) expect((await get('acme/hello')).source).toBe('stale')
    hub.outage = undefined
    expect((await library(settings)('acme/hello')).source).toBe('network')
    await hub.stop()
  })

  test('follows a redirect to the same machine', async () => {
    const hub = await openFaultHub()
    hub.faults.set('/data/v1/repos/acme/hello.json', redirect('/data/v1/repos/acme/hello.json?moved'))
    hub.faults.set('/data/v1/repos/acme/hello.json?moved', (request, response) => {
      request.url = '/data/v1/repos/acme/hello.json'
      return hub.answer(request, response)
    })
    expect((await library(openSettings(hub))('acme/hello')).source).toBe('network')
    await hub.stop()
  })

  test('asks the API when the static files are older than the last publish', async () => {
    const hub = await openFaultHub()
    const file = '/data/v1/repos/acme/hello/versions/1.1.0.json'
    hub.faults.set(file, status(404))
    hub.faults.set('/api/v1/repos/acme/hello/versions/1.1.0', (request, response) => {
      request.url = file
      hub.faults.delete(file)
      return hub.answer(request, response)
    })
    expect((await library(openSettings(hub))('acme/hello@1.1.0')).source).toBe('network')
    expect(hub.asked.slice(0, 2)).toEqual([file, '/api/v1/repos/acme/hello/versions/1.1.0'])
    await hub.stop()
  })
})
