// Tests the specifics of git on GitHub: authentication, the number of calls, and which returned bytes are trusted.
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FolderState, GitStore } from '../../src/git/git-store.ts'
import { openGitHub } from '../../src/github/git-store-github.ts'
import type { GitHubOptions } from '../../src/github/github-connection.ts'
import { type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { gitStoreContract } from './git-store-contract.ts'

const PLACE = { owner: 'acme', name: 'code-review' }
const MESSAGE = { headline: 'Publish acme/code-review 1.0.0', trailers: [['Operation-Id', 'op-1']] } as const
const VERSION_PATH = 'content/acme/code-review/versions/1.0.0.md'
const never = () => ({ signal: new AbortController().signal })

const standIn = await startGitHubStandIn()
afterAll(() => standIn.close())

const open = ({ repository, branch, token }: StandInRepository, options: Partial<GitHubOptions> = {}): GitStore =>
  openGitHub({ repository, branch, credential: { kind: 'token', token }, apiUrl: standIn.url, ...options })

gitStoreContract('github', async (options) => {
  const place = await standIn.createRepository(options)
  return {
    openStore: () => open(place),
    commitOutside: (files) => standIn.commitOutside(place, files),
    gitFolder: () => standIn.gitFolder(place),
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

  describe('API calls', () => {
    test('publishing takes one query for the folder, one for the previous version, one mutation', async () => {
      await standIn.commitOutside(place, { 'content/acme/code-review/versions/0.9.0.md': 'previous' })
      const state = await read()
      await store.readBlob(state.versions.get('0.9.0')!, never())
      await commit(state)
      expect(standIn.counts()).toEqual({ query: 2, mutation: 1, rest: 0, all: 3 })
      expect(standIn.calls.map(({ name }) => name)).toEqual(['Folder', 'Blob', 'Commit'])
    })

    test('fetches a blob once per process', async () => {
      await standIn.commitOutside(place, { [VERSION_PATH]: 'first' })
      const id = (await read()).versions.get('1.0.0')!
      const first = await store.readBlob(id, never())
      expect(await store.readBlob(id, never())).toBe(first)
      expect(standIn.counts()).toEqual({ query: 2, mutation: 0, rest: 0, all: 2 })
    })

    //  GitHub's text                      bytes
    test.each([
      ['missing, because the blob is binary', Buffer.from('a\0b')],
      ['truncated at 512,000 bytes', Buffer.from('x'.repeat(512_001))],
      ['not UTF-8, with other bytes', Buffer.from([0x63, 0xe9])],
    ])('falls back to REST when the GraphQL text is %s', async (_, bytes) => {
      await standIn.commitOutside(place, { [VERSION_PATH]: bytes })
      const read = await store.readBlob((await store.readFolder(PLACE, never())).versions.get('1.0.0')!, never())
      expect(Buffer.from(read).equals(bytes)).toBe(true)
      expect(standIn.counts()).toEqual({ query: 2, mutation: 0, rest: 1, all: 3 })
    })

    test('rejects blob bytes that do not match their id', async () => {
      await standIn.commitOutside(place, { [VERSION_PATH]: 'a\0b' })
      const id = (await read()).versions.get('1.0.0')!
      const body = JSON.stringify({ encoding: 'base64', content: Buffer.from('other').toString('base64') })
      const headers = { 'content-type': 'application/json' }
      standIn.script({ on: 'rest', fault: { kind: 'answer', applied: false, status: 200, headers, body } })
      await expect(store.readBlob(id, never())).rejects.toMatchObject({ code: 'unavailable' })
      expect(Buffer.from(await store.readBlob(id, never())).toString()).toBe('a\0b')
    })

    test('returns the GitHub URL of a commit, and reads it back with its trailers', async () => {
      const outcome = await commit(await read())
      const { publishes } = await store.readFolder({ ...PLACE, withPublishes: true }, never())
      expect(outcome).toEqual({
        kind: 'committed',
        sha: publishes[0]!.sha,
        url: `https://github.com/${place.repository}/commit/${publishes[0]!.sha}`,
        atMs: publishes[0]!.atMs,
      })
      expect(publishes[0]!.atMs).toBe((await read()).headMs)
      expect(publishes).toEqual([
        {
          sha: publishes[0]!.sha,
          url: `https://github.com/${place.repository}/commit/${publishes[0]!.sha}`,
          atMs: expect.any(Number),
          headline: 'Publish acme/code-review 1.0.0',
          trailers: new Map([['Operation-Id', 'op-1']]),
        },
      ])
    })
  })

  describe('authentication', () => {
    test('a GitHub App looks up its installation once and then works like a token', async () => {
      store = open(place, { credential: { kind: 'app', ...standIn.app } })
      expect(await commit(await read())).toMatchObject({ kind: 'committed' })
      expect((await read()).versions.size).toBe(1)
      expect(standIn.calls.filter(({ kind }) => kind === 'rest').map(({ name }) => name)).toEqual([
        `GET /repos/${place.repository}/installation`,
        'POST /app/installations/100/access_tokens',
      ])
    })

    //  case                                options                                                               code
    test.each<[string, () => Partial<GitHubOptions>]>([
      ['an unknown token', () => ({ credential: { kind: 'token', token: 'ghp_unknown' } })],
      ['a token of another user', () => ({ credential: { kind: 'token', token: standIn.strangerToken } })],
      ['an unknown GitHub App', () => ({ credential: { kind: 'app', ...standIn.app, appId: '999' } })],
      [
        'a GitHub App without access',
        () => ({ credential: { kind: 'app', ...standIn.app }, repository: 'alice/none' }),
      ],
      ['a missing repository', () => ({ repository: 'prompt-bot/none' })],
      ['a missing branch', () => ({ branch: 'none' })],
      ['a URL without an API', () => ({ apiUrl: `${standIn.url}/nothing` })],
    ])('%s fails permanently when reading', async (_, options) => {
      const writer = open(place, options())
      await expect(writer.readFolder(PLACE, never())).rejects.toMatchObject({
        name: 'HubError',
        code: 'upstream_error',
        retryAfterSeconds: undefined,
      })
    })

    test('errors and their causes contain neither the token nor the content', async () => {
      const writer = open(place, { credential: { kind: 'token', token: 'ghp_unknown' } })
      const thrown = await commit(await read(), 'secret words', writer).catch((error: unknown) => error)
      const told =
        JSON.stringify(thrown, Object.getOwnPropertyNames(thrown)) + String(thrown instanceof Error && thrown.cause)
      expect(told).toContain('GitHub returned status 401')
      expect(told).not.toMatch(/ghp_|secret|c2VjcmV0/)
    })
  })
})
