// Compares this machine's clock with a server's, and reports what a difference breaks.
import { type Finding, fail, warn } from './checks.ts'

/** Clock difference in seconds that causes failures: GitHub rejects an App's signature that is a minute off. */
const ERROR_SECONDS = 60
/** A trusted publisher's token may be 5 s off; a `Date` header is truncated to whole seconds and took time to arrive. docs/notes/security.md section 3 */
const WARN_SECONDS = 8

/** Compares a response's `Date` with the local clock. @param whose the server's name, such as `GitHub` */
export function clockFindings(whose: string, date: string | number | null | undefined, now: Date): Finding[] {
  const theirs = Date.parse(String(date ?? ''))
  // There is no date to compare, because not every cache forwards one.
  if (Number.isNaN(theirs)) return []
  const seconds = Math.round((now.getTime() - theirs) / 1000)
  if (Math.abs(seconds) < WARN_SECONDS) return []
  const problem = `This clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${whose}’s.`
  const fix =
    'Synchronise the clocks with NTP (timedatectl set-ntp true): tokens, sign-ins and published_at depend on them.'
  return [Math.abs(seconds) > ERROR_SECONDS ? fail(problem, fix) : warn(problem, fix)]
}
