// Setups for the doctor tests: one healthy setup of each kind, and a summary of the findings.
import { expect } from 'vitest'
import type { CheckResult } from '../../src/doctor/checks.ts'
import { checkSetup, type Setup } from '../../src/doctor/doctor.ts'

/** Returns a valid version file with this content. */
export const versionFile = (text: string): string =>
  `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${text}\n`

/** Returns the problems and recommendations, keyed by check, as `problem → fix`. */
export function illsOf(examined: readonly CheckResult[]): { [check: string]: string } {
  return Object.fromEntries(
    examined
      .filter(({ findings }) => findings.length > 0)
      .map(({ check, outcome, findings }) => [
        check,
        findings.map(({ problem, fix }) => `${outcome}: ${problem} → ${fix}`).join('\n'),
      ]),
  )
}

/**
 * Runs the checks and expects a finding from exactly one of them: a sentence about the error and a sentence about the
 * fix.
 */
export async function expectIll(setup: Setup, check: string, said: RegExp): Promise<void> {
  const ills = illsOf(await checkSetup(setup))
  expect(Object.keys(ills), JSON.stringify(ills, undefined, 2)).toEqual([check])
  expect(ills[check]).toMatch(/^error: [^\n]+ → \S[^\n]+$/)
  expect(ills[check]).toMatch(said)
}

/** Runs the checks and expects no findings and no skipped checks. @returns the names of the checks that ran */
export async function expectWell(setup: Setup): Promise<string[]> {
  const examined = await checkSetup(setup)
  expect(illsOf(examined)).toEqual({})
  expect(examined.filter(({ outcome }) => outcome !== 'ok')).toEqual([])
  return examined.map(({ check }) => check)
}
