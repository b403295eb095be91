// Checks that no call of either library waits for a hub that does not respond if it has something else to use.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PromptHub, PromptHubError } from '../../clients/typescript/source/prompt-hub.ts'
import { type FaultHub, noConnection, openFaultHub, silence } from './fault-hub.ts'

const run = promisify(execFile)
let hub: FaultHub
beforeEach(async () => {
  hub = await openFaultHub()
  // A program switches the hub off and on, so that its requests get no response or no connection, and counts them.
  for (const [path, outage] of [
    ['/silent', silence],
    ['/off', noConnection],
    ['/on', undefined],
    ['/count', undefined],
  ] as const)
    hub.faults.set(path, (_request, response) => {
      if (path !== '/count')
        hub.outage = outage && ((request, answer) => (hub.faults.has(request.url!) ? false : outage(request, answer)))
      response.end(String(askedFor().length))
      return true
    })
})
afterEach(async () => {
  vi.useRealTimers()
  await hub.stop()
})
const waitFor = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000 })
const askedFor = () => hub.asked.filter((path) => path.startsWith('/data/'))

/** What both programs do and print: the source of each prompt. */
const EXPECTED = [
  'network',
  ...['stale', 'stale', 'fallback', 'unavailable'],
  // The pause is over, and the hub responds again: the copy is used at once, and later calls have responses.
  ...['stale', 'network'],
]
/**
 * How many requests there were after each call without a hub. The first makes one attempt, and the next ones none;
 * faults.ts has the same for a hub that never responds. Without anything else to use, a call asks.
 */
const ASKED = [1, 1, 1, 2]
const SAID = ['deprecated', 'unreachable', 'stale', 'stale', 'fallback']

test('the TypeScript library', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const events: string[] = []
  const onEvent = ({ type }: { type: string }) => events.push(type)
  const client = new PromptHub({ url: hub.url, freshMs: 0, revalidateMs: 0, retries: 0, onEvent })
  const [got, asked]: [unknown[], number[]] = [[], []]
  const get = async (name: string, options = {}) => {
    const prompt = client.get(name, options).then(({ source }) => source)
    got.push(await prompt.catch((error) => error instanceof PromptHubError && error.code))
    asked.push(askedFor().length)
  }
  await get('acme/hello')
  await fetch(`${hub.url}/off`)
  const before = asked.splice(0)[0]!
  await get('acme/hello')
  await get('acme/hello')
  await get('acme/hello@2.0.0', { fallback: 'Hi' })
  expect(events).toEqual(SAID)
  await get('acme/hello@2.0.0')
  expect(asked.map((count) => count - before)).toEqual(ASKED)
  vi.setSystemTime(Date.now() + 20_000)
  await fetch(`${hub.url}/on`)
  await get('acme/hello')
  const later = async (name: string) => (await client.get(name, { freshMs: 10_000, fallback: 'Hi' })).source
  await waitFor(async () => expect(await later('acme/hello')).not.toBe('stale'))
  expect([...got, await later('acme/hello@2.0.0')]).toEqual(EXPECTED)
})

const PROGRAM = `
import json, sys, time, types, urllib.request
import prompt_hub
url, events, got, asked = sys.argv[1], [], [], []
client = prompt_hub.PromptHub(url, fresh=0, revalidate=0, retries=0, on_event=lambda event: events.append(event.type))
def tell(path):
    return int(urllib.request.urlopen(url + path).read())
def get(name, **options):
    try:
        got.append(client.get(name, **options).source)
    except prompt_hub.PromptHubError as error:
        got.append(error.code)
    asked.append(tell("/count"))
get("acme/hello")
before = tell("/off")
get("acme/hello")
get("acme/hello")
get("acme/hello@2.0.0", fallback="Hi")
said = list(events)
get("acme/hello@2.0.0")
counts = [count - before for count in asked[1:]]
skipped = 20
prompt_hub.breaker.time = types.SimpleNamespace(monotonic=lambda: time.monotonic() + skipped)
tell("/on")
get("acme/hello")
for _ in range(1000):
    source = client.get("acme/hello@2.0.0", fallback="Hi").source
    if source != "fallback":
        break
    time.sleep(0.05)
got.append(source)
print(json.dumps({"got": got, "asked": counts, "said": said}))
`

