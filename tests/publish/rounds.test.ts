// Pins the loop around a commit, in virtual time: what each outcome leads to, what is asked of git again, and when the time is up.
import { expect, test } from 'vitest'
import { HubError } from '../../src/domain/api/errors.ts'
import type { CommitOutcome, FolderState, GitStore } from '../../src/ports/git-store.ts'
import { publishInRounds } from '../../src/server/publish/rounds.ts'

const done: CommitOutcome = { kind: 'committed', sha: 'c', url: null }
const moved: CommitOutcome = { kind: 'moved' }
const busy = (retryAfterSeconds: number): CommitOutcome => ({ kind: 'busy', retryAfterSeconds })
const unknown: CommitOutcome = { kind: 'unknown', cause: 'cut' }
const away = new HubError('unavailable', 'away')
const refused = new HubError('upstream_error', 'no')

interface Script {
  /** What each commit comes to; the last one again and again. */
  commits?: (CommitOutcome | Error)[]
  /** Which reads fail; undefined succeeds, and so do all after the last. */
  reads?: (Error | undefined)[]
  /** From which read on our own commit is found. */
  foundAt?: number
  /** How many reads lag. */
  stale?: number
}

/** Plays a script. @returns what it ended with, how often git was asked, and how many seconds passed */
async function play({ commits = [done], reads = [], foundAt = Infinity, stale = 0 }: Script) {
  let [nowMs, readCount, commitCount] = [0, 0, 0]
  const mark = { sha: 'found', url: null, headline: 'Publish 1', trailers: new Map([['Operation-Id', 'op']]) }
  const git: GitStore = {
    async readFolder({ publishes }): Promise<FolderState> {
      nowMs += 400
      const failure = reads[readCount++]
      if (failure) throw failure
      const isFound = publishes !== undefined && readCount >= foundAt
      return {
        head: 'h',
        versions: new Map(),
        index: undefined,
        ownerIndex: undefined,
        publishes: isFound ? [mark] : [],
      }
    },
    readBlob: async () => new Uint8Array(),
    async commit() {
      nowMs += 2_000
      const outcome = commits[Math.min(commitCount++, commits.length - 1)]!
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  }
  const ending = await publishInRounds<string, number>(
    git,
    {
      owner: 'a',
      name: 'b',
      operationId: 'op',
      needsHistory: false,
      arrivedMs: 0,
      isStale: () => readCount <= stale,
      decide: async () => ({
        kind: 'commit',
        decision: commitCount + 1,
        additions: {
          owner: 'a',
          name: 'b',
          message: { headline: `Publish ${commitCount + 1}`, trailers: [] },
          version: undefined,
          index: 'x',
        },
      }),
    },
    { now: () => nowMs, random: () => 0.5, sleep: async (ms) => (nowMs += ms) },
  ).then(
    (value) => (value.kind === 'committed' ? [value.commit.sha, value.decision] : [value.answer]),
    (error: HubError) => [error.code, error.retryAfterSeconds],
  )
  return [...ending, readCount, commitCount]
}

//  what                                           script                                     ends with: commit, its decision | code, retry after; reads, commits
test.each<[string, Script, (string | number | undefined)[]]>([
  ['done at once', {}, ['c', 1, 1, 1]],
  ['moved twice: decided anew each time', { commits: [moved, moved, done] }, ['c', 3, 3, 3]],
  ['busy for a moment', { commits: [busy(1), done] }, ['c', 2, 2, 2]],
  ['busy for longer than there is time', { commits: [busy(60)] }, ['unavailable', 60, 1, 1]],
  ['unknown, and found', { commits: [unknown], foundAt: 2 }, ['found', 1, 2, 1]],
  ['unknown, and not there: sent again', { commits: [unknown, done] }, ['c', 2, 2, 2]],
  ['unknown twice, the first found late', { commits: [unknown], foundAt: 3 }, ['found', 1, 3, 2]],
  ['a listing that lags is read again', { stale: 2 }, ['c', 1, 3, 1]],
  ['but not for ever', { stale: 100 }, ['c', 1, 6, 1]],
  ['a read that fails is tried again', { reads: [away, away] }, ['c', 1, 3, 1]],
  ['a refusal is not', { reads: [refused] }, ['upstream_error', undefined, 1, 0]],
  ['nor is one of the commit', { commits: [refused] }, ['upstream_error', undefined, 1, 1]],
  ['moved until the time is up', { commits: [moved] }, ['unavailable', 5, 8, 8]],
  ['away until the time is up', { reads: Array(100).fill(away) }, ['unavailable', 5, 18, 0]],
])('%s', async (_, script, expected) => {
  expect(await play(script)).toEqual(expected)
})
