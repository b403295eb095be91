// Tests how each response from GitHub, and each lost response, is interpreted: committed, moved, busy, rejected or
// unknown.
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FolderState, GitStore } from '../../src/git/git-store.ts'
import { openGitHub } from '../../src/github/git-store-github.ts'
import type { GitHubOptions } from '../../src/github/github-connection.ts'
import { joinTrace, requestNow } from '../../src/log.ts'
import { FAULTS, type Fault } from '../github/faults.ts'
import { type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'

const PLACE = { owner: 'acme', name: 'code-review' }
const MESSAGE = { headline: 'Publish acme/code-review 1.0.0', trailers: [['Operation-Id', 'op-1']] } as const
const never = () => ({ signal: new AbortController().signal })

const standIn = await startGitHubStandIn()
afterAll(() => standIn.close())

const open = ({ repository, branch, token }: StandInRepository, options: Partial<GitHubOptions> = {}): GitStore =>
  openGitHub({ repository, branch, credential: { kind: 'token', token }, apiUrl: standIn.url, ...options })

describe('git on GitHub', () => {
  let place: StandInRepository
  let store: GitStore
  beforeEach(async () => {
    place = await standIn.createRepository()
    store = open(place)
    standIn.forget()
  })
  afterEach(() => {
    vi.useRealTimers()
    standIn.forget()
  })

  const read = () => store.readFolder(PLACE, never())
  const commit = (base: FolderState, text = 'first', writer = store) =>
    writer.commit({ ...PLACE, base, message: MESSAGE, version: { version: '1.0.0', text }, index: undefined }, never())

  test('a call carries the trace of its request', async () => {
    const sent = vi.spyOn(globalThis, 'fetch')
    const trace = joinTrace('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'vendor=1')
    await requestNow.run({ request_id: 'a', path: '/', sender: {}, trace }, read)
    await read()
    const headers = sent.mock.calls.map(([, init]) => new Headers(init?.headers))
    sent.mockRestore()
    expect(headers.map((one) => [one.get('traceparent'), one.get('tracestate')])).toEqual([
      [`00-4bf92f3577b34da6a3ce929d0e0e4736-${trace?.span_id}-01`, 'vendor=1'],
      [null, null],
    ])
  })

  describe('commit mutation responses', () => {
    const busy = (retryAfterSeconds: number) => ({ kind: 'busy', retryAfterSeconds })
    const unknown = { kind: 'unknown', cause: expect.any(Error) }
    //  case                                      fault                                      outcome  committed
    test.each<[string, Fault, object, boolean]>([
      ['STALE_DATA although the head did not move', FAULTS.typed('STALE_DATA'), { kind: 'moved' }, false],
      ['a secondary limit over GraphQL', FAULTS.secondaryLimit(200, '7'), busy(7), false],
      ['a secondary limit', FAULTS.secondaryLimit(403, '9'), busy(9), false],
      ['a secondary limit with status 429', FAULTS.secondaryLimit(429, '9'), busy(9), false],
      ['a secondary limit of days', FAULTS.secondaryLimit(403, '999999'), busy(3600), false],
      ['a secondary limit without a time', FAULTS.secondaryLimit(403), busy(60), false],
      ['a primary limit without a time', FAULTS.typed('RATE_LIMITED'), busy(60), false],
      ['a primary limit that has expired', FAULTS.rateLimited(1), busy(1), false],
      ['502, not applied', FAULTS.badGateway(false), unknown, false],
      ['502, applied', FAULTS.badGateway(true), unknown, true],
      ['errors without a type, not applied', FAULTS.untypedErrors(false), unknown, false],
      ['errors without a type, applied', FAULTS.untypedErrors(true), unknown, true],
      ['an unknown error type', FAULTS.typed('SOMETHING_NEW'), unknown, false],
      ['a rejection next to an unknown error type', FAULTS.typed('FORBIDDEN', 'SOMETHING_NEW'), unknown, false],
      ['HTML with 200', FAULTS.html(true), unknown, true],
      ['truncated JSON with 200', FAULTS.halfJson(true), unknown, true],
      ['an empty body with 200', FAULTS.nothing(true), unknown, true],
      ['null with 200', FAULTS.nullBody(true), unknown, true],
      ['a connection dropped before the commit', FAULTS.cut(false), unknown, false],
      ['a connection dropped after the commit', FAULTS.cut(true), unknown, true],
    ])('%s', async (_, fault, outcome, isWritten) => {
      const before = await read()
      standIn.script({ on: 'mutation', fault })
      expect(await commit(before)).toEqual(outcome)
      // This read comes from another process, which is not aware of any limit.
      expect((await open(place).readFolder(PLACE, never())).versions.size).toBe(isWritten ? 1 : 0)
      expect(standIn.counts().mutation).toBe(1)
    })

    test('returns busy until the primary rate limit resets', async () => {
      const before = await read()
      vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date'] })
      standIn.script({ on: 'mutation', fault: FAULTS.rateLimited(1_800_000_100) })
      expect(await commit(before)).toEqual(busy(100))
    })

    //  type
    test.each(['NOT_FOUND', 'FORBIDDEN', 'INSUFFICIENT_SCOPES', 'UNPROCESSABLE', 'BRANCH_PROTECTION_RULE_VIOLATION'])(
      '%s fails permanently, without a retry time',
      async (type) => {
        const before = await read()
        standIn.script({ on: 'mutation', fault: FAULTS.typed(type) })
        await expect(commit(before)).rejects.toMatchObject({ code: 'upstream_error', retryAfterSeconds: undefined })
      },
    )

    test('counts as committed when only other fields of the response failed', async () => {
      const before = await read()
      const oid = '0123456789012345678901234567890123456789'
      const data = { createCommitOnBranch: { commit: { oid, url: null } } }
      const body = JSON.stringify({ data, errors: [{ message: 'no address' }] })
      const headers = { 'content-type': 'application/json' }
      standIn.script({ on: 'mutation', fault: { kind: 'answer', applied: false, status: 200, headers, body } })
      expect(await commit(before)).toEqual({ kind: 'committed', sha: oid, url: null, atMs: undefined })
    })

    test('returns unknown when the call times out while GitHub is still working', async () => {
      const before = await read()
      const late = Promise.withResolvers<void>()
      standIn.script({ on: 'mutation', fault: FAULTS.hold(late.promise, true) })
      expect(await commit(before, 'first', open(place, { callTimeoutMs: 40 }))).toEqual(unknown)
      late.resolve()
    })

    test('returns unknown when the caller aborts a sent request', async () => {
      const before = await read()
      const late = Promise.withResolvers<void>()
      const end = new AbortController()
      const isSent = Promise.withResolvers<void>()
      const when = () => {
        isSent.resolve()
        return true
      }
      standIn.script({ on: 'mutation', when, fault: FAULTS.hold(late.promise) })
      const additions = {
        ...PLACE,
        base: before,
        message: MESSAGE,
        version: { version: '1.0.0', text: 'x' },
        index: undefined,
      }
      const outcome = store.commit(additions, { signal: end.signal })
      await isSent.promise
      end.abort()
      expect(await outcome).toEqual(unknown)
      late.resolve()
    })

    test('returns moved when the base comes from a stale read', async () => {
      const old = await read()
      await commit(old)
      standIn.script({ on: 'query', fault: FAULTS.oldAnswer() })
      const lagging = await read()
      expect({ ...lagging, nowMs: 0 }).toEqual({ ...old, nowMs: 0 })
      expect(await commit(lagging, 'second')).toEqual({ kind: 'moved' })
    })
  })

  describe('read responses', () => {
    //  case                              fault                                 code               seconds
    test.each<[string, Fault, string, number | undefined]>([
      ['502', FAULTS.badGateway(false), 'unavailable', undefined],
      ['errors without a type', FAULTS.untypedErrors(false), 'unavailable', undefined],
      ['a query that is too expensive', FAULTS.typed('RESOURCE_LIMITS_EXCEEDED'), 'unavailable', undefined],
      ['HTML with 200', FAULTS.html(false), 'unavailable', undefined],
      ['truncated JSON', FAULTS.halfJson(false), 'unavailable', undefined],
      ['an empty body', FAULTS.nothing(false), 'unavailable', undefined],
      ['null', FAULTS.nullBody(false), 'unavailable', undefined],
      ['a dropped connection', FAULTS.cut(false), 'unavailable', undefined],
      ['a secondary limit', FAULTS.secondaryLimit(200, '7'), 'unavailable', 7],
      ['a secondary limit of days', FAULTS.secondaryLimit(200, '999999'), 'unavailable', 3600],
      ['a secondary limit without a time', FAULTS.secondaryLimit(429), 'unavailable', 60],
      ['a primary limit', FAULTS.rateLimited(1), 'unavailable', 1],
      ['NOT_FOUND', FAULTS.typed('NOT_FOUND'), 'upstream_error', undefined],
      ['an invalid token', FAULTS.badCredentials(), 'upstream_error', undefined],
    ])('%s', async (_, fault, code, retryAfterSeconds) => {
      standIn.script({ on: 'query', fault })
      await expect(read()).rejects.toMatchObject({ name: 'HubError', code, retryAfterSeconds })
      expect(standIn.counts().all).toBe(1)
      // This read comes from another process, which is not aware of any limit.
      expect((await open(place).readFolder(PLACE, never())).versions.size).toBe(0)
    })

    test('returns busy, not unknown, when fetching the App token fails', async () => {
      const before = await read()
      const fresh = open(place, { credential: { kind: 'app', ...standIn.app } })
      standIn.script({ on: 'rest', fault: FAULTS.cut(false) })
      expect(await commit(before, 'first', fresh)).toEqual({ kind: 'busy', retryAfterSeconds: 1 })
      expect(standIn.counts().mutation).toBe(0)
      expect((await commit(before, 'first', fresh)).kind).toBe('committed')
    })
  })
})