test('the Python library', async () => {
  const env = { ...process.env, PYTHONPATH: 'clients/python' }
  const { stdout } = await run('python3', ['-c', PROGRAM, hub.url], { env })
  expect(JSON.parse(stdout)).toEqual({ got: EXPECTED, asked: ASKED, said: SAID })
})

test('a call has its own times', async () => {
  const client = new PromptHub({ url: hub.url, retries: 0, timeoutMs: 60_000, deadlineMs: 120_000 })
  expect((await client.get('acme/hello')).source).toBe('network')
  expect((await client.get('acme/hello', { freshMs: 0, revalidateMs: 0 })).source).toBe('network')
  expect((await client.get('acme/hello', { freshMs: 0, revalidateMs: Number.POSITIVE_INFINITY })).source).toBe('stale')
  hub.outage = silence
  const startedAt = performance.now()
  expect((await client.get('acme/hello', { freshMs: 0, revalidateMs: 0, deadlineMs: 50 })).source).toBe('stale')
  await expect(client.get('acme/hello@1.0.0', { deadlineMs: 50 })).rejects.toMatchObject({ code: 'unavailable' })
  expect(performance.now() - startedAt).toBeLessThan(60_000)
  await expect(client.get('acme/hello', { deadlineMs: Number.NaN })).rejects.toMatchObject({ code: 'invalid_request' })
})

test('a response that comes after the deadline of its call is for the next one', async () => {
  const client = new PromptHub({ url: hub.url })
  hub.outage = (request, response) => {
    setTimeout(() => hub.answer(request, response), 500)
    return true
  }
  await expect(client.get('acme/hello', { deadlineMs: 20 })).rejects.toMatchObject({ code: 'unavailable' })
  await waitFor(async () => expect((await client.get('acme/hello', { deadlineMs: 20 })).source).toBe('memory'))
  expect(askedFor()).toHaveLength(1)
})

const never = () => new Promise<never>(() => {})
const fail = () => {
  throw new Error('The disk is on fire.')
}
test.each([
  ['does not respond', never],
  ['fails', fail],
])('a store that %s makes no call fail', async (_, work) => {
  const store = { read: work, write: work, remove: work }
  const client = new PromptHub({ url: hub.url, timeoutMs: 1_000, store })
  expect((await client.get('acme/hello')).source).toBe('network')
  expect((await client.get('acme/hello')).source).toBe('memory')
  await expect(client.get('acme/none')).rejects.toMatchObject({ code: 'not_found' })
})

const OWN_TIMES = `
import json, sys, time, urllib.request
import prompt_hub
url = sys.argv[1]
with prompt_hub.PromptHub(url, retries=0) as client:
    # The last call ends after what the one before it asked for in the background.
    old, older = {"fresh": 0, "revalidate": 0}, {"fresh": 0, "revalidate": None}
    got = [client.get("acme/hello", **options).source for options in ({}, old, older, old)]
    urllib.request.urlopen(url + "/silent").read()
    started_at = time.time()
    got.append(client.get("acme/hello", fresh=0, revalidate=0, deadline=0.05).source)
    try:
        client.get("acme/hello@1.0.0", deadline=0.05)
    except prompt_hub.PromptHubError as error:
        got.append(error.code)
    got.append(time.time() - started_at < 4)
    urllib.request.urlopen(url + "/on").read()
    got.append(client.get("acme/hello@1.1.0", deadline=float("inf")).source)
try:
    client.get("acme/hello")
except prompt_hub.PromptHubError as error:
    got.append(error.code)
print(json.dumps(got))
`

test('a call has its own times, and a with block ends', async () => {
  const env = { ...process.env, PYTHONPATH: 'clients/python' }
  const { stdout } = await run('python3', ['-c', OWN_TIMES, hub.url], { env })
  expect(JSON.parse(stdout)).toEqual([
    ...['network', 'network', 'stale', 'network', 'stale', 'unavailable', true],
    ...['network', 'invalid_request'],
  ])
})
