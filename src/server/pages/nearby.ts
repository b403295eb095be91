// Suggests words of the catalogue when a search has no results.
import type { Search } from '../../ports/search.ts'

/** Each word costs a question to the search. */
const MAX_WORDS = 3
const MAX_OFFERED = 6
/** Words with fewer letters in common at their beginning are not offered. */
const MIN_LETTERS = 3
/** So many prompts are looked through for words. */
const CANDIDATES = 10

/** Words of titles and tags that begin with the same letters as a word of the question, those that share more letters first. @throws HubError `unavailable` when the search cannot be asked */
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

/** How many characters two words begin with alike. */
function countShared(a: string, b: string): number {
  let count = 0
  while (count < a.length && a[count] === b[count]) count++
  return count
}
