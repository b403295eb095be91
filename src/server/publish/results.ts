// Records the result of a test suite for a version. Each result is one commit of one file, `results/{x.y.z}/{suite}.yml`.
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters } from '../../domain/api/routes.ts'
import { requireTestable, type SentResult } from '../../domain/managing/result-decision.ts'
import type { ResultRequest } from '../../domain/managing/result-request.ts'
import { readOwner } from '../../domain/publishing/repository-state.ts'
import { isSameJson } from '../../domain/text/json.ts'
import { isSuite, isVersion } from '../../domain/values/names.ts'
import type { FolderState } from '../../ports/git-store.ts'
import type { Clock, Readers, WriteDecision } from './attempts.ts'
import { requireRights } from './authenticate.ts'
import type { PublishHub } from './publish-hub.ts'
import { readTested } from './read-from-git.ts'
import { changeMessage, type OpenWrite, type Sending, writeToGit } from './write-to-git.ts'

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
          return writeToGit(write, sending.bearer, deps, time)
        },
      }
    },
  }
}

/** Decides an attempt: either a commit or a response without a commit. */
async function decideAttempt(
  sending: Sending,
  report: { version: string; suite: string; fields: ResultRequest },
  folder: FolderState,
  readers: Readers,
  deps: PublishHub,
  time: Clock,
): Promise<WriteDecision> {
  const { owner, name, bearer } = sending
  requireRights(bearer, { owner, name }, 'publish', readOwner(owner, folder.ownerIndex))
  const { version, suite } = report
  const { text } = deps
  const found = { owner, name, versions: [...folder.versions.keys()], index: folder.index }
  const state = await text.run('readState', found)
  requireTestable(state, version)
  const place = { owner, name, version }
  const { content_sha256, known, results, texts } = await readTested(place, folder, readers, deps)
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
  const answer = { data: { ...result, unchanged: decision.text === undefined, commit: null } }
  if (decision.text === undefined) {
    // A hub that crashed after its commit has not stored a copy. In that case, a retry commits nothing but makes the existing commit visible.
    const isUnshown = !isSameJson(known, decision.results)
    return { kind: 'answer', answer, ...(isUnshown && { shown }) }
  }
  const { passed, failed } = result
  const headline = `${owner}/${name}: result of ${suite} for ${version}, ${passed} passed, ${failed} failed`
  return {
    kind: 'commit',
    additions: {
      ...{ owner, name, message: changeMessage(sending, headline), version: undefined, index: undefined },
      result: { version, suite, text: decision.text, before: texts.get(suite) },
    },
    shown,
    answer,
  }
}
