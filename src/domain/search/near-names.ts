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

/** Returns a name as it is read: names with the same skeleton look alike. */
export const skeletonOf = (name: string): string =>
  LOOK_ALIKES.reduce((text, [like, letter]) => text.replace(like, letter), name)

function areAlmostSame(a: string, b: string): boolean {
  if (a === b) return false
  if (skeletonOf(a) === skeletonOf(b)) return true
  return Math.min(a.length, b.length) >= MIN_LETTERS && countTypos(a, b, 1) === 1 && !areNumbered(a, b)
}

/** Returns whether names differ only in a number, such as gpt-4 and gpt-5. */
const areNumbered = (a: string, b: string) => a.replace(/\d/g, '0') === b.replace(/\d/g, '0')

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789-'

/** Lists the names with a letter more, less or else than a name, or with two letters swapped. There are about 75 for each of its letters. */
export function neighboursOf(name: string): string[] {
  const found = new Set<string>()
  for (let at = 0; at <= name.length; at++) {
    const [before, after] = [name.slice(0, at), name.slice(at)]
    found.add(before + after.slice(1))
    found.add(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2))
    for (const letter of LETTERS) found.add(before + letter + after).add(before + letter + after.slice(1))
  }
  found.delete(name)
  return [...found]
}

/** Returns whether one prompt is easily taken for another: it has almost its name or, with the same name, almost its owner. */
export function isTakenFor(one: RepositoryPlace, other: RepositoryPlace): boolean {
  return areAlmostSame(one.name, other.name) || (one.name === other.name && areAlmostSame(one.owner, other.owner))
}
