// Tests what the TypeScript client returns, from which source, and after how many requests. What happens if a hub fails
// is tested for both libraries in faults.ts.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { diskStore, openLock } from '../../clients/typescript/source/files.ts'
import {
  type HubEvent,
  type HubOptions,
  PromptHub,
  PromptHubError,
} from '../../clients/typescript/source/prompt-hub.ts'
import { writeTypes } from '../../clients/typescript/source/typing.ts'
import { addToLock, installLock } from '../../clients/typescript/source/vendoring.ts'
import { freePort } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { CONTENTS, type FaultHub, openFaultHub, sha256, silence, status } from './fault-hub.ts'

let hub: FaultHub
let events: HubEvent[]
let folder: string
const RECORD = '/data/v1/repos/acme/hello.json'
const VERSION = '/data/v1/repos/acme/hello/versions/1.1.0.json'
const LIST = '/data/v1/repos/acme/hello/versions.json'
const open = (options: HubOptions = {}) =>
  new PromptHub({ url: hub.url, retries: 0, onEvent: events.push.bind(events), ...options })
const codeOf = async (work: Promise<unknown>) => {
  try {
    await work
    return 'no error'
  } catch (error) {
    return error instanceof PromptHubError ? error.code : String(error)
  }
}
/** Waits until all background requests have been made. */
const settled = () => new Promise((done) => setTimeout(done, 60))

beforeEach(async () => {
  hub = await openFaultHub()
  events = []
  folder = temporaryFolder('prompt-hub-client-')
})
afterEach(() => hub.stop())

describe('version resolution', () => {
  test.each([
    ['the latest version', 'acme/hello', {}, '1.1.0'],
    ['an exact version', 'acme/hello', { version: '2.0.0' }, '2.0.0'],
    ['a range skips yanked versions', 'acme/hello', { range: '*' }, '1.1.0'],
    ['a range after the name', 'acme/hello@~1.0', {}, '1.0.0'],
    ['a label', 'acme/hello@production', {}, '1.0.0'],
  ] as const)('%s', async (_, name, options, version) => {
    const prompt = await open().get(name, options)
    expect(prompt).toMatchObject({
      name: 'acme/hello',
      version,
      content: CONTENTS[version],
      sha256: sha256(CONTENTS[version]!),
    })
    expect(prompt.source).toBe('network')
  })

  test.each([
    ['no such prompt', 'acme/nothing', {}, 'not_found'],
    ['no such version', 'acme/hello', { version: '9.9.9' }, 'not_found'],
    ['no version in the range', 'acme/hello@^3', {}, 'not_found'],
    ['only a yanked version in the range', 'acme/hello@^2', {}, 'not_found'],
    ['no such label', 'acme/hello@constructor', {}, 'not_found'],
    ['an invalid name', '../etc', {}, 'invalid_request'],
    ['a range and a label', 'acme/hello@1', { label: 'production' }, 'invalid_request'],
    ['a range as the version', 'acme/hello', { version: '^1' }, 'invalid_request'],
  ] as const)('%s', async (_, name, options, code) => expect(await codeOf(open().get(name, options))).toBe(code))
})

describe('number of requests', () => {
  test('a thousand concurrent calls for the latest version request each file once', async () => {
    const client = open()
    await Promise.all(Array.from({ length: 1_000 }, () => client.get('acme/hello')))
    await settled()
    expect(hub.asked).toEqual([RECORD])
  })

  test('a thousand concurrent calls for an exact version request each file once', async () => {
    const client = open()
    await Promise.all(Array.from({ length: 1_000 }, () => client.get('acme/hello@1.1.0')))
    // What is said about the version is asked in the background.
    await expect.poll(() => hub.asked.length).toBeGreaterThanOrEqual(3)
    await settled()
    expect(hub.asked.toSorted()).toEqual([RECORD, LIST, VERSION])
  })

  test('sends a second request when the record lacks the latest content', async () => {
    hub.faults.set(RECORD, (_request, response) => {
      const data = { full_name: 'acme/hello', status: 'active', status_message: null, labels: {}, versions: ['1.1.0'] }
      response.end(JSON.stringify({ data: { ...data, latest_version: '1.1.0' } }))
      return true
    })
    expect(await open().get('acme/hello')).toMatchObject({ version: '1.1.0', content: CONTENTS['1.1.0'] })
    expect(hub.asked).toEqual([RECORD, VERSION])
  })

  test('returns a stale prompt at once and revalidates it with its ETag', async () => {
    const client = open({ freshMs: 0 })
    await client.get('acme/hello')
    expect((await client.get('acme/hello')).source).toBe('stale')
    await expect.poll(() => hub.unchanged).toEqual([RECORD])
    expect(hub.asked).toEqual([RECORD, RECORD])
    expect(events.some(({ type }) => type === 'stale')).toBe(true)
  })

  test('retries after a failure and honours Retry-After', async () => {
    let failures = 0
    hub.faults.set(
      RECORD,
      (request, response) => failures++ < 2 && status(503, { 'Retry-After': '0' })(request, response),
    )
    expect((await open({ retries: 2 }).get('acme/hello')).version).toBe('1.1.0')
    expect(failures).toBe(3)
  })

  test('waits for a hub that is asked too often as long as it says, which is no retry', async () => {
    let failures = 0
    hub.faults.set(
      RECORD,
      (request, response) => failures++ < 2 && status(429, { 'Retry-After': '1' })(request, response),
    )
    expect((await open({ retries: 0 }).get('acme/hello')).version).toBe('1.1.0')
    expect(failures).toBe(3)
  })

  test('fails without waiting when Retry-After exceeds the deadline', async () => {
    hub.outage = status(429, { 'Retry-After': '3600' })
    expect(await codeOf(open({ retries: 5 }).get('acme/hello'))).toBe('unavailable')
    expect(hub.asked).toHaveLength(1)
  })
})

