// Owns guessing what a name that does not exist was meant to be.
import { HubError } from '../../domain/errors.ts'
import type { ReadTools } from '../read-answers.ts'

const MOST_CLOSE = 3
/** More words than this make a name, not a guess; each costs a question to the search. */
const MOST_WORDS = 4

/** Full names of listed repositories that are close to one that does not exist; at most three. */
export function findClose(owner: string, name: string, { search }: ReadTools): string[] {
  const words = name.split('-')
  const longestFirst = [...words].sort((a, b) => b.length - a.length).slice(0, MOST_WORDS)
  const close = new Set<string>()
  try {
    for (const text of [words.join(' '), ...longestFirst, owner.replaceAll('-', ' ')]) {
      if (close.size >= MOST_CLOSE) break
      const { matches } = search().find({ text, tags: [], sort: undefined, offset: 0, limit: MOST_CLOSE })
      for (const { full_name } of matches) close.add(full_name)
    }
  } catch (error) {
    // The hint may be missing: what was asked for does not exist either way.
    if (!(error instanceof HubError && error.code === 'unavailable')) throw error
  }
  return [...close].slice(0, MOST_CLOSE)
}
