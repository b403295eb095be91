// Tests what a publisher sees when GitHub is down, slow or busy, or rejects the request: a clear 503 or 502, no partial
// writes, no effect on reads, and a retry that finds a version that was already published.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openGitHub } from '../../src/github/git-store-github.ts'
import { FAULTS, type Fault } from '../github/faults.ts'
import { type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { type Hub, openHub, QUICK_CLOCK } from '../hubs/publishing.ts'
import { openGitHubWorld, type World } from '../hubs/worlds.ts'
import { judgeHistory } from './history.ts'

const OLD = '---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\n---\nOld\n'
const VERSION_1 = 'content/acme/code-review/versions/1.0.0.md'
const BODY = { content: 'New\n', changelog: 'Again' }
const BUSY = /^The git host .*[Tt]ry again/

let world: World & { place: StandInRepository }
let hub: Hub
let logged: string[]
let passedMs = 0
/** The clock of a hub whose time passes as a test says, so that no test has to wait for the deadline of a publish. */
const clock = { ...QUICK_CLOCK, now: () => Date.now() + passedMs }
const standIn = await startGitHubStandIn()
afterAll(() => standIn.close())
/** The content of every world before a test. */
let content: Awaited<ReturnType<Hub['readContent']>> | undefined
async function openWorld(): Promise<void> {
  world = await openGitHubWorld(standIn, { [VERSION_1]: OLD })
  await openAnew()
}
/** Opens a hub that has heard nothing of GitHub yet. */
async function openAnew(): Promise<void> {
  hub = await openHub(world, { clock })
  content ??= await hub.readContent()
  await hub.build(content)
  standIn.forget()
}
/** After faults with which nothing is written, one repository is enough: it is as it was, and can be published to. */
async function expectUntouched(): Promise<void> {
  expect(await judgeHistory(world)).toEqual([])
  expect((await hub.publish(BODY)).version).toBe('1.0.1')
}
beforeEach(() => {
  logged = []
  for (const method of ['log', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => void logged.push(parts.map(String).join(' ')))
})
afterEach(() => {
  vi.restoreAllMocks()
  standIn.forget()
})

/** Returns a condition that always holds, and lets so many seconds pass each time it is asked. */
function passTimeAtEachCall(seconds: number): () => boolean {
  return () => {
    passedMs += seconds * 1000
    return true
  }
}

/** Checks that every read URL still returns the same response, without any call to GitHub. */
async function expectReading(): Promise<void> {
  const calls = standIn.counts().all
  for (const rest of ['', '/versions', '/raw', '/versions/1.0.0', '/raw?version=1.0.0'])
    expect((await hub.readRepository(rest)).status).toBe(200)
  expect((await hub.readRepository('/raw')).text).toBe('Old\n')
  expect(standIn.counts().all).toBe(calls)
}

/**
 * Checks that each log line is a single line of JSON and does not contain the hub's credential, the content or a stack
 * trace.
 */
function expectCleanLog(): void {
  for (const line of logged) {
    expect(() => JSON.parse(line)).not.toThrow()
    expect(line).not.toMatch(/ghp_|hub_|New\\n|TmV3|[Aa]uthorization/)
  }
}

const never = new Promise<never>(() => {})

/** Opens the same hub with a short timeout for GitHub calls. */
async function openImpatient(apiUrl = standIn.url, beforeReading: () => void = () => {}): Promise<Hub> {
  const { repository, branch, token } = world.place
  const store = openGitHub({ repository, branch, credential: { kind: 'token', token }, apiUrl, callTimeoutMs: 300 })
  const readFolder: typeof store.readFolder = (question, options) => {
    beforeReading()
    return store.readFolder(question, options)
  }
  const impatient = await openHub(
    { ...world, openStore: () => ({ ...store, readFolder }) },
    { state: hub.state, clock },
  )
  await impatient.build(content)
  return impatient
}

describe('GitHub is down or slow until the timeout', () => {
  beforeAll(openWorld)

  // tests/stores/git-github-answers.test.ts has more responses.
  test('a head that moves at every write: 503 with Retry-After', async () => {
    const fault = FAULTS.typed('STALE_DATA')
    standIn.script({ on: 'mutation', times: Infinity, when: passTimeAtEachCall(6), fault })
    const answer = await hub.publish(BODY)
    expect([answer.status, answer.code, answer.headers.get('Retry-After')]).toEqual([503, 'unavailable', '5'])
    expect(answer.message).toMatch(BUSY)
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    await expectReading()
    expectCleanLog()
  })

  test('writes without a response: 503 with Retry-After', async () => {
    const impatient = await openImpatient()
    standIn.script({ on: 'mutation', times: Infinity, when: passTimeAtEachCall(12), fault: FAULTS.hold(never) })
    const answer = await impatient.publish(BODY)
    expect([answer.status, answer.code, answer.headers.get('Retry-After')]).toEqual([503, 'unavailable', '5'])
    await expectReading()
  })

  test('connection refused: 503 with Retry-After', async () => {
    const away = await openImpatient('http://127.0.0.1:9', passTimeAtEachCall(6))
    const answer = await away.publish(BODY)
    expect([answer.status, answer.code, answer.headers.get('Retry-After')]).toEqual([503, 'unavailable', '5'])
    expect(answer.text).not.toContain('127.0.0.1')
    expectCleanLog()
  })

  test('and nothing was written', expectUntouched)
})

describe('GitHub rate limits', () => {
  beforeAll(openWorld)
  beforeEach(openAnew)

  const soon = () => Math.floor(Date.now() / 1000) + 900
  //  case                                   on          fault                                       seconds
  test.each<[string, 'query' | 'mutation', () => Fault, RegExp]>([
    ['reading: the primary limit', 'query', () => FAULTS.rateLimited(soon()), /^(?:900|8\d\d)$/],
    ['writing: a secondary limit of 40 s over GraphQL', 'mutation', () => FAULTS.secondaryLimit(200, '40'), /^40$/],
  ])('%s: 503 at once with a matching Retry-After', async (_, on, fault, seconds) => {
    standIn.script({ on, times: Infinity, fault: fault() })
    const answer = await hub.publish(BODY)
    expect([answer.status, answer.code]).toEqual([503, 'unavailable'])
    expect(answer.headers.get('Retry-After')).toMatch(seconds)
    expect(answer.message).toMatch(BUSY)
    expect(standIn.calls.filter(({ kind }) => kind === on)).toHaveLength(1)
    await expectReading()
    expectCleanLog()
  })

  test('eight publishes get the remaining time as Retry-After, without further GitHub calls', async () => {
    standIn.script({ on: 'mutation', fault: FAULTS.secondaryLimit(200, '60') })
    const answers = await Promise.all(Array.from({ length: 8 }, (_, number) => hub.publish({ content: `${number}\n` })))
    const calls = standIn.counts().all
    expect(standIn.counts().mutation).toBe(1)
    answers.push(await hub.publish(BODY))
    for (const { status, code, message, headers } of answers) {
      expect([status, code]).toEqual([503, 'unavailable'])
      expect(message).toMatch(BUSY)
      expect(headers.get('Retry-After')).toMatch(/^(?:60|5\d)$/)
    }
    expect(standIn.counts().all).toBe(calls)
    expectCleanLog()
  })

  test('calls GitHub again once the rate limit is over', async () => {
    standIn.script({ on: 'query', fault: FAULTS.secondaryLimit(403, '1') })
    const git = world.openStore()
    const read = () => git.readFolder({ owner: 'acme', name: 'code-review' }, { signal: AbortSignal.timeout(8_000) })
    for (const _ of [1, 2]) await expect(read()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
    expect(standIn.counts().all).toBe(1)
    await expect.poll(async () => (await read()).versions.size).toBe(1)
    expect(standIn.counts().all).toBe(2)
  })

  test('waits for a short rate limit and then publishes, and nothing else was written', async () => {
    standIn.script({ on: 'mutation', fault: FAULTS.secondaryLimit(403, '1') })
    expect((await hub.publish(BODY)).status).toBe(201)
    expect(standIn.counts().mutation).toBe(2)
    expect(await judgeHistory(world)).toEqual(['content/acme/code-review/versions/1.0.1.md'])
  })
})

describe('GitHub rejects the request', () => {
  beforeAll(openWorld)

  // A write takes one call for the listing and one for the commit: the latest version comes from the hub's own records.
  const REJECTED = 'The git host rejected the request. See the hub’s log for the reason.'
  const EXPIRED =
    'GitHub does not accept the hub’s credential: it has expired or was revoked. Its operator must renew it: npm run doctor says how.'
  //  case                         on           fault                                              calls  message
  test.each<[string, 'any' | 'mutation', Fault, number, string]>([
    ['wrong credentials', 'any', FAULTS.badCredentials(), 1, EXPIRED],
    ['a protected branch', 'mutation', FAULTS.typed('BRANCH_PROTECTION_RULE_VIOLATION'), 2, REJECTED],
    ['credentials that expire between read and write', 'mutation', FAULTS.badCredentials(), 2, EXPIRED],
  ])('%s: 502, no retry, logged for the operator', async (_, on, fault, calls, message) => {
    standIn.script({ on, times: Infinity, fault })
    const answer = await hub.publish(BODY)
    expect([answer.status, answer.code]).toEqual([502, 'upstream_error'])
    expect(answer.message).toBe(message)
    expect(answer.headers.get('Retry-After')).toBe(null)
    expect(standIn.counts().all).toBe(calls)
    expect(logged).toHaveLength(1)
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ level: 'error', code: 'upstream_error' })
    expectCleanLog()
    await expectReading()
  })

  test('and nothing was written', expectUntouched)

  test('returns 502 and asks for a first commit when the repository is empty', async () => {
    const { repository, token } = await standIn.createRepository({ isEmpty: true })
    const empty = await openHub({
      ...world,
      openStore: () =>
        openGitHub({ repository, branch: 'main', credential: { kind: 'token', token }, apiUrl: standIn.url }),
    })
    const answer = await empty.publish(BODY)
    expect([answer.status, answer.code]).toEqual([502, 'upstream_error'])
    expect(answer.message).toContain('Create it with a first commit')
  })
})

describe('temporary GitHub errors', () => {
  beforeAll(openWorld)

  //  case                                      faults, one per call
  test.each<[string, 'query' | 'mutation', Fault[]]>([
    ['a read that fails three times', 'query', [FAULTS.cut(false), FAULTS.badGateway(false), FAULTS.nothing(false)]],
    ['a write that is applied, but its response lost', 'mutation', [FAULTS.cut(true)]],
    ['STALE_DATA although the head did not move', 'mutation', [FAULTS.typed('STALE_DATA'), FAULTS.typed('STALE_DATA')]],
  ])('%s: 201, one version', async (text, on, faults) => {
    standIn.script(...faults.map((fault) => ({ on, fault })))
    const { versions_count: before } = (await hub.readRepository()).data as { versions_count: number }
    const answer = await hub.publish({ content: text, bump: 'patch' })
    expect([answer.status, answer.version]).toEqual([201, `1.0.${before}`])
    expect((await hub.readRepository('/raw')).text).toBe(text)
    standIn.forget()
    expect((await judgeHistory(world)).length).toBe(before)
    expectCleanLog()
  })
})

test('finds the commit of an index.md update whose response was lost, and shows it at once', async () => {
  await openWorld()
  await hub.publish(BODY)
  standIn.script({ on: 'mutation', fault: FAULTS.cut(true) })
  const answer = await hub.publish({ ...BODY, title: 'Reviews' })
  expect([answer.status, answer.version, answer.data.unchanged]).toEqual([200, '1.0.1', true])
  expect(answer.data.commit).toMatchObject({ sha: expect.stringMatching(/^[0-9a-f]{40}$/) })
  expect(JSON.parse((await hub.readRepository('')).text).data.title).toBe('Reviews')
})

test('a write that is applied after the call timeout: 201, one version', async () => {
  await openWorld()
  const impatient = await openImpatient()
  // The write is held until the next attempt arrives, so that the two overlap, however fast the machine is.
  const second = Promise.withResolvers<void>()
  const seesSecond = () => {
    second.resolve()
    return false
  }
  standIn.script(
    { on: 'mutation', fault: FAULTS.hold(second.promise) },
    { on: 'mutation', when: seesSecond, fault: FAULTS.cut(false) },
  )
  const answer = await impatient.publish(BODY)
  expect([answer.status, answer.version]).toEqual([201, '1.0.1'])
  await expect.poll(() => standIn.counts().mutation).toBeGreaterThan(1)
  expect(await judgeHistory(world)).toEqual(['content/acme/code-review/versions/1.0.1.md'])
})

describe('a publish whose response was lost', () => {
  beforeEach(openWorld)

  /** Carries out the write, then makes GitHub unreachable until the deadline. */
  const loseEverything = async (key?: string, body: object = BODY) => {
    const pass = passTimeAtEachCall(6)
    standIn.script(
      { on: 'mutation', when: pass, fault: FAULTS.cut(true) },
      {
        on: 'query',
        times: Infinity,
        when: ({ name }) => standIn.counts().mutation > 0 && name === 'Folder' && pass(),
        fault: FAULTS.cut(false),
      },
    )
    const answer = await hub.publish(body, key === undefined ? {} : { key })
    expect([answer.status, answer.code]).toEqual([503, 'unavailable'])
    expect(answer.message).toContain('A retry finds anything that was written')
    standIn.forget()
  }

  const FILES = [{ path: 'scripts/a.sh', text: 'echo a\n' }]
  //  retry            body                                                          key
  test.each<[string, object, string | undefined]>([
    ['with the key', BODY, 'key-0001'],
    [
      'of a skill with files, without a key',
      { ...BODY, skill: { description: 'Reviews.' }, files: FILES, bump: 'patch' },
      undefined,
    ],
  ])('a retry %s makes the version readable at once, on every hub', async (_, body, key) => {
    const purged: string[][] = []
    const another = await openHub(world, { state: hub.state, purge: async (tags) => void purged.push(tags) })
    await another.build()
    await loseEverything(key, body)
    const rests = ['/raw?version=1.0.1', '/versions/1.0.1']
    for (const rest of rests) expect((await hub.readRepository(rest)).status).toBe(404)
    const again = await another.publish(body, { token: hub.token, ...(key !== undefined && { key }) })
    expect([again.status, again.version]).toEqual([200, '1.0.1'])
    for (const one of [hub, another]) {
      for (const rest of rests) expect([rest, (await one.readRepository(rest)).status]).toEqual([rest, 200])
      expect((await one.readRepository()).data).toMatchObject({ latest_version: '1.0.1', content: 'New\n' })
      expect((await one.readRepository('/versions')).text).toContain('"1.0.1"')
      if ('files' in body)
        expect((await one.readRepository('/versions/1.0.1/files/scripts/a.sh')).text).toBe('echo a\n')
    }
    expect(purged).toEqual([['repo_acme_code-review', 'owner_acme']])
    // Once it is seen, another retry stores nothing, and asks git no more than before.
    standIn.forget()
    await another.publish(body, { token: hub.token, ...(key !== undefined && { key }) })
    expect([purged.length, standIn.counts().mutation]).toEqual([1, 0])
  })

  test('a retry with expected_version is a conflict that names the version', async () => {
    await loseEverything()
    const again = await hub.publish({ ...BODY, expected_version: '1.0.0' })
    expect([again.status, again.code]).toEqual([409, 'version_conflict'])
    expect(again.message).toContain('1.0.1')
  })
})

test('rereads a stale listing before it reports a conflict or "unchanged"', async () => {
  await openWorld()
  await hub.publish({ content: 'First\n' })
  standIn.forget()
  const stale = (times: number) =>
    standIn.script({ on: 'query', times, when: ({ name }) => name === 'Folder', fault: FAULTS.oldAnswer() })
  // The response to one call is recorded and later replayed as the stale response.
  await hub.publish({ content: 'First\n' })
  await hub.publish({ content: 'Second\n' })
  stale(2)
  expect((await hub.publish({ content: 'Third\n', expected_version: '1.0.2' })).version).toBe('1.0.3')
  stale(2)
  expect((await hub.publish({ content: 'Third\n' })).data).toMatchObject({ version: '1.0.3', unchanged: true })
  standIn.forget()
  expect(await judgeHistory(world)).toHaveLength(3)
})
