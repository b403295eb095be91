// Setups for the doctor tests: a healthy one of each kind, and a summary of findings.
import { expect } from 'vitest'
import { examineSetup, type Setup } from '../../src/doctor/doctor.ts'
import type { Examined } from '../../src/doctor/examination.ts'

/** A version file that is valid. */
export const versionFile = (text: string): string =>
  `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${text}\n`

/** What is wrong, by check, as `problem → mend`; advice too. */
export function illsOf(examined: readonly Examined[]): { [check: string]: string } {
  return Object.fromEntries(
    examined
      .filter(({ findings }) => findings.length > 0)
      .map(({ check, outcome, findings }) => [
        check,
        findings.map(({ problem, mend }) => `${outcome}: ${problem} → ${mend}`).join('\n'),
      ]),
  )
}

/** Examines, and expects exactly one check to find something: an error, in a sentence, with another one that says what to do. */
export async function expectIll(setup: Setup, check: string, said: RegExp): Promise<void> {
  const ills = illsOf(await examineSetup(setup))
  expect(Object.keys(ills), JSON.stringify(ills, undefined, 2)).toEqual([check])
  expect(ills[check]).toMatch(/^error: [^\n]+ → \S[^\n]+$/)
  expect(ills[check]).toMatch(said)
}

/** Examines, and expects nothing to be found, nor left out. @returns the names of the checks that were made */
export async function expectWell(setup: Setup): Promise<string[]> {
  const examined = await examineSetup(setup)
  expect(illsOf(examined)).toEqual({})
  expect(examined.filter(({ outcome }) => outcome !== 'well')).toEqual([])
  return examined.map(({ check }) => check)
}
