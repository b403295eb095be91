// What all review rules share: the finding, its context, and the rules about who sent a file and when.
import { formatPath, type Place } from '../../domain/content/content-path.ts'
import { CLOCK_SKEW_MS } from '../../domain/limits.ts'
import type { Problem, RuleProblem } from '../../domain/text/problems.ts'
import type { RuleName, Severity } from './review-rules.ts'

/** A problem in a file, with its position if known. */
export interface ReviewFinding extends Problem, RuleProblem {}

/** An entry of a review: a finding as it is shown. */
export interface ReviewEntry {
  /** The file's path in git, such as `content/acme/code-review/index.md`. */
  file: string
  /** The 1-based line number. */
  line: number
  rule: string
  /** The problem: what was expected, what was found, and how to fix it. */
  message: string
  severity: Severity
}

/** The context for checking new versions. */
export interface ReviewContext {
  now: Date
  /** Returns whether a version in an owner's repository may have a login as its publisher; omitted if the author is unknown. */
  mayBePublisher?: ((owner: string, login: string) => boolean) | undefined
  /** Returns whether the author may report results to an owner; omitted if the author is unknown. */
  mayReport?: ((owner: string) => boolean) | undefined
}

export type Reporter = (rule: RuleName, key: string, message: string, offset?: number) => void

/** Returns a function that adds findings about one file. */
export function createReporter(remarks: ReviewFinding[], place: Place): Reporter {
  const file = `content/${formatPath(place)}`
  return (rule, key, message, offset) => {
    remarks.push({ file, rule, key, message, ...(offset !== undefined && { offset }) })
  }
}

/** Who sent a file and when, as it says itself: the key and the value of each. */
interface Sender {
  owner: string
  provenance?: unknown
  at: readonly [key: string, time: string]
  by: readonly [key: string, login: string]
}

/** Reviews who sent a new file, and when. @param rules the rules that a time in the future and a login of somebody else break */
export function reviewSender(
  { owner, provenance, at: [atKey, at], by: [byKey, by] }: Sender,
  rules: { time: RuleName; author: RuleName },
  { now, mayBePublisher }: ReviewContext,
  say: Reporter,
): void {
  if (provenance) say('no-forged-provenance', 'provenance', 'expected none: only the hub writes it')
  if (Date.parse(at) > now.getTime() + CLOCK_SKEW_MS)
    say(rules.time, atKey, `expected a time that is not in the future, got ${at}`)
  if (mayBePublisher && !mayBePublisher(owner, by))
    say(rules.author, byKey, `expected the author of the pull request or a member of ${owner}, got ${by}`)
}
