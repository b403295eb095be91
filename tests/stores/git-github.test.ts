// Pins what is special to git on GitHub: who we are there, what each answer and each lost answer means, and how many calls it takes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FolderState, GitStore } from '../../src/domain/git-store.ts'
import { type GitHubOptions, openGitHub } from '../../src/stores/git-github.ts'
import { FAULTS, type Fault } from '../github/faults.ts'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { gitStoreContract } from './git-store-contract.ts'

const PLACE = { owner: 'acme', name: 'code-review' }
const MESSAGE = { headline: 'Publish acme/code-review 1.0.0', trailers: [['Operation-Id', 'op-1']] } as const
const VERSION_PATH = 'content/acme/code-review/versions/1.0.0.md'
const never = () => ({ signal: new AbortController().signal })

let standIn: GitHubStandIn
beforeAll(async () => {
  standIn = await startGitHubStandIn()
}, 60_000)
afterAll(() => standIn.close())

const open = ({ repository, branch, token }: StandInRepository, options: Partial<GitHubOptions> = {}): GitStore =>
  openGitHub({ repository, branch, credential: { kind: 'token', token }, apiUrl: standIn.url, ...options })

gitStoreContract('github', async (options) => {
  const place = await standIn.createRepository(options)
  const folder = mkdtempSync(join(tmpdir(), 'hub-github-'))
  let exported = 0
  return {
    store: open(place),
    openAnother: () => open(place),
    commitOutside: (files) => standIn.commitOutside(place, files),
    exportGit: async () => {
      exported += 1
      await standIn.exportTo(place, join(folder, `${exported}`))
      return join(folder, `${exported}`)
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
})

describe('git on GitHub', () => {
  let place: StandInRepository
  let store: GitStore
  beforeEach(async () => {
    place = await standIn.createRepository()
    store = open(place)
    standIn.forget()
  })
  afterEach(() => standIn.forget())

  const read = () => store.readFolder(PLACE, never())
  const commit = (base: FolderState, text = 'first', writer = store) =>
    writer.commit({ ...PLACE, base, message: MESSAGE, version: { version: '1.0.0', text }, index: undefined }, never())

  describe('calls', () => {
    test('a publish takes one query for the folder, one for the previous version, one mutation', async () => {
      await standIn.commitOutside(place, { 'content/acme/code-review/versions/0.9.0.md': 'previous' })
      const state = await read()
      await store.readBlob(state.versions.get('0.9.0')!, never())
      await commit(state)
      expect(standIn.counts()).toEqual({ query: 2, mutation: 1, rest: 0, all: 3 })
      expect(standIn.calls.map(({ name }) => name)).toEqual(['Folder', 'Blob', 'Commit'])
    })

    test('a blob is asked for once in a process', async () => {
      await standIn.commitOutside(place, { [VERSION_PATH]: 'first' })
      const id = (await read()).versions.get('1.0.0')!
      const first = await store.readBlob(id, never())
      expect(await store.readBlob(id, never())).toBe(first)
      expect(standIn.counts()).toEqual({ query: 2, mutation: 0, rest: 0, all: 2 })
    })

    //  what GitHub's text is not            bytes
    test.each([
      ['binary: it has none', Buffer.from('a\0b')],
      ['cut at 512,000 bytes', Buffer.from('x'.repeat(512_001))],
      ['not UTF-8: it has other bytes', Buffer.from([0x63, 0xe9])],
    ])('%s, so REST gives the bytes', async (_, bytes) => {
      await standIn.commitOutside(place, { [VERSION_PATH]: bytes })
      const read = await store.readBlob((await store.readFolder(PLACE, never())).versions.get('1.0.0')!, never())
      expect(Buffer.from(read).equals(bytes)).toBe(true)
      expect(standIn.counts()).toEqual({ query: 2, mutation: 0, rest: 1, all: 3 })
    })

    test('bytes that do not have their id are not believed', async () => {
      await standIn.commitOutside(place, { [VERSION_PATH]: 'a\0b' })
      const id = (await read()).versions.get('1.0.0')!
      const body = JSON.stringify({ encoding: 'base64', content: Buffer.from('other').toString('base64') })
      const headers = { 'content-type': 'application/json' }
      standIn.script({ on: 'rest', fault: { kind: 'answer', applied: false, status: 200, headers, body } })
      await expect(store.readBlob(id, never())).rejects.toMatchObject({ code: 'unavailable' })
      expect(Buffer.from(await store.readBlob(id, never())).toString()).toBe('a\0b')
    })

    test('the address of the commit is GitHub’s, and is told again with its trailers', async () => {
      const outcome = await commit(await read())
      const { publishes } = await store.readFolder({ ...PLACE, publishes: {} }, never())
      expect(outcome).toEqual({
        kind: 'committed',
        sha: publishes[0]!.sha,
        url: `https://github.com/${place.repository}/commit/${publishes[0]!.sha}`,
      })
      expect(publishes).toEqual([
        {
          sha: publishes[0]!.sha,
          url: `https://github.com/${place.repository}/commit/${publishes[0]!.sha}`,
          headline: 'Publish acme/code-review 1.0.0',
          trailers: new Map([['Operation-Id', 'op-1']]),
        },
      ])
    })
  })

  describe('who we are', () => {
    test('a GitHub App finds its installation once and then works as a token does', async () => {
      store = open(place, { credential: { kind: 'app', ...standIn.app } })
      expect(await commit(await read())).toMatchObject({ kind: 'committed' })
      expect((await read()).versions.size).toBe(1)
      expect(standIn.calls.filter(({ kind }) => kind === 'rest').map(({ name }) => name)).toEqual([
        `GET /repos/${place.repository}/installation`,
        'POST /app/installations/100/access_tokens',
      ])
    })

    //  what                                options                                                               code
    test.each<[string, () => Partial<GitHubOptions>]>([
      ['an unknown token', () => ({ credential: { kind: 'token', token: 'ghp_unknown' } })],
      ['a token of a stranger', () => ({ credential: { kind: 'token', token: standIn.strangerToken } })],
      ['an App that is not known', () => ({ credential: { kind: 'app', ...standIn.app, appId: '999' } })],
      ['an App elsewhere', () => ({ credential: { kind: 'app', ...standIn.app }, repository: 'alice/none' })],
      ['a repository that is not there', () => ({ repository: 'prompt-bot/none' })],
      ['a branch that is not there', () => ({ branch: 'none' })],
      ['an address that is no API', () => ({ apiUrl: `${standIn.url}/nothing` })],
    ])('%s is refused for good when reading', async (_, options) => {
      const writer = open(place, options())
      await expect(writer.readFolder(PLACE, never())).rejects.toMatchObject({
        name: 'HubError',
        code: 'upstream_error',
        retryAfterSeconds: undefined,
      })
    })

    test('neither token nor content stands in an error or its causes', async () => {
      const writer = open(place, { credential: { kind: 'token', token: 'ghp_unknown' } })
      const thrown = await commit(await read(), 'secret words', writer).catch((error: unknown) => error)
      const told =
        JSON.stringify(thrown, Object.getOwnPropertyNames(thrown)) + String(thrown instanceof Error && thrown.cause)
      expect(told).toContain('GitHub answered status 401')
      expect(told).not.toMatch(/ghp_|secret|c2VjcmV0/)
    })
  })

  describe('what an answer to the mutation means', () => {
    const busy = (retryAfterSeconds: number) => ({ kind: 'busy', retryAfterSeconds })
    const unknown = { kind: 'unknown', cause: expect.any(Error) }
    const nowSeconds = () => Math.floor(Date.now() / 1000)
    //  what                                      fault                                      outcome             written
    test.each<[string, Fault, object, boolean]>([
      ['STALE_DATA without cause', FAULTS.typed('STALE_DATA'), { kind: 'moved' }, false],
      ['a secondary limit over GraphQL', FAULTS.secondaryLimit(200, '7'), busy(7), false],
      ['a secondary limit', FAULTS.secondaryLimit(403, '9'), busy(9), false],
      ['a secondary limit as 429', FAULTS.secondaryLimit(429, '9'), busy(9), false],
      ['a limit without a time', FAULTS.secondaryLimit(403), busy(60), false],
      ['a primary limit without a time', FAULTS.typed('RATE_LIMITED'), busy(60), false],
      ['a primary limit that is over', FAULTS.rateLimited(1), busy(1), false],
      ['502, not applied', FAULTS.badGateway(false), unknown, false],
      ['502, applied', FAULTS.badGateway(true), unknown, true],
      ['errors without a type, not applied', FAULTS.untypedErrors(false), unknown, false],
      ['errors without a type, applied', FAULTS.untypedErrors(true), unknown, true],
      ['an error of a type nobody listed', FAULTS.typed('SOMETHING_NEW'), unknown, false],
      ['a refusal beside an error nobody listed', FAULTS.typed('FORBIDDEN', 'SOMETHING_NEW'), unknown, false],
      ['HTML with 200', FAULTS.html(true), unknown, true],
      ['half a JSON with 200', FAULTS.halfJson(true), unknown, true],
      ['nothing with 200', FAULTS.nothing(true), unknown, true],
      ['null with 200', FAULTS.nullBody(true), unknown, true],
      ['a socket cut before', FAULTS.cut(false), unknown, false],
      ['a socket cut after', FAULTS.cut(true), unknown, true],
    ])('%s', async (_, fault, outcome, isWritten) => {
      const before = await read()
      standIn.script({ on: 'mutation', fault })
      expect(await commit(before)).toEqual(outcome)
      expect((await read()).versions.size).toBe(isWritten ? 1 : 0)
      expect(standIn.counts().mutation).toBe(1)
    })

    test('a primary limit is waited for until its end', async () => {
      const before = await read()
      standIn.script({ on: 'mutation', fault: FAULTS.rateLimited(nowSeconds() + 100) })
      const outcome = await commit(before)
      expect(outcome.kind).toBe('busy')
      if (outcome.kind === 'busy') expect([98, 99, 100]).toContain(outcome.retryAfterSeconds)
    })

    //  type
    test.each(['NOT_FOUND', 'FORBIDDEN', 'INSUFFICIENT_SCOPES', 'UNPROCESSABLE', 'BRANCH_PROTECTION_RULE_VIOLATION'])(
      '%s is refused for good',
      async (type) => {
        const before = await read()
        standIn.script({ on: 'mutation', fault: FAULTS.typed(type) })
        await expect(commit(before)).rejects.toMatchObject({ code: 'upstream_error', retryAfterSeconds: undefined })
      },
    )

    test('a commit whose other fields failed is a commit all the same', async () => {
      const before = await read()
      const oid = '0123456789012345678901234567890123456789'
      const data = { createCommitOnBranch: { commit: { oid, url: null } } }
      const body = JSON.stringify({ data, errors: [{ message: 'no address' }] })
      const headers = { 'content-type': 'application/json' }
      standIn.script({ on: 'mutation', fault: { kind: 'answer', applied: false, status: 200, headers, body } })
      expect(await commit(before)).toEqual({ kind: 'committed', sha: oid, url: null })
    })

    test('our time limit passes while GitHub still works: unknown, and it may be written later', async () => {
      const before = await read()
      const late = Promise.withResolvers<void>()
      standIn.script({ on: 'mutation', fault: FAULTS.hold(late.promise, true) })
      expect(await commit(before, 'first', open(place, { callTimeoutMs: 40 }))).toEqual(unknown)
      late.resolve()
    })

    test('the caller’s own end passes: unknown', async () => {
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

    test('a base that a lagging read gave ends in a moved head', async () => {
      const old = await read()
      await commit(old)
      standIn.script({ on: 'query', fault: FAULTS.oldAnswer() })
      const lagging = await read()
      expect(lagging).toEqual(old)
      expect(await commit(lagging, 'second')).toEqual({ kind: 'moved' })
    })
  })

  describe('what an answer to a read means', () => {
    //  what                              fault                                 code               seconds
    test.each<[string, Fault, string, number | undefined]>([
      ['502', FAULTS.badGateway(false), 'unavailable', undefined],
      ['errors without a type', FAULTS.untypedErrors(false), 'unavailable', undefined],
      ['too costly a query', FAULTS.typed('RESOURCE_LIMITS_EXCEEDED'), 'unavailable', undefined],
      ['HTML with 200', FAULTS.html(false), 'unavailable', undefined],
      ['half a JSON', FAULTS.halfJson(false), 'unavailable', undefined],
      ['nothing', FAULTS.nothing(false), 'unavailable', undefined],
      ['null', FAULTS.nullBody(false), 'unavailable', undefined],
      ['a cut socket', FAULTS.cut(false), 'unavailable', undefined],
      ['a secondary limit', FAULTS.secondaryLimit(200, '7'), 'unavailable', 7],
      ['a limit without a time', FAULTS.secondaryLimit(429), 'unavailable', 60],
      ['a primary limit', FAULTS.rateLimited(1), 'unavailable', 1],
      ['NOT_FOUND', FAULTS.typed('NOT_FOUND'), 'upstream_error', undefined],
      ['a wrong token', FAULTS.badCredentials(), 'upstream_error', undefined],
    ])('%s', async (_, fault, code, retryAfterSeconds) => {
      standIn.script({ on: 'query', fault })
      await expect(read()).rejects.toMatchObject({ name: 'HubError', code, retryAfterSeconds })
      expect(standIn.counts().all).toBe(1)
      expect((await read()).versions.size).toBe(0)
    })

    test('before an App has its token nothing was sent, so nothing is unknown', async () => {
      const before = await read()
      const fresh = open(place, { credential: { kind: 'app', ...standIn.app } })
      standIn.script({ on: 'rest', fault: FAULTS.cut(false) })
      expect(await commit(before, 'first', fresh)).toEqual({ kind: 'busy', retryAfterSeconds: 1 })
      expect(standIn.counts().mutation).toBe(0)
      expect((await commit(before, 'first', fresh)).kind).toBe('committed')
    })
  })
})
