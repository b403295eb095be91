// Tests the loop around a commit, in virtual time: the effect of each outcome, what is read from git again, and when
// the time runs out.
import { expect, test } from 'vitest'
import type * as z from 'zod'
import { acceptPublish, DECIDING } from '../../../tests/publish/accept.ts'
import type { PublishAnswer as PublishAnswerSchema } from '../../catalogue/published/route-schemas.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { VersionSummary } from '../../domain/api/schema.ts'
import type { Additions, CommitOutcome, FolderState, GitStore } from '../../git/git-store.ts'
import { publishAsWrite } from './publish.ts'
import { writeWithRetries } from './write-to-git.ts'

type PublishAnswer = z.infer<typeof PublishAnswerSchema>

const done: CommitOutcome = { kind: 'committed', sha: 'c', url: null, atMs: undefined }
const moved: CommitOutcome = { kind: 'moved' }
const busy = (retryAfterSeconds: number): CommitOutcome => ({ kind: 'busy', retryAfterSeconds })
const unknown: CommitOutcome = { kind: 'unknown', cause: 'cut' }
const away = new HubError('unavailable', 'away')
const refused = new HubError('upstream_error', 'no')

interface Script {
  /**
   * The outcome of each commit; the last outcome repeats. After `moved`, another user's version appears at the next
   * read.
   */
  commits?: (CommitOutcome | Error)[]
  /** The result of each read: an error makes it fail, undefined lets it succeed. All further reads succeed. */
  reads?: (Error | undefined)[]
  /** The first read that finds the hub's own first commit. */
  foundAt?: number
  /** The number of stale reads that lack a known version. */
  stale?: number
}

const COPY = { versions: [{ version: '1.0.0' } as VersionSummary] }
const LATEST = '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\nsomething else\n'

/** Runs the loop with a script. @returns the result, the number of git reads, and the number of attempts */
async function play({ commits = [done], reads = [], foundAt = Infinity, stale = 0 }: Script) {
  let [nowMs, readCount, others] = [0, 0, 0]
  const sent: Additions[] = []
  const git: GitStore = {
    async readFolder({ withPublishes }): Promise<FolderState> {
      nowMs += 400
      const failure = reads[readCount++]
      if (failure) throw failure
      const isFound = withPublishes && readCount >= foundAt
      const { headline, trailers } = sent[0]?.message ?? { headline: '', trailers: [] }
      const versions = ['1.0.0', ...Array.from({ length: others }, (_, index) => `1.0.${index + 1}`)]
      return {
        head: 'h',
        headMs: undefined,
        nowMs: undefined,
        versions: new Map((readCount <= stale ? [] : versions).map((version) => [version, 'blob'])),
        folders: new Map(),
        tree: undefined,
        results: new Map(),
        index: undefined,
        ownerIndex: undefined,
        publishes: isFound ? [{ sha: 'found', url: null, atMs: undefined, headline, trailers: new Map(trailers) }] : [],
      }
    },
    readBlob: async () => new Uint8Array(Buffer.from(LATEST)),
    listFolder: async () => new Map(),
    async commit(additions) {
      nowMs += 2_000
      sent.push(additions)
      const outcome = commits[Math.min(sent.length, commits.length) - 1]!
      if (outcome instanceof Error) throw outcome
      if (outcome.kind === 'moved') others++
      return outcome
    },
  }
  const time = { now: () => nowMs, random: () => 0.5, newId: () => 'op', sleep: async (ms: number) => (nowMs += ms) }
  const ending = await writeWithRetries(
    publishAsWrite(acceptPublish({}), DECIDING),
    { ...DECIDING, git },
    COPY,
    time,
  ).then(
    ({ answer }) => {
      const { commit, version } = answer.data as PublishAnswer
      return commit ? [commit.sha, version] : [version]
    },
    (error: HubError) => [error.code, error.retryAfterSeconds],
  )
  return [...ending, readCount, sent.length]
}

//  case                   script                   result: commit and version, or code and retry time; reads, commits
test.each<[string, Script, (string | number | undefined)[]]>([
  ['committed at once', {}, ['c', '1.0.1', 1, 1]],
  ['moved twice: decides again each time', { commits: [moved, moved, done] }, ['c', '1.0.3', 3, 3]],
  ['busy briefly', { commits: [busy(1), done] }, ['c', '1.0.1', 2, 2]],
  ['busy for longer than the time left', { commits: [busy(60)] }, ['unavailable', 60, 1, 1]],
  ['unknown, then found', { commits: [unknown], foundAt: 2 }, ['found', '1.0.1', 2, 1]],
  ['unknown, then not found: commits again', { commits: [unknown, done] }, ['c', '1.0.1', 2, 2]],
  ['unknown twice, the first commit found late', { commits: [unknown], foundAt: 3 }, ['found', '1.0.1', 3, 2]],
  [
    'unknown, then moved, the first commit found late: it counts',
    { commits: [unknown, moved], foundAt: 3 },
    ['found', '1.0.1', 3, 2],
  ],
  ['a stale read is repeated', { stale: 2 }, ['c', '1.0.1', 3, 1]],
  ['a stale read is not repeated forever', { stale: 100 }, ['c', '1.0.0', 6, 1]],
  ['a failed read is repeated', { reads: [away, away] }, ['c', '1.0.1', 3, 1]],
  ['a rejected read is not repeated', { reads: [refused] }, ['upstream_error', undefined, 1, 0]],
  ['a rejected commit is not repeated', { commits: [refused] }, ['upstream_error', undefined, 1, 1]],
  ['moved until time runs out', { commits: [moved] }, ['unavailable', 5, 8, 8]],
  ['unavailable until time runs out', { reads: Array(100).fill(away) }, ['unavailable', 5, 18, 0]],
])('%s', async (_, script, expected) => {
  expect(await play(script)).toEqual(expected)
})
