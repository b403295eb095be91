// Records and deletes the results of test suites for a version. Each is one commit of one file, `results/{x.y.z}/{suite}.yml`.
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters } from '../../domain/api/routes.ts'
import type { Result } from '../../domain/api/schema.ts'
import { readChangeBody } from '../../domain/managing/request.ts'
import { decideResult, requireTestable, type SentResult } from '../../domain/managing/result-decision.ts'
import { type ResultRequest, readResultBody } from '../../domain/managing/result-request.ts'
import { readOwner, readRepositoryState } from '../../domain/publishing/repository-state.ts'
import { isSameJson } from '../../domain/text/json.ts'
import { isSuite, isVersion } from '../../domain/values/names.ts'
import type { FolderState } from '../../git/git-store.ts'
import { requireRights } from './authenticate.ts'
import type { PublishHub } from './publish-hub.ts'
import { type Readers, readTested } from './read-from-git.ts'
import {
  type Clock,
  changeMessage,
  openCommit,
  type ParseWrite,
  type Sending,
  type WriteDecision,
} from './write-to-git.ts'

/** Opens a report of a result, or its deletion. @throws HubError `not_found` for a malformed version or suite */
export function openResult(
  id: 'recordResult' | 'removeResult',
  { version = '', suite = '' }: PathParameters,
): ParseWrite {
  if (!isVersion(version))
    throw new HubError('not_found', 'No version can have this number. Versions have the form x.y.z.')
  if (!isSuite(suite))
    throw new HubError(
      'not_found',
      'No test suite can have this name. Names are lower-case words joined by single hyphens, at most 64 characters.',
    )
  return openCommit((body) => {
    // The body of a deletion is as empty as that of an unyank.
    if (id === 'removeResult') readChangeBody({ kind: 'unyank', version }, body)
    return { version, suite, fields: id === 'recordResult' ? readResultBody(body) : undefined }
  }, decideAttempt)
}

/** Decides an attempt: either a commit or a response without a commit. */
async function decideAttempt(
  sending: Sending,
  { version, suite, fields }: { version: string; suite: string; fields: ResultRequest | undefined },
  folder: FolderState,
  readers: Readers,
  deps: PublishHub,
  time: Clock,
): Promise<WriteDecision> {
  const { owner, name, bearer } = sending
  requireRights(bearer, { owner, name }, 'publish', readOwner(owner, folder.ownerIndex))
  const found = { owner, name, versions: [...folder.versions.keys()], index: folder.index }
  const state = readRepositoryState(found)
  requireTestable(state, version)
  const place = { owner, name, version }
  const { content_sha256, known, results, texts } = await readTested(place, folder, readers, deps)
  const write = (result: { text: string | undefined }, summary: string) => ({
    owner,
    name,
    message: changeMessage(sending, `${owner}/${name}: result of ${suite} for ${version}, ${summary}`),
    version: undefined,
    index: undefined,
    result: { version, suite, ...result },
  })
  const shownWith = (tested: readonly Result[]) => ({
    file: state.file,
    entry: undefined,
    added: undefined,
    tested: { version, results: tested },
  })
  if (fields === undefined) {
    const shown = shownWith(results.filter((result) => result.suite !== suite))
    const isKnown = known.some((result) => result.suite === suite)
    const answer = { data: { suite, version, unchanged: !texts.has(suite), commit: null } }
    if (!texts.has(suite)) return { kind: 'answer', answer, ...(isKnown && { shown }) }
    return { kind: 'commit', additions: write({ text: undefined }, 'deleted'), shown, answer }
  }
  const sent: SentResult = {
    version,
    suite,
    fields,
    reported_by: bearer.login ?? owner,
    provenance: bearer.provenance,
  }
  const tested = { content_sha256, results, suites: [...texts.keys()] }
  const nowMs = folder.nowMs ?? time.now()
  const decision = decideResult(sent, `${owner}/${name}`, tested, nowMs)
  const { result } = decision
  const shown = shownWith(decision.results)
  const answer = { data: { ...result, unchanged: decision.text === undefined, commit: null } }
  if (decision.text === undefined) {
    // A hub that crashed after its commit has not stored a copy. In that case, a retry commits nothing but makes the existing commit visible.
    const isUnshown = !isSameJson(known, decision.results)
    return { kind: 'answer', answer, ...(isUnshown && { shown }) }
  }
  const { passed, failed } = result
  const additions = write({ text: decision.text }, `${passed} passed, ${failed} failed`)
  return { kind: 'commit', additions, shown, answer }
}
