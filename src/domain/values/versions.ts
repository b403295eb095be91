// Compares versions, finds the latest version, and calculates the next version number.
import semver from 'semver'
import { LIMITS } from '../limits.ts'
import { countCharacters } from '../text/plain-text.ts'

/** The parts of the version number that a publish can increment. */
export const BUMPS = ['major', 'minor', 'patch'] as const
/** A part of the version number. */
export type Bump = (typeof BUMPS)[number]
/** What a publisher can ask for: `auto` is the smallest part that fits what changed for callers. */
export const WANTED_BUMPS = [...BUMPS, 'auto'] as const
/** What a publisher asks for. */
export type WantedBump = (typeof WANTED_BUMPS)[number]

/** Sorts versions by number, highest first: 1.10.0 comes before 1.9.0. */
export function sortVersions(versions: readonly string[]): string[] {
  return [...versions].sort(semver.rcompare)
}

/** Compares two versions for sorting highest first. */
export function compareVersions(a: string, b: string): number {
  return semver.rcompare(a, b)
}

/** Returns whether a string is a version range in node-semver syntax. The length is checked first, because parsing a long range takes quadratic time. @see https://github.com/npm/node-semver#ranges */
export function isRange(text: string): boolean {
  return countCharacters(text) <= LIMITS.rangeCharacters && semver.validRange(text) !== null
}

/** Returns the versions in a range, highest first; empty for an invalid range. */
export function selectVersions(versions: readonly string[], range: string): string[] {
  return isRange(range) ? sortVersions(versions.filter((version) => semver.satisfies(version, range))) : []
}

/** Returns the highest version that is not yanked, or undefined. */
export function resolveLatest(versions: readonly string[], isYanked: (version: string) => boolean): string | undefined {
  return sortVersions(versions).find((version) => !isYanked(version))
}

/**
 * Calculates the next version number.
 *
 * @param used every number ever published, including the numbers of yanked versions, because numbers are never reused
 * @returns 1.0.0 for the first version, whatever `bump` is
 */
export function nextVersion(used: readonly string[], bump: Bump): string {
  const highest = sortVersions(used)[0]
  return highest === undefined ? '1.0.0' : semver.inc(highest, bump)!
}

/** Returns whether a number is exactly one step above all used numbers, or 1.0.0 if none has been used. @param used as in `nextVersion` */
export function isNextVersion(used: readonly string[], version: string): boolean {
  return BUMPS.some((bump) => nextVersion(used, bump) === version)
}

/** Returns the part of the number that differs between two versions, or undefined if they are equal. */
export function stepBetween(from: string, to: string): Bump | undefined {
  return (semver.diff(from, to) as Bump | null) ?? undefined
}
