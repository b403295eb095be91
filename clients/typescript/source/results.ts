// Reads the results of test suites for a version from a hub.
import { isObject } from './records.ts'
import { askBytes, type RequestSettings } from './requests.ts'
import { isNotFound, PromptHubError } from './trouble.ts'

/** The result of a test suite, as somebody reported it. The hub has not run the tests. */
export interface SuiteResult {
  suite: string
  passed: number
  failed: number
  skipped: number
  /** From 0 to 1, or null. */
  score: number | null
  model: string | null
  /** The URL of the run, or null. */
  url: string | null
  /** When the suite ran, as in `2026-11-20T10:00:00Z`. */
  at: string
  reported_by: string
}

/**
 * Reads the results of a version, newest first; those for other bytes are left out.
 *
 * @param url the hub's URL, without a trailing slash
 * @throws PromptHubError `unavailable` for an invalid response, and the errors of a request
 */
export async function readResults(
  url: string,
  settings: RequestSettings,
  { name, version, sha256 }: { name: string; version: string | null; sha256: string | null },
): Promise<SuiteResult[]> {
  const address = `${url}/api/v1/repos/${name}/versions/${version}/results`
  // A static mirror has no API, and has no file for a version without results.
  const file = `${url}/data/v1/repos/${name}/results/${version}.json`
  const bytes = await askBytes([address, file], settings).catch((cause: unknown) => {
    if (!isNotFound(cause)) throw cause
  })
  if (!bytes) return []
  try {
    const { data }: { data: unknown } = JSON.parse(new TextDecoder().decode(bytes))
    if (Array.isArray(data) && data.every(isResult)) return data.filter((one) => one.content_sha256 === sha256)
  } catch {
    // What is no JSON is no list of results either.
  }
  throw new PromptHubError('unavailable', `${address} did not return a list of results.`)
}

function isResult(value: unknown): value is SuiteResult & { content_sha256: string } {
  return (
    isObject(value) &&
    ['suite', 'at', 'reported_by', 'content_sha256'].every((key) => typeof value[key] === 'string') &&
    ['passed', 'failed', 'skipped'].every((key) => Number.isSafeInteger(value[key]))
  )
}
