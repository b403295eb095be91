// Runs named checks and collects their findings. A check runs once the checks it depends on have passed.

/** An error, or a possible improvement. */
export interface Finding {
  /** An error prevents something from working; advice does not. */
  severity: 'error' | 'advice'
  /** What is wrong, as a sentence. It may name settings, but never contains the values of secret ones. */
  problem: string
  /** How to fix it, as a sentence. */
  mend: string
}

/** A single check. */
export interface Check<Patient> {
  /** A stable name for use in scripts, with only lower-case letters and hyphens. */
  name: string
  /** What the check confirms if it finds nothing. */
  about: string
  /** Checks that must pass first; otherwise this one would only repeat their findings. */
  needs?: readonly string[]
  /** Returns whether the check applies. Default: yes. */
  isMeant?(patient: Patient): boolean
  look(patient: Patient): Promise<readonly Finding[]> | readonly Finding[]
}

/** The outcome of a check. */
export interface Examined {
  check: string
  about: string
  outcome: 'well' | 'advice' | 'error' | 'not looked at'
  findings: readonly Finding[]
  /** The check that must be fixed first. */
  waits_for?: string
}

/** Creates an error: something that prevents the hub from working. */
export const wrong = (problem: string, mend: string): Finding => ({ severity: 'error', problem, mend })
/** Creates advice: something that works and could be better. */
export const advise = (problem: string, mend: string): Finding => ({ severity: 'advice', problem, mend })

/**
 * Runs checks in order. A check that throws is reported as an error, because only a completed check may count as passed.
 *
 * @param before earlier results that these checks depend on
 */
export async function examine<Patient>(
  checks: readonly Check<Patient>[],
  patient: Patient,
  before: readonly Examined[] = [],
): Promise<Examined[]> {
  const done: Examined[] = []
  for (const { name, about, needs = [], isMeant, look } of checks) {
    if (isMeant && !isMeant(patient)) continue
    const ill = [...before, ...done].find(
      ({ check, outcome }) => needs.includes(check) && (outcome === 'error' || outcome === 'not looked at'),
    )
    if (ill) {
      done.push({ check: name, about, outcome: 'not looked at', findings: [], waits_for: ill.waits_for ?? ill.check })
      continue
    }
    const findings = await lookOnce(look, patient)
    const outcome = findings.some(({ severity }) => severity === 'error')
      ? 'error'
      : findings.length > 0
        ? 'advice'
        : 'well'
    done.push({ check: name, about, outcome, findings })
  }
  return done
}

async function lookOnce<Patient>(look: Check<Patient>['look'], patient: Patient): Promise<readonly Finding[]> {
  try {
    return await look(patient)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [wrong(`This check failed: ${reason}`, 'Fix the cause, and run the check again.')]
  }
}

const MARKS = { well: 'ok   ', advice: 'mind ', error: 'WRONG', 'not looked at': '-    ' } as const

/** Formats the results as lines for people. */
export function formatExamination(examined: readonly Examined[]): string {
  const width = Math.max(...examined.map(({ check }) => check.length))
  return examined
    .flatMap(({ check, about, outcome, findings, waits_for }) => {
      const head = `${MARKS[outcome]}  ${check.padEnd(width)}  `
      if (outcome === 'well') return [head + about]
      if (waits_for !== undefined) return [`${head}skipped until ${waits_for} passes`]
      return findings.flatMap(({ problem, mend }) => [head + problem, `${' '.repeat(head.length)}→ ${mend}`])
    })
    .join('\n')
}
