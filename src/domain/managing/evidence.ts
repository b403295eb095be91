// Judges whether a version has the results that a protected label requires. Pure, and the same for the API and for pull requests.
import { HubError } from '../api/errors.ts'
import type { Result } from '../api/schema.ts'
import type { ConditionalLabel, ProtectedLabel } from '../content/protected-labels.ts'

/** What a label is to point to. */
interface LabelTarget {
  owner: string
  name: string
  version: string
  content_sha256: string
}

/** A required suite without a result that counts, and why. */
interface MissingEvidence {
  suite: string
  reason: string
}

/**
 * Finds the required suites of which a version has no result that is good enough. A result counts if it is bound to the version's very content and
 *
 * - without `min_score`: no test case failed, and at least one passed,
 * - with `min_score`: its score is at least that; the number of failed test cases does not matter.
 *
 * @param protection undefined if the label is not protected
 */
export function findMissingEvidence(
  protection: ProtectedLabel | undefined,
  { version, content_sha256 }: Pick<LabelTarget, 'version' | 'content_sha256'>,
  results: readonly Result[],
): MissingEvidence[] {
  if (protection === undefined || typeof protection === 'string') return []
  return (protection.requires ?? []).flatMap((suite) => {
    const result = results.find((one) => one.suite === suite && one.version === version)
    const reason = judgeResult(result, content_sha256, protection)
    return reason === undefined ? [] : [{ suite, reason }]
  })
}

/** @returns why a result is not enough; undefined if it is */
function judgeResult(
  result: Result | undefined,
  digest: string,
  { min_score }: Pick<ConditionalLabel, 'min_score'>,
): string | undefined {
  if (!result) return 'has no result'
  if (result.content_sha256 !== digest) return 'has a result for other bytes, which does not count'
  const { passed, failed, score, at } = result
  if (min_score !== undefined) {
    if (score === null) return `has a result without a score, of ${at}, and needs a score of at least ${min_score}`
    return score >= min_score ? undefined : `has the score ${score}, of ${at}, and needs at least ${min_score}`
  }
  if (failed > 0) return `has ${failed} failed, of ${at}, and needs 0`
  return passed > 0 ? undefined : `has a result of ${at} in which nothing passed`
}

/** Says which results are missing, and how to bring them. */
export function describeMissing(label: string, target: LabelTarget, missing: readonly MissingEvidence[]): string {
  const { owner, name, version } = target
  const named = missing.map(({ suite, reason }) => `${suite} ${reason}`).join('; ')
  const commands = missing.map(({ suite }) => `hubcli result ${owner}/${name} ${version} ${suite} FILE`).join('; ')
  return `${owner} requires results before ${label} moves to ${version}: ${named}. Run the tests on ${version}, then report their output: ${commands}.`
}

/** @throws HubError `evidence_missing` */
export function requireEvidence(
  label: string,
  protection: ProtectedLabel | undefined,
  target: LabelTarget,
  results: readonly Result[],
): void {
  const missing = findMissingEvidence(protection, target, results)
  if (missing.length > 0) throw new HubError('evidence_missing', describeMissing(label, target, missing))
}
