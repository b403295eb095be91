// What an opened index knows of words: how many prompts hold them, how they go on, and which of them a mistyped one may be.
import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { indexEquivalents } from '../domain/search/equivalents.ts'
import type { Vocabulary } from '../domain/search/question.ts'
import { countTypos, forgivenTypos, lettersOf, mayBeClose } from '../domain/search/typos.ts'

/** Words that a beginning is completed to. */
const MAX_BEGINNINGS = 16
/** Words that the mistyped words of one question are compared with, about. */
const MAX_COMPARED = 600_000
/** Equally close words of which the most used is looked up. */
const MAX_CLOSE = 100
const MAX_REMEMBERED = 10_000

/** Opens the words of an index. @param equivalents as the index keeps them @returns a new vocabulary for each question, whose comparisons are bounded together */
export function openVocabulary(database: DatabaseSync, equivalents: string): () => Vocabulary {
  const byPhrase = indexEquivalents(JSON.parse(equivalents))
  const count = database.prepare('SELECT sum(prompts) AS prompts FROM words WHERE term = ?')
  const votesOf = database.prepare('SELECT votes FROM words WHERE word = ?')
  // No character is higher than U+10FFFF, so the end comes after every word with this beginning.
  const begin = database.prepare(
    `SELECT word FROM words WHERE word > ? AND word < ? ORDER BY votes DESC, word LIMIT ${MAX_BEGINNINGS}`,
  )
  const ofLength = database.prepare('SELECT word FROM words WHERE votes > 1 AND length(word) = ?')
  const counts = new LRUCache<string, number>({ max: MAX_REMEMBERED })
  const lengths = new Map<number, { words: string[]; letters: Int32Array }>()
  const countTerm = (term: string) => {
    const known = counts.get(term) ?? Number(count.get(term)?.prompts ?? 0)
    counts.set(term, known)
    return known
  }
  const wordsOf = (length: number) => {
    const words = lengths.get(length)?.words ?? ofLength.all(length).map(({ word }) => String(word))
    const known = lengths.get(length) ?? { words, letters: Int32Array.from(words, lettersOf) }
    lengths.set(length, known)
    return known
  }
  return () => {
    let compared = 0
    const listCorrections = (word: string) => {
      let least = forgivenTypos(word)
      let close: string[] = []
      const letters = lettersOf(word)
      // Words of its own length first, for they are the closest most often, and then fewer are compared.
      for (const by of [0, -1, 1, -2, 2].filter((one) => Math.abs(one) <= least)) {
        if (compared > MAX_COMPARED) break
        const known = wordsOf(word.length + by)
        compared += known.words.length
        for (let index = 0; index < known.words.length; index++) {
          if (!mayBeClose(letters, known.letters[index]!, least)) continue
          const other = known.words[index]!
          const typos = countTypos(word, other, least)
          if (typos > least || typos === 0) continue
          if (typos < least) close = []
          least = typos as typeof least
          close.push(other)
        }
      }
      const rank = (other: string) => (other[0] === word[0] ? 1e9 : 0) + Number(votesOf.get(other)?.votes)
      const ranked = close.slice(0, MAX_CLOSE).map((other) => ({ other, rank: rank(other) }))
      return ranked.sort((a, b) => b.rank - a.rank).map(({ other }) => other)
    }
    return {
      countTerm,
      hasWord: (word) => votesOf.get(word) !== undefined,
      listBeginning: (prefix) => begin.all(prefix, `${prefix}\u{10ffff}`).map(({ word }) => String(word)),
      listCorrections,
      listEquivalents: (key) => byPhrase.get(key) ?? [],
    }
  }
}
