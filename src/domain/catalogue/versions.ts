// Compares versions, finds the latest, and calculates the next number.
import semver from 'semver'

/** The part of the number that a publish increments. */
export const BUMPS = ['major', 'minor', 'patch'] as const
/** A part of the number. */
export type Bump = (typeof BUMPS)[number]

/** Sorts versions by number, highest first: 1.10.0 comes before 1.9.0. */
export function sortVersions(versions: readonly string[]): string[] {
  return [...versions].sort(semver.rcompare)
}

/** Compares two versions for sorting highest first. */
export function compareVersions(a: string, b: string): number {
  return semver.rcompare(a, b)
}

/** Whether a text is a version range in the syntax of node-semver. @see https://github.com/npm/node-semver#ranges */
export function isRange(text: string): boolean {
  return semver.validRange(text) !== null
}

/** The versions in a range, highest first; none for an invalid range. */
export function selectVersions(versions: readonly string[], range: string): string[] {
  return sortVersions(versions.filter((version) => semver.satisfies(version, range)))
}

/** The highest version that is not yanked, or undefined. */
export function resolveLatest(versions: readonly string[], isYanked: (version: string) => boolean): string | undefined {
  return sortVersions(versions).find((version) => !isYanked(version))
}

/**
 * The number of the next version.
 *
 * @param used every number ever published, yanked ones included: numbers are never used twice
 * @returns 1.0.0 for the first one, whatever `bump` is
 */
export function nextVersion(used: readonly string[], bump: Bump): string {
  const highest = sortVersions(used)[0]
  return highest === undefined ? '1.0.0' : semver.inc(highest, bump)!
}

/** Whether a number is exactly one step above every used one; the first is 1.0.0. @param used like in `nextVersion` */
export function isNextVersion(used: readonly string[], version: string): boolean {
  return BUMPS.some((bump) => nextVersion(used, bump) === version)
}

/** The part of the number that differs between two versions, or undefined when they are equal. */
export function stepBetween(from: string, to: string): Bump | undefined {
  const step = semver.diff(from, to)
  return BUMPS.find((bump) => bump === step)
}
