// Runs named checks and collects their findings. A check runs once the checks it depends on have passed.

/** One thing that is wrong, or could be better. */
export interface Finding {
  /** An error keeps something from working; advice does not. */
  severity: 'error' | 'advice'
  /** What is wrong, in a sentence. It names settings, never their values where those are secret. */
  problem: string
  /** What to do about it, in a sentence. */
  mend: string
}

/** One thing to look at. */
export interface Check<Patient> {
  /** Stable, for scripts: small letters and hyphens. */
  name: string
  /** What is well when nothing is found. */
  about: string
  /** Checks that must have found no error before, for without them this one would only repeat what they said. */
  needs?: readonly string[]
  /** Whether there is anything to look at; there is unless this says no. */
  isMeant?(patient: Patient): boolean
  look(patient: Patient): Promise<readonly Finding[]> | readonly Finding[]
}

/** What became of a check. */
export interface Examined {
  check: string
  about: string
  outcome: 'well' | 'advice' | 'error' | 'not looked at'
  findings: readonly Finding[]
  /** The check that must be mended first. */
  waits_for?: string
}

/** Something that keeps the hub from working. */
export const wrong = (problem: string, mend: string): Finding => ({ severity: 'error', problem, mend })
/** Something that works and could be better. */
export const advise = (problem: string, mend: string): Finding => ({ severity: 'advice', problem, mend })

/**
 * Runs checks in their order. When one throws, that is a finding too, because nothing may be called well that was not seen to be.
 *
 * @param before what was examined already, for what these checks need
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
    return [wrong(`This could not be looked at: ${reason}`, 'Mend what the sentence names, and examine again.')]
  }
}

const MARKS = { well: 'ok   ', advice: 'mind ', error: 'WRONG', 'not looked at': '-    ' } as const

/** The examination as lines for a person. */
export function formatExamination(examined: readonly Examined[]): string {
  const width = Math.max(...examined.map(({ check }) => check.length))
  return examined
    .flatMap(({ check, about, outcome, findings, waits_for }) => {
      const head = `${MARKS[outcome]}  ${check.padEnd(width)}  `
      if (outcome === 'well') return [head + about]
      if (waits_for !== undefined) return [`${head}not looked at before ${waits_for} is mended`]
      return findings.flatMap(({ problem, mend }) => [head + problem, `${' '.repeat(head.length)}→ ${mend}`])
    })
    .join('\n')
}
