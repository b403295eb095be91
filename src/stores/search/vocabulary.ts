// What an opened index knows of words: how many prompts hold them, how a prefix goes on, and which word a mistyped one may be.
import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { countTypos, forgivenTypos, lettersOf, mayBeClose } from '../../domain/search/edit-distance.ts'
import type { Vocabulary } from '../../domain/search/query.ts'

const MAX_COMPLETIONS = 16
/** Words that the mistyped words of one question are compared with, about. */
const MAX_COMPARED = 600_000
/** Equally close words of which the most used is looked up. */
const MAX_CLOSE = 100
const MAX_CACHED_COUNTS = 10_000

/** Opens the words of an index. @returns creates a vocabulary for one question, whose comparisons are bounded together */
export function openVocabulary(database: DatabaseSync, equivalents: ReadonlyMap<string, string[]>): () => Vocabulary {
  const count = database.prepare('SELECT sum(uses) AS uses FROM words WHERE term = ?')
  const usesOf = database.prepare('SELECT uses FROM words WHERE word = ?')
  // No character is higher than U+10FFFF, so the end comes after every word with this prefix.
  const complete = database.prepare(
    `SELECT word FROM words WHERE word > ? AND word < ? ORDER BY uses DESC, word LIMIT ${MAX_COMPLETIONS}`,
  )
  const ofLength = database.prepare('SELECT word FROM words WHERE uses > 1 AND length(word) = ?')
  const counts = new LRUCache<string, number>({ max: MAX_CACHED_COUNTS })
  const byLength = new Map<number, { words: string[]; letters: Int32Array }>()
  const readLength = (length: number) => {
    const words = ofLength.all(length).map(({ word }) => String(word))
    const read = { words, letters: Int32Array.from(words, lettersOf) }
    byLength.set(length, read)
    return read
  }
  return () => {
    let compared = 0
    const findClose = (word: string): string[] => {
      let least = forgivenTypos(word)
      let close: string[] = []
      const ownLetters = lettersOf(word)
      // Words of its own length first: they are the closest most often, and then fewer are compared.
      for (const by of [0, -1, 1, -2, 2]) {
        if (Math.abs(by) > least || compared > MAX_COMPARED) continue
        const { words, letters } = byLength.get(word.length + by) ?? readLength(word.length + by)
        compared += words.length
        for (const [index, other] of words.entries()) {
          if (!mayBeClose(ownLetters, letters[index]!, least)) continue
          const typos = countTypos(word, other, least)
          if (typos > least || typos === 0) continue
          if (typos < least) close = []
          least = typos as typeof least
          close.push(other)
        }
      }
      return close.slice(0, MAX_CLOSE)
    }
    return {
      countPrompts(term) {
        const known = counts.get(term) ?? Number(count.get(term)?.uses ?? 0)
        counts.set(term, known)
        return known
      },
      hasWord: (word) => usesOf.get(word) !== undefined,
      completePrefix: (prefix) => complete.all(prefix, `${prefix}\u{10ffff}`).map(({ word }) => String(word)),
      correctTypos(word) {
        const close = findClose(word).map((other) => ({ other, uses: Number(usesOf.get(other)?.uses) }))
        // Few people mistype the first letter.
        const hasFirst = ({ other }: { other: string }) => Number(other[0] === word[0])
        return close.sort((a, b) => hasFirst(b) - hasFirst(a) || b.uses - a.uses).map(({ other }) => other)
      },
      listEquivalents: (phrase) => equivalents.get(phrase) ?? [],
    }
  }
}
