// Runs named checks in order and collects their findings. A check runs only if the checks that it needs have passed.
import { describeError } from '../log.ts'

/** What a check found to be wrong. */
export interface Finding {
  /** What is wrong, as a sentence. It may name settings, but never contains the values of secret ones. */
  problem: string
  /** How to fix it, as a sentence. */
  fix: string
}

/** What a check finds: nothing, one finding, or several. */
export type Findings = Finding | readonly Finding[] | undefined

/** A single check. */
export interface Check {
  /** A stable name for use in scripts, with only lower-case letters and hyphens. */
  name: string
  /** What the check confirms if it finds nothing. */
  about: string
  /** Checks that must pass first; otherwise this one would only repeat their findings. */
  needs: readonly string[]
  run(): Promise<Findings> | Findings
}

/** Creates a check; the parameters are its fields. */
export function check(name: string, about: string, needs: readonly string[], run: Check['run']): Check {
  return { name, about, needs, run }
}

/** Creates a finding. */
export const fail = (problem: string, fix: string): Finding => ({ problem, fix })

/** The outcome of a check. */
export interface CheckResult {
  check: string
  about: string
  outcome: 'ok' | 'error' | 'skipped'
  findings: readonly Finding[]
  /** The check that must pass first. */
  waits_for?: string
}

/** Runs checks in order. A check that throws is reported as an error, because only a completed check may count as passed. */
export async function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const done: CheckResult[] = []
  for (const { name, about, needs, run } of checks) {
    const blockedBy = done.find(({ check, outcome }) => needs.includes(check) && outcome !== 'ok')
    if (blockedBy) {
      const waits_for = blockedBy.waits_for ?? blockedBy.check
      done.push({ check: name, about, outcome: 'skipped', findings: [], waits_for })
      continue
    }
    const findings = await findingsOf(run)
    done.push({ check: name, about, outcome: findings.length > 0 ? 'error' : 'ok', findings })
  }
  return done
}

async function findingsOf(run: Check['run']): Promise<readonly Finding[]> {
  try {
    return [(await run()) ?? []].flat()
  } catch (error) {
    return [fail(`This check failed: ${describeError(error)}`, 'Fix the cause, and run the check again.')]
  }
}

const MARKS = { ok: 'ok   ', error: 'ERROR', skipped: 'skip ' } as const

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
