// Suggests words from the catalogue if a search has no results.
import type { Search } from '../../search/search.ts'

/** Maximum number of query words to look up; each requires a search query. */
const MAX_WORDS = 3
const MAX_OFFERED = 6
/** Minimum length of the prefix that a suggestion shares with a query word. */
const MIN_LETTERS = 3
/** The number of prompts from which each lookup takes words. */
const CANDIDATES = 10

/** Finds words in titles and tags that share a prefix with a word of the query, longest shared prefix first. @throws HubError `unavailable` when the search is unavailable */
export async function findNearbyWords(q: string, search: Pick<Search, 'find'>): Promise<string[]> {
  const words = [...new Set(splitWords(q))].filter((word) => word.length > MIN_LETTERS)
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, MAX_WORDS)
  const shared = new Map<string, number>()
  for (const word of longest) {
    const text = word.slice(0, MIN_LETTERS)
    const { matches } = await search.find({ text, tags: [], sort: undefined, offset: 0, limit: CANDIDATES })
    for (const known of matches.flatMap(({ title, tags }) => [...splitWords(title), ...tags])) {
      const letters = countShared(known, word)
      if (letters >= MIN_LETTERS && !words.includes(known)) shared.set(known, Math.max(letters, shared.get(known) ?? 0))
    }
  }
  return [...shared]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_OFFERED)
    .map(([word]) => word)
}

const splitWords = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? []

/** Returns the length of the prefix that two words share. */
function countShared(a: string, b: string): number {
  let count = 0
  while (count < a.length && a[count] === b[count]) count++
  return count
}
