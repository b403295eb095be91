// Owns guessing what a name that does not exist was meant to be.
import { HubError } from '../../domain/api/errors.ts'
import type { ReadTools } from './answers.ts'

const MOST_CLOSE = 3
/** Candidates of one question; the closest of all are kept. */
const CANDIDATES = 10
/** Words of a name that are searched for; each costs a question to the search. */
const MOST_WORDS = 4
/** The same owner counts as much as this many matching characters. */
const SAME_OWNER = 3

/** Full names of listed repositories that are close to one that does not exist, the closest first; at most three. */
export async function findClose(owner: string, name: string, { search }: ReadTools): Promise<string[]> {
  const words = name.split('-')
  const longestFirst = [...words].sort((a, b) => b.length - a.length).slice(0, MOST_WORDS)
  const closeness = new Map<string, number>()
  try {
    for (const text of new Set([words.join(' '), ...longestFirst, owner.replaceAll('-', ' ')])) {
      const { matches } = await search().find({ text, tags: [], sort: undefined, offset: 0, limit: CANDIDATES })
      for (const found of matches) {
        const shared = countShared(found.name, name) + (found.owner === owner ? SAME_OWNER : 0)
        closeness.set(found.full_name, shared)
      }
    }
  } catch (error) {
    // What was asked for does not exist, whether the search works or not; so without it the answer only lacks this hint.
    if (!(error instanceof HubError && error.code === 'unavailable')) throw error
  }
  const closest = [...closeness].sort(([, a], [, b]) => b - a)
  const [, best] = closest[0] ?? ['', 0]
  // A name that is at most half as close as the closest one is not offered, because it was hardly meant.
  return closest
    .filter(([, shared]) => shared === best || shared > best / 2)
    .slice(0, MOST_CLOSE)
    .map(([fullName]) => fullName)
}

/** How many characters two names begin with alike. */
export function countShared(a: string, b: string): number {
  let count = 0
  while (count < a.length && a[count] === b[count]) count++
  return count
}
