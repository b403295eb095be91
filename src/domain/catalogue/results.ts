// Builds the records of results, in the order in which readers see them. Reads import this file, so it imports no schemas.
import type { Result } from '../api/schema.ts'
import type { ResultEntry, VersionEntry } from '../content/content-tree.ts'
import type { ResultFile } from '../content/result-file.ts'
import { compareText } from '../text/plain-text.ts'

/** Builds the record of a result. */
export function recordResult(file: ResultFile, version: string, suite: string): Result {
  const { content_sha256, passed, failed, skipped, score, model, url, at, reported_by, provenance } = file
  return { suite, version, content_sha256, passed, failed, skipped, score, model, url, at, reported_by, provenance }
}

/** Returns the content of the file that a result came from. */
export function resultFileOf({ suite: _, version: __, ...file }: Result): ResultFile {
  return file
}

/** Sorts results: the newest first, then by the name of the suite. */
export function sortResults(results: Iterable<Result>): Result[] {
  return [...results].sort((a, b) => Date.parse(b.at) - Date.parse(a.at) || compareText(a.suite, b.suite))
}

/** Lists the results of a version that count: those of its very content. A result for other bytes says nothing about it. */
export function listResults(
  { version, content_sha256 }: Pick<VersionEntry, 'version' | 'content_sha256'>,
  results: readonly ResultEntry[] = [],
): Result[] {
  return sortResults(
    results
      .filter((result) => result.version === version && result.content_sha256 === content_sha256)
      .map((result) => recordResult(result, version, result.suite)),
  )
}

/** Describes an outcome in words, such as `118 passed, 2 failed, score 0.98`. */
export function describeOutcome({ passed, failed, skipped, score }: Omit<Result, 'suite'>): string {
  const parts = [`${passed} passed`, `${failed} failed`]
  if (skipped > 0) parts.push(`${skipped} skipped`)
  if (score !== null) parts.push(`score ${score}`)
  return parts.join(', ')
}
