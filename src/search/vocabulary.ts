// Provides the vocabulary of an open index: document frequencies, prefix completions, and corrections of misspelled words.
import type { DatabaseSync } from 'node:sqlite'
import type { Vocabulary } from '../catalogue/search/query.ts'
import { countTypos, maxTypos } from '../domain/search/edit-distance.ts'

/** Approximate maximum number of words that are compared with the misspelled words of a query. */
const MAX_COMPARED = 600_000
/** Maximum number of equally close corrections of a word. */
const MAX_CORRECTIONS = 4

/** Opens the vocabulary of an index. @returns a function that creates the vocabulary for one query, whose words share a limit on comparisons */
export function openVocabulary(database: DatabaseSync, equivalents: ReadonlyMap<string, string[]>): () => Vocabulary {
  const count = database.prepare('SELECT sum(uses) AS uses FROM words WHERE term = ?')
  const isWord = database.prepare('SELECT 1 FROM words WHERE word = ?')
  // No character is higher than U+10FFFF, so this bound sorts after every word with the prefix.
  const complete = database.prepare(
    'SELECT word FROM words WHERE word > ? AND word < ? ORDER BY uses DESC, word LIMIT ?',
  )
  const ofLength = database.prepare(
    'SELECT word FROM words WHERE uses > 1 AND length(word) = ? ORDER BY uses DESC, word',
  )
  /** Words by length, most frequent first. */
  const byLength = new Map<number, string[]>()
  const listWords = (length: number) => {
    const words = byLength.get(length) ?? ofLength.all(length).map(({ word }) => String(word))
    byLength.set(length, words)
    return words
  }
  return () => {
    let compared = 0
    return {
      countPrompts: (term) => Number(count.get(term)?.uses ?? 0),
      hasWord: (word) => isWord.get(word) !== undefined,
      completePrefix: (prefix, most) =>
        complete.all(prefix, `${prefix}\u{10ffff}`, most).map(({ word }) => String(word)),
      correctTypo(word) {
        let closest: string[] = []
        let most = maxTypos(word)
        // Typos leave the start or the end unchanged: checking these first is much faster than computing distances.
        const letters = Math.floor((word.length - 1) / (most + 1))
        const [start, end] = [word.slice(0, letters), word.slice(-letters)]
        // Words of the same length first, because they are usually the closest.
        for (const by of [0, -1, 1, -2, 2]) {
          if (Math.abs(by) > most || compared > MAX_COMPARED) continue
          const words = listWords(word.length + by)
          compared += words.length
          for (const other of words) {
            if (!other.startsWith(start) && !other.endsWith(end)) continue
            const typos = countTypos(word, other, most)
            if (typos > most) continue
            if (typos < most) closest = []
            closest.push(other)
            most = typos as typeof most
          }
        }
        return closest.slice(0, MAX_CORRECTIONS)
      },
      listEquivalents: (phrase) => equivalents.get(phrase) ?? [],
    }
  }
}
