// Runs named checks and collects their findings. A check runs once the checks it depends on have passed.

/** An error, or a possible improvement. */
export interface Finding {
  /** An error prevents something from working; advice does not. */
  severity: 'error' | 'advice'
  /** What is wrong, as a sentence. It may name settings, but never contains the values of secret ones. */
  problem: string
  /** How to fix it, as a sentence. */
  fix: string
}

/** A single check. */
export interface Check<Target> {
  /** A stable name for use in scripts, with only lower-case letters and hyphens. */
  name: string
  /** What the check confirms if it finds nothing. */
  about: string
  /** Checks that must pass first; otherwise this one would only repeat their findings. */
  needs?: readonly string[]
  /** Returns whether the check applies. Default: yes. */
  applies?(target: Target): boolean
  run(target: Target): Promise<readonly Finding[]> | readonly Finding[]
}

/** The outcome of a check. */
export interface CheckResult {
  check: string
  about: string
  outcome: 'ok' | 'advice' | 'error' | 'skipped'
  findings: readonly Finding[]
  /** The check that must be fixed first. */
  waits_for?: string
}

/** Creates an error: something that prevents the hub from working. */
export const fail = (problem: string, fix: string): Finding => ({ severity: 'error', problem, fix })
/** Creates advice: something that works and could be better. */
export const warn = (problem: string, fix: string): Finding => ({ severity: 'advice', problem, fix })

/**
 * Runs checks in order. A check that throws is reported as an error, because only a completed check may count as passed.
 *
 * @param before earlier results that these checks depend on
 */
export async function runChecks<Target>(
  checks: readonly Check<Target>[],
  target: Target,
  before: readonly CheckResult[] = [],
): Promise<CheckResult[]> {
  const done: CheckResult[] = []
  for (const { name, about, needs = [], applies, run } of checks) {
    if (applies && !applies(target)) continue
    const blockedBy = [...before, ...done].find(
      ({ check, outcome }) => needs.includes(check) && (outcome === 'error' || outcome === 'skipped'),
    )
    if (blockedBy) {
      done.push({
        check: name,
        about,
        outcome: 'skipped',
        findings: [],
        waits_for: blockedBy.waits_for ?? blockedBy.check,
      })
      continue
    }
    const findings = await runOnce(run, target)
    const outcome = findings.some(({ severity }) => severity === 'error')
      ? 'error'
      : findings.length > 0
        ? 'advice'
        : 'ok'
    done.push({ check: name, about, outcome, findings })
  }
  return done
}

async function runOnce<Target>(look: Check<Target>['run'], target: Target): Promise<readonly Finding[]> {
  try {
    return await look(target)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [fail(`This check failed: ${reason}`, 'Fix the cause, and run the check again.')]
  }
}

const MARKS = { ok: 'ok   ', advice: 'warn ', error: 'ERROR', skipped: 'skip ' } as const

/** Formats the results as lines for people. */
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
