// Owns the questions that the search is measured with at a large size: those that people ask, and those that were thought out to cost the most.
import type { Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import { splitWords } from '../../src/domain/search/words.ts'
import type { SearchQuestion } from '../../src/ports/search.ts'
import { between, pick, type Random, seedRandom } from './random.ts'
import { readQuestions } from './relevance-data.ts'

/** Questions of one kind. */
export interface QuestionGroup {
  name: string
  /** Ordinary ones are judged by their quantiles, all of them by the worst. */
  isOrdinary: boolean
  questions: SearchQuestion[]
}

/** As long as a question may be. docs/contract.md section 4. */
const LONGEST = 200
/** Words are counted in so many prompts. */
const SAMPLE = 3_000
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
const ASKED = { text: '', tags: [], sort: undefined, offset: 0, limit: 20 }

/** Questions to a catalogue of `makeSearchCatalogue`, whose words are those of the questions in tests/relevance. */
export function gatherQuestions({ listed, entries, tags }: Catalogue): QuestionGroup[] {
  const random = seedRandom(11)
  const prompts = Array.from({ length: 300 }, () => pick(random, listed.top))
  const titles = prompts.map(({ title }) => title)
  const { common, rare, known } = countWords(
    listed.top.slice(0, SAMPLE).map(({ full_name }) => entries.get(full_name)!.repository.content ?? ''),
  )
  const long = known.filter((word) => word.length > 7 && word.length < 20)
  const ordinary = (name: string, texts: readonly string[], given: Partial<SearchQuestion> = {}): QuestionGroup => ({
    name,
    isOrdinary: true,
    questions: texts.map((text) => ({ ...ASKED, ...given, text })),
  })
  const worst = (name: string, texts: readonly string[], given: Partial<SearchQuestion> = {}): QuestionGroup => ({
    ...ordinary(name, texts, given),
    isOrdinary: false,
  })
  /** Questions filled to the end with words, each beginning with others of them. */
  const filled = (words: readonly string[], joined: boolean) =>
    [0, 0.2, 0.4, 0.6].map((part) => fill(words.slice(Math.floor(part * words.length * 0.5)), joined))
  return [
    ordinary('as people ask', [...new Set(readQuestions().map(({ q }) => q))]),
    ordinary('titles', titles),
    ordinary(
      'as somebody types',
      titles.slice(0, 100).flatMap((title) => [4, 6, 9, 14].map((end) => title.slice(0, end))),
    ),
    ordinary(
      'mistyped',
      long.slice(0, 200).map((word) => mistype(word, random)),
    ),
    ordinary(
      'two words and a tag',
      titles.slice(0, 100).map((title) => title.split(' ').slice(0, 2).join(' ')),
      {
        tags: [tags[0]!.name],
      },
    ),
    worst('each letter and digit', [...LETTERS, ...'0123456789']),
    worst(
      'all of two letters',
      LETTERS.flatMap((a) => LETTERS.map((b) => a + b)),
    ),
    worst(
      'many of three letters',
      Array.from({ length: 1_000 }, () => pick(random, known).slice(0, 3)),
    ),
    worst('100 words of one letter', [
      fill(Array(4).fill(LETTERS).flat(), false),
      fill(Array(4).fill(LETTERS).flat(), true),
      fill(
        LETTERS.flatMap((a) => ['e', 's', 'a'].map((b) => a + b)),
        true,
      ),
    ]),
    worst('the most common words', [...common.slice(0, 100)]),
    worst('40 common words', [...filled(common.slice(0, 120), false), ...filled(common.slice(0, 120), true)]),
    worst('200 characters of prefixes', [
      ...filled(
        known.filter(({ length }) => length > 3).map((word) => word.slice(0, 3)),
        true,
      ),
      ...filled(
        common.slice(0, 200).map((word) => word.slice(0, 4)),
        true,
      ),
    ]),
    worst('200 characters of rare words', filled(rare, true)),
    worst('200 characters of typos', [
      ...filled(
        long.map((word) => mistype(word, random)),
        true,
      ),
      ...filled(
        known.filter(({ length }) => length === 4).map((word) => mistype(word, random)),
        true,
      ),
    ]),
    worst('200 characters written together', [
      ...filled(long, true).map((text) => text.replaceAll(/\W/g, '')),
      'x'.repeat(LONGEST),
    ]),
    worst('scripts without spaces', [
      '敬語',
      '議事録を書く',
      '請審查這段代碼'.repeat(29).slice(0, LONGEST),
      'の'.repeat(LONGEST),
    ]),
    worst('common words in another order', common.slice(0, 20), { sort: 'new' }),
    worst('the last pages of common words', common.slice(0, 20), { offset: listed.top.length * 0.5 }),
    worst('common words with two tags', common.slice(0, 20), { tags: tags.slice(0, 2).map(({ name }) => name) }),
  ]
}

/** @returns the words of texts: the most common first; those that stand once; and all that stand more than once, in no special order */
function countWords(texts: readonly string[]): { common: string[]; rare: string[]; known: string[] } {
  const counts = new Map<string, number>()
  for (const word of texts.flatMap((text) => [...new Set(splitWords(text))]))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  const words = [...counts]
  return {
    common: words.sort(([, a], [, b]) => b - a).map(([word]) => word),
    rare: words.filter(([, count]) => count === 1).map(([word]) => word),
    known: [...counts].filter(([, count]) => count > 1).map(([word]) => word),
  }
}

/** As many words as a question may have. @param isJoined whether eight at a time hang together, for words beyond the first twelve count only so */
function fill(words: readonly string[], isJoined: boolean): string {
  let text = ''
  for (const [index, word] of words.entries()) {
    const next = text === '' ? word : `${text}${isJoined && index % 8 !== 0 ? '-' : ' '}${word}`
    if (next.length > LONGEST) break
    text = next
  }
  return text
}

/** Leaves a letter out, or swaps two. */
export function mistype(word: string, random: Random): string {
  const at = between(random, 1, word.length - 2)
  return random() < 0.5
    ? word.slice(0, at) + word.slice(at + 1)
    : word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
}
