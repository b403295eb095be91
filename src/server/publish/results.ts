// Records the result of a test suite for a version. Each result is one commit of one file, `results/{x.y.z}/{suite}.yml`.
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters } from '../../domain/api/routes.ts'
import type { Result } from '../../domain/api/schema.ts'
import { requireTestable, type SentResult } from '../../domain/managing/result-decision.ts'
import type { ResultRequest } from '../../domain/managing/result-request.ts'
import { readOwner } from '../../domain/publishing/repository-state.ts'
import { isSameJson } from '../../domain/text/json.ts'
import { isSuite, isVersion } from '../../domain/values/names.ts'
import type { FolderState } from '../../ports/git-store.ts'
import { findResults } from '../read/results.ts'
import { respondWithRecord } from '../respond.ts'
import type { Clock, Readers, WriteDecision } from './attempts.ts'
import { requireRights } from './authenticate.ts'
import type { PublishHub } from './publish-hub.ts'
import { readResults } from './read-results.ts'
import { type OpenWrite, type Sending, writeToGit } from './write-to-git.ts'

/** The result of a report. */
interface Outcome {
  result: Result
  isUnchanged: boolean
  commit: { sha: string; url: string | null } | null
}

/** Opens a report of a result. @throws HubError `not_found` for a malformed version or suite */
export function openResult({ version = '', suite = '' }: PathParameters): OpenWrite {
  if (!isVersion(version))
    throw new HubError('not_found', 'No version can have this number. Versions have the form x.y.z.')
  if (!isSuite(suite))
    throw new HubError(
      'not_found',
      'No test suite can have this name. Names are lower-case words joined by single hyphens, at most 64 characters.',
    )
  return {
    async parse(body, { text }) {
      // Only a publish may be an archive.
      const fields = await text.run('parseResult', String(body))
      return {
        needed: 'publish',
        async carryOut(sending, deps, time) {
          const report = { version, suite, fields }
          const write = {
            ...sending,
            needsHistory: false,
            decide: (folder: FolderState, readers: Readers) =>
              decideAttempt(sending, report, folder, readers, deps, time),
          }
          const { result, isUnchanged, commit } = await writeToGit(write, sending.bearer, deps, time)
          return respondWithRecord({ ...result, unchanged: isUnchanged, commit })
        },
      }
    },
  }
}

/** Decides an attempt: either a commit or a response without a commit. */
async function decideAttempt(
  { owner, name, bearer }: Sending,
  report: { version: string; suite: string; fields: ResultRequest },
  folder: FolderState,
  { readVersion, call }: Readers,
  deps: PublishHub,
  time: Clock,
): Promise<WriteDecision<Outcome>> {
  requireRights(bearer, { owner, name }, 'publish', readOwner(owner, folder.ownerIndex))
  const { version, suite } = report
  const { git, text } = deps
  const found = { owner, name, versions: [...folder.versions.keys()], index: folder.index }
  const state = await text.run('readState', found)
  requireTestable(state, version)
  const content_sha256 = await text.run('digestVersion', { owner, name }, version, await readVersion(version))
  const known = await findResults(owner, name, version, deps)
  const { results, texts } = await readResults({ version, content_sha256 }, folder, known, { git, text, call })
  const sent: SentResult = {
    ...report,
    reported_by: bearer.login ?? owner,
    provenance: bearer.provenance,
  }
  const tested = { content_sha256, results, suites: [...texts.keys()] }
  const nowMs = folder.nowMs ?? time.now()
  const decision = await text.run('decideResult', sent, `${owner}/${name}`, tested, nowMs)
  const { result } = decision
  const shown = {
    ...{ file: state.file, entry: undefined, added: undefined },
    tested: { version, results: decision.results },
  }
  if (decision.text === undefined) {
    // A hub that crashed after its commit has not stored a copy. In that case, a retry commits nothing but makes the existing commit visible.
    const isUnshown = !isSameJson(known, decision.results)
    return {
      kind: 'answer',
      answer: { result, isUnchanged: true, commit: null },
      ...(isUnshown && { shown }),
    }
  }
  const { passed, failed } = result
  const message = {
    headline: `${owner}/${name}: result of ${suite} for ${version}, ${passed} passed, ${failed} failed`,
    trailers: [['Changed-By', bearer.login ?? owner]] as const,
  }
  return {
    kind: 'commit',
    additions: {
      ...{ owner, name, message, version: undefined, index: undefined },
      result: { version, suite, text: decision.text, before: texts.get(suite) },
    },
    shown,
    answerOf: (commit) => ({ result, isUnchanged: false, commit }),
  }
}