describe('errors', () => {
  test('rejects a response with a different version than requested', async () => {
    hub.faults.set(VERSION, (_request, response) => {
      const data = {
        full_name: 'acme/hello',
        version: '1.0.0',
        content: 'x',
        content_sha256: sha256('x'),
        variables: [],
        parameters: {},
      }
      response.end(JSON.stringify({ data }))
      return true
    })
    expect(await codeOf(open().get('acme/hello@1.1.0'))).toBe('integrity')
  })
})

describe('disk cache', () => {
  test('ignores a corrupt entry and requests the prompt again', async () => {
    const store = { ...diskStore(folder), read: async () => ({ text: '{', etag: undefined, checkedAt: Date.now() }) }
    expect((await open({ store }).get('acme/hello')).source).toBe('network')
  })

  test('still returns the prompt when the disk is full', async () => {
    const store = { ...diskStore(folder), write: () => Promise.reject(new Error('ENOSPC')) }
    expect((await open({ store }).get('acme/hello')).version).toBe('1.1.0')
  })
})

describe('owner notices', () => {
  test('reports deprecations, yanks and advisories once each', async () => {
    const client = open()
    await client.get('acme/hello', { version: '2.0.0' })
    await expect.poll(() => events.length).toBe(2)
    const again = await client.get('acme/hello', { version: '2.0.0' })
    await settled()
    expect(again.standing).toEqual({ deprecated: 'Use acme/hi.', yanked: 'wrong', advisories: [] })
    expect(events.map(({ type }) => type)).toEqual(['deprecated', 'yanked'])
    await client.get('acme/hello', { version: '1.0.0' })
    await expect.poll(() => events.at(-1)).toMatchObject({ type: 'advisory', severity: 'low' })
  })
})

describe('lock file', () => {
  const lockPath = () => join(folder, 'prompts.lock')

  test('fills vendored prompts without any request to the hub', async () => {
    await addToLock(lockPath(), [{ name: 'acme/hello' }], hub.url)
    hub.asked.length = 0
    for (const outage of [silence, status(500), undefined]) {
      hub.outage = outage
      const prompt = await open({ lock: await openLock(lockPath()) }).get('acme/hello')
      // Only the declaration shows that the greeting is optional.
      expect(prompt.fill({ name: 'Ann' })).toBe('Hello Ann, ')
      expect(prompt).toMatchObject({ source: 'lock', version: '1.1.0', parameters: { temperature: 0.2 } })
    }
    expect(hub.asked).toEqual([])
    expect(events).toEqual([])
  })

  test('rejects prompts and versions that the lock does not list, without any request', async () => {
    await addToLock(lockPath(), [{ name: 'acme/hello' }], hub.url)
    hub.asked.length = 0
    const client = open({ lock: await openLock(lockPath()) })
    expect(await codeOf(client.get('acme/other'))).toBe('not_locked')
    expect(await codeOf(client.get('acme/hello@~1.0'))).toBe('not_locked')
    expect(hub.asked).toEqual([])
  })

  test('rejects a changed vendored file, and install restores only a missing one', async () => {
    await addToLock(lockPath(), [{ name: 'acme/hello' }], hub.url)
    const file = join(folder, 'prompts/acme/hello.md')
    writeFileSync(file, 'changed by hand')
    expect(await codeOf(open({ lock: await openLock(lockPath()) }).get('acme/hello'))).toBe('integrity')
    expect(await codeOf(installLock(lockPath()))).toBe('integrity')
    expect(readFileSync(file, 'utf8')).toBe('changed by hand')
    rmSync(file)
    expect(await installLock(lockPath())).toHaveLength(1)
    expect(readFileSync(file, 'utf8')).toBe(CONTENTS['1.1.0'])
  })

  test('stays valid after two concurrent adds of the same prompt', async () => {
    await Promise.all([
      addToLock(lockPath(), [{ name: 'acme/hello', path: 'a.md' }], hub.url),
      addToLock(lockPath(), [{ name: 'acme/hello@1.0.0', path: 'b.md' }], hub.url),
    ])
    const { lock } = await openLock(lockPath())
    expect(Object.keys(lock.prompts)).toEqual(['acme/hello'])
  })
})

