// Decides what a result of a test suite writes: its file, nothing, or an error. Pure.
import { HubError } from '../api/errors.ts'
import type { Result } from '../api/schema.ts'
import { recordResult, sortResults } from '../catalogue/results.ts'
import { formatResultFile, type ResultFile } from '../content/result-file.ts'
import { CLOCK_SKEW_MS, LIMITS } from '../limits.ts'
import type { RepositoryState } from '../publishing/repository-state.ts'
import { invalidField } from '../publishing/request.ts'
import { isSameJson } from '../text/json.ts'
import { compareText } from '../text/plain-text.ts'
import { formatMoment, type Provenance } from '../values/values.ts'
import { archivedError, requireVersion } from './decision.ts'
import type { ResultRequest } from './result-request.ts'

/** A result that somebody reports. */
export interface SentResult {
  version: string
  suite: string
  fields: ResultRequest
  reported_by: string
  provenance: Provenance | undefined
}

/** What git has of the version. */
interface TestedVersion {
  content_sha256: string
  /** Its results that count. */
  results: readonly Result[]
  /** The suites with a result file, whether or not it counts. */
  suites: readonly string[]
}

/** The result of a report. */
interface ResultDecision {
  /** The new content of the result file; undefined if nothing changed. */
  text: string | undefined
  result: Result
  /** The version's results after the report, newest first. */
  results: Result[]
}

/** @throws HubError `not_found`, `repo_archived` if no result may be recorded for a version */
export function requireTestable(state: RepositoryState, version: string): void {
  requireVersion(state, version)
  if (state.file.status === 'archived') throw archivedError(`${state.owner}/${state.name}`)
}

/**
 * Decides what a report writes. The version must be one of which a result may be recorded.
 *
 * @param nowMs the time, in milliseconds since 1970
 * @throws HubError `validation_failed`, `version_conflict`
 */
export function decideResult(
  { version, suite, fields, reported_by, provenance }: SentResult,
  fullName: string,
  { content_sha256, results, suites }: TestedVersion,
  nowMs: number,
): ResultDecision {
  const before = results.find((result) => result.suite === suite)
  // A time far ahead, which only a commit by hand can have, is wrong and protects nothing.
  const beforeMs = before && Date.parse(before.at) <= nowMs + CLOCK_SKEW_MS ? Date.parse(before.at) : 0
  // A report without a time is never older than what it replaces, even if a clock was set back.
  const at = fields.at ?? formatMoment(new Date(Math.max(nowMs, beforeMs)))
  refuseTime(at, nowMs)
  if (before && beforeMs > Date.parse(at))
    throw new HubError(
      'version_conflict',
      `${fullName}@${version} has a newer result of ${suite}, of ${before.at}. Run the suite again, and report that run.`,
    )
  if (!suites.includes(suite) && suites.length >= LIMITS.suitesPerVersion)
    throw invalidField(
      'suite',
      `expected at most ${LIMITS.suitesPerVersion} test suites for a version, which has ${suites.toSorted(compareText).join(', ')}; delete one that is not needed: hubcli result --remove ${fullName} ${version} SUITE`,
    )
  const stored: ResultFile = { content_sha256, ...fields, at, reported_by, provenance: provenance ?? null }
  const result = recordResult(stored, version, suite)
  if (before && isSameJson(before, result)) return { text: undefined, result, results: [...results] }
  return {
    text: formatResultFile(stored),
    result,
    results: sortResults([result, ...results.filter((other) => other.suite !== suite)]),
  }
}

function refuseTime(at: string, nowMs: number): void {
  const ms = Date.parse(at)
  if (ms > nowMs + CLOCK_SKEW_MS) throw invalidField('at', `expected a time that is not in the future, got ${at}`)
}
