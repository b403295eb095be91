// Named rules about results: what a file may contain, and whether it fits to its version. A result that breaks one counts for nothing; its version is served all the same.

import { formatPath } from '../domain/content/content-path.ts'
import type { ResultEntry, VersionEntry } from '../domain/content/content-tree.ts'
import type { ResultFile } from '../domain/content/result-file.ts'
import { findCertainSecret } from '../domain/content/secrets.ts'
import { LIMITS } from '../domain/limits.ts'
import { compareText } from '../domain/text/plain-text.ts'
import type { Problem, RuleProblem } from '../domain/text/problems.ts'

/** Checks the rules for a result file alone. */
export function checkResult({ model, url }: ResultFile): RuleProblem[] {
  return Object.entries({ model, url }).flatMap(([key, text]) => {
    const message = text === null ? undefined : findCertainSecret(text)?.message
    return message === undefined ? [] : [{ rule: 'holds-no-secret', key, message }]
  })
}

/** Checks the results of a repository together with its versions. @returns the results that count, and the problems of all others */
export function checkResults(
  { owner, name }: { owner: string; name: string },
  versions: readonly Pick<VersionEntry, 'version' | 'content_sha256'>[],
  results: readonly ResultEntry[],
): { good: ResultEntry[]; problems: Problem[] } {
  const digests = new Map(versions.map(({ version, content_sha256 }) => [version, content_sha256]))
  const counts = new Map<string, number>()
  const good: ResultEntry[] = []
  const problems: Problem[] = []
  for (const result of results.toSorted((a, b) => compareText(a.suite, b.suite))) {
    const { version, suite, content_sha256 } = result
    const refuse = (rule: string, key: string, message: string) => {
      const file = `content/${formatPath({ kind: 'result', owner, name, version, suite })}`
      problems.push({ file, rule, key, message })
    }
    const digest = digests.get(version)
    const count = (counts.get(version) ?? 0) + 1
    counts.set(version, count)
    if (digest === undefined) refuse('results-have-versions', '', `expected a result of a version that exists`)
    else if (content_sha256 !== digest)
      refuse('results-of-these-bytes', 'content_sha256', `expected ${digest}, the SHA-256 of ${version}`)
    else if (count > LIMITS.suitesPerVersion)
      refuse('suites-are-few', '', `expected at most ${LIMITS.suitesPerVersion} test suites for ${version}`)
    else good.push(result)
  }
  return { good, problems }
}
