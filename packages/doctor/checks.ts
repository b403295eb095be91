// Runs named checks in order and collects their findings. A check runs only if the checks that it needs have passed.

import { describeError } from '../../src/ports/log.ts'

/** A problem that a check found: an error or advice. */
export interface CheckProblem {
  /** An error prevents something from working; advice is about something that works but could be better. */
  severity: 'error' | 'advice'
  /** What is wrong, as a sentence. It may name settings, but never contains the values of secret ones. */
  problem: string
  /** How to fix it, as a sentence. */
  fix: string
}

/** What a check finds: nothing, one finding, or several. */
export type CheckProblems = CheckProblem | readonly CheckProblem[] | undefined

/** A single check. */
export interface Check {
  /** A stable name for use in scripts, with only lower-case letters and hyphens. */
  name: string
  /** What the check confirms if it finds nothing. */
  about: string
  /** Checks that must pass first; otherwise this one would only repeat their findings. */
  needs: readonly string[]
  run(): Promise<CheckProblems> | CheckProblems
}

/** Creates a check; the parameters are its fields. */
export function check(name: string, about: string, needs: readonly string[], run: Check['run']): Check {
  return { name, about, needs, run }
}

/** The outcome of a check. */
export interface CheckResult {
  check: string
  about: string
  outcome: 'ok' | 'advice' | 'error' | 'skipped'
  findings: readonly CheckProblem[]
  /** The check that must pass first. */
  waits_for?: string
}

/** Creates an error: something that prevents the hub from working. */
export const fail = (problem: string, fix: string): CheckProblem => ({ severity: 'error', problem, fix })
/** Creates advice: something that works but could be better. */
export const warn = (problem: string, fix: string): CheckProblem => ({ severity: 'advice', problem, fix })

/** Runs checks in order. A check that throws is reported as an error, because only a completed check may count as passed. */
export async function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const done: CheckResult[] = []
  for (const { name, about, needs, run } of checks) {
    const blockedBy = done.find(
      ({ check, outcome }) => needs.includes(check) && (outcome === 'error' || outcome === 'skipped'),
    )
    if (blockedBy) {
      const waits_for = blockedBy.waits_for ?? blockedBy.check
      done.push({ check: name, about, outcome: 'skipped', findings: [], waits_for })
      continue
    }
    const findings = await findingsOf(run)
    const outcome = findings.some(({ severity }) => severity === 'error') ? 'error' : findings[0] ? 'advice' : 'ok'
    done.push({ check: name, about, outcome, findings })
  }
  return done
}

async function findingsOf(run: Check['run']): Promise<readonly CheckProblem[]> {
  try {
    return [(await run()) ?? []].flat()
  } catch (error) {
    return [fail(`This check failed: ${describeError(error)}`, 'Fix the cause, and run the check again.')]
  }
}

const MARKS = { ok: 'ok   ', advice: 'warn ', error: 'ERROR', skipped: 'skip ' } as const

/** Formats the results as human-readable lines. */
export function formatResults(examined: readonly CheckResult[]): string {
  const width = Math.max(...examined.map(({ check }) => check.length))
  return examined
    .flatMap(({ check, about, outcome, findings, waits_for }) => {
      const head = `${MARKS[outcome]}  ${check.padEnd(width)}  `
      if (outcome === 'ok') return [head + about]
      if (waits_for !== undefined) return [`${head}skipped until ${waits_for} passes`]
      return findings.flatMap(({ problem, fix }) => [head + problem, `${' '.repeat(head.length)}→ ${fix}`])
    })
    .join('\n')
}

/** The clock difference, in seconds, that causes failures: GitHub rejects an App's signature if its time is off by a minute. */
const ERROR_SECONDS = 60
/** A trusted publisher's token may be 5 s off; a `Date` header is truncated to whole seconds and took time to arrive. docs/notes/security.md section 3 */
const WARN_SECONDS = 8

/** Compares a server's time with the local clock. @param whose the server's name, such as `GitHub` @param date the server's time; an invalid date is not compared, because some proxies do not forward the `Date` header */
export function compareClocks(whose: string, date: Date, now: Date): CheckProblem | undefined {
  const seconds = Math.round((now.getTime() - date.getTime()) / 1000)
  if (!(Math.abs(seconds) >= WARN_SECONDS)) return undefined
  return (Math.abs(seconds) > ERROR_SECONDS ? fail : warn)(
    `This machine’s clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${whose}’s.`,
    'Synchronise the clocks with NTP (timedatectl set-ntp true): tokens, sign-ins and published_at depend on them.',
  )
}