test('generated types name each variable, and a description cannot end its comment', () => {
  const base = { default: null, options: [], example: null, description: '' }
  const types = writeTypes(
    new Map([
      [
        'acme/hello',
        [
          { ...base, name: 'name', type: 'string', required: true, description: 'x */ evil() /*' },
          { ...base, name: 'kind', type: 'enum', required: false, options: ['a', "b'"] },
        ],
      ],
    ]),
  )
  expect(types).toContain('      name: string\n')
  expect(types).toContain('      kind?: "a" | "b\'"\n')
  expect(types.match(/\*\//g)).toHaveLength(1)
})

describe('errors that name what to do', () => {
  test('fill names the prompt and its version, and a chat prompt refuses it', async () => {
    const prompt = await open().get('acme/hello')
    expect(() => prompt.fill({ nmae: 'x' })).toThrow(
      'acme/hello 1.1.0: name: missing required value; nmae: unknown variable',
    )
    expect(() => prompt.fill({ name: 'x', history: 'Hi' })).toThrow(
      'history: unknown variable; pass earlier messages as the option history, not as a value',
    )
    const away = open({ url: 'http://127.0.0.1:9' })
    const fallback = await away.get('acme/hello', { fallback: 'Hi {{name}}' })
    expect(fallback).toMatchObject({ source: 'fallback', version: null, sha256: null })
    expect(() => fallback.fill({})).toThrow('the fallback of acme/hello: name: missing required value')
    expect(fallback.fill({ name: 'Ann', greeting: 'x' })).toBe('Hi Ann')
    expect(events).toContainEqual({ type: 'unused_values', name: 'acme/hello', values: ['greeting'] })
    const chat = await away.get('acme/hello', { fallback: '{{role "user"}}\n{{name}}\n{{history}}\n' })
    expect(() => chat.fill({ name: 'Ann' })).toThrow('this is a chat prompt; use messages instead of fill')
    expect(chat.messages({ name: 'Ann', greeting: 'x' })).toEqual([{ role: 'user', content: 'Ann' }])
  })

  test.each<[string, object, RegExp]>([
    [
      'the path of a lock',
      { lock: 'prompts.lock' },
      /^lock: expected an open lock: await openLock.*got "prompts\.lock"$/,
    ],
    ['a lock that is not open yet', { lock: openLock('prompts.lock').catch(() => {}) }, /a promise; add await$/],
    ['the path of a store', { store: '.cache' }, /^store: expected a store: diskStore.*got "\.cache"$/],
    ['a URL object', { url: new URL('http://localhost') }, /^url: expected a string/],
  ])('%s', (_, options, message) => {
    expect(() => new PromptHub(options as HubOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(message) }),
    )
  })

  test('openLock takes a file URL', async () => {
    const path = join(folder, 'prompts.lock')
    await addToLock(path, [{ name: 'acme/hello' }], hub.url)
    expect((await openLock(pathToFileURL(path))).lock.prompts).toHaveProperty('acme/hello')
  })

  test('an unreachable hub is named with the cause', async () => {
    const port = await freePort()
    for (const [url, cause] of [
      [`http://127.0.0.1:${port}`, new RegExp(`did not respond: connect ECONNREFUSED 127\\.0\\.0\\.1:${port}$`)],
      [`http://localhost:${port}`, /did not respond: connect ECONNREFUSED/],
      ['http://no-such-host.invalid', /did not respond: getaddrinfo/],
    ] as const)
      await expect(open({ url }).get('acme/hello')).rejects.toThrow(cause)
  })
})
