// Compares how the two versions of a split label did in a test suite.
import type { LabelTarget } from './split.ts'

/** The scores of both versions, from 0 to 1; null without a result. */
interface SplitScores {
  first: number | null
  second: number | null
}

/** What became of a split. */
export interface Guarded extends SplitScores {
  /** Whether the split was ended, because its version is worse. */
  ended: boolean
}

/** The score of a version in a suite: that of its result or, without one, the share of tests that passed. */
export function scoreIn(results: readonly Record<string, unknown>[], suite: string): number | null {
  const result = results.find((one) => one.suite === suite)
  if (!result) return null
  if (typeof result.score === 'number') return result.score
  const [passed, failed] = [Number(result.passed), Number(result.failed)]
  return passed + failed > 0 ? passed / (passed + failed) : null
}

/** Whether the second version is worse by more than a threshold. Scores are compared as decimals, in which 0.9 − 0.8 is 0.1. */
export function isWorse({ first, second }: SplitScores, threshold: number): boolean {
  return first !== null && second !== null && Math.round((first - second) * 1e9) / 1e9 > threshold
}

/** Why a split was ended, for the activity. */
export function sayWhy(suite: string, { version, split }: LabelTarget, { first, second }: SplitScores): string {
  return `${suite}: ${split?.version} has ${show(second)}, and ${version} has ${show(first)}`
}

const show = (score: number | null) => String(Math.round((score ?? 0) * 1e4) / 1e4)

/** Reads a threshold, from 0 to 1. @returns undefined for anything else */
export function readThreshold(text: string): number | undefined {
  return /^(?:0(?:\.\d{1,6})?|1)$/.test(text) ? Number(text) : undefined
}

/** Says what became of a split. */
export function sayGuarded({ ended, first, second }: Guarded): string {
  const scores =
    first === null || second === null
      ? 'there is nothing to compare'
      : `${show(second)}, and ${show(first)} of the first`
  return `${ended ? 'the split was ended' : 'nothing was changed'}: ${scores}`
}
