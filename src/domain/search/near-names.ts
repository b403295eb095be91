// Finds names that people take for another one: a letter more, less or else, a hyphen, and letters that look alike.
import type { RepositoryPlace } from '../values/names.ts'
import { countTypos } from './edit-distance.ts'

/** Shorter names differ in a letter by chance. */
const MIN_LETTERS = 5

/** What is read as another letter. */
const LOOK_ALIKES: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/[1i]/g, 'l'],
  [/0/g, 'o'],
  [/5/g, 's'],
  [/-/g, ''],
]

const skeletonOf = (name: string) => LOOK_ALIKES.reduce((text, [like, letter]) => text.replace(like, letter), name)

function areAlmostSame(a: string, b: string): boolean {
  if (a === b) return false
  if (skeletonOf(a) === skeletonOf(b)) return true
  return Math.min(a.length, b.length) >= MIN_LETTERS && countTypos(a, b, 1) === 1 && !areNumbered(a, b)
}

/** Returns whether names differ only in a number, such as gpt-4 and gpt-5. */
const areNumbered = (a: string, b: string) => a.replace(/\d/g, '0') === b.replace(/\d/g, '0')

/** Returns whether one prompt is easily taken for another: it has almost its name or, with the same name, almost its owner. */
export function isTakenFor(one: RepositoryPlace, other: RepositoryPlace): boolean {
  return areAlmostSame(one.name, other.name) || (one.name === other.name && areAlmostSame(one.owner, other.owner))
}
