// Suggests names for one that does not exist: the same name of another owner, or a few typos away.
import { HubError } from '../../domain/api/errors.ts'
import { countTypos } from '../../domain/search/edit-distance.ts'
import type { ReadDeps } from './records.ts'

const MAX_SUGGESTED = 3
const MAX_CANDIDATES = 20
/** Maximum typos between a name and a suggestion: one per four letters, at most two. */
const MAX_TYPOS = 2
const LETTERS_PER_TYPO = 4

/** Finds the full names of listed repositories that resemble one that does not exist, closest first; at most three. Sends one search query. */
export async function findClose(owner: string, name: string, { search }: ReadDeps): Promise<string[]> {
  try {
    const question = { text: name.replaceAll('-', ' '), tags: [], sort: undefined, offset: 0, limit: MAX_CANDIDATES }
    const { matches } = await search().find(question)
    return matches
      .map((found) => ({ found, typos: typosBetween(found.name, name), others: typosBetween(found.owner, owner) }))
      .filter(({ typos, others }) => typos === 0 || typos + others < Infinity)
      .sort((a, b) => a.typos - b.typos || a.others - b.others)
      .slice(0, MAX_SUGGESTED)
      .map(({ found }) => found.full_name)
  } catch (error) {
    // If the search fails, the caller still reports that the prompt does not exist, only without suggestions.
    if (!(error instanceof HubError && error.code === 'unavailable')) throw error
    return []
  }
}

/** @returns infinity for dissimilar names */
function typosBetween(known: string, typed: string): number {
  const most = Math.min(MAX_TYPOS, Math.floor(typed.length / LETTERS_PER_TYPO))
  const typos = countTypos(known, typed, most)
  return typos > most ? Infinity : typos
}
