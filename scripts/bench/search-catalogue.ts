// Generates a large catalogue for measuring search, with words from real prompts and rare words, and queries for it.
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { tokenize } from '../../src/domain/search/tokens.ts'
import type { SearchQuery } from '../../src/search/search.ts'
import { CONTENT_WORDS } from '../content/generate-content.ts'
import { drawLogNormal, pick, randomInteger, seedRandom, zipf } from '../content/random.ts'
import { catalogueOf, readAllQuestions, readCatalogues } from './relevance.ts'

/** Share of words that are not in the real prompts: names, identifiers, typos. */
const RARE_SHARE = 0.04
/** The number of new distinct words per prompt, as in real vocabularies. */
const RARE_WORDS_PER_PROMPT = 3

/** Generates a catalogue with the given number of prompts; the same number always gives the same catalogue. */
export function makeSearchCatalogue(prompts: number): Catalogue {
  const random = seedRandom(5)
  const { starter, second } = readCatalogues()
  const real = [starter, second].flatMap(({ entries }) => [...entries.values()].map(({ repository }) => repository))
  const words = real.flatMap(({ description, content }) => tokenize(`${description} ${content}`))
  const long = words.filter((word) => /^[a-z]{5,}$/.test(word))
  const coin = () => pick(random, long).slice(0, randomInteger(random, 2, 5)) + pick(random, long).slice(2)
  const rare = Array.from({ length: RARE_WORDS_PER_PROMPT * prompts }, coin)
  const drawRare = zipf(random, { ranks: rare.length, offset: 1_000 })
  const word = () => (random() < RARE_SHARE ? rare[drawRare()]! : pick(random, words))
  const write = (count: number) => Array.from({ length: count }, word).join(' ')
  const titles = real.flatMap(({ title }) => title.split(' '))
  const tags = [...new Set(real.flatMap((repository) => repository.tags))]
  const drawTag = zipf(random, { ranks: tags.length, offset: 5 })
  const made = Array.from({ length: prompts }, (_, index) => ({
    owner: `owner-${index % Math.ceil(prompts / 3)}`,
    name: `${pick(random, long)}-${pick(random, long)}-${index}`,
    title: Array.from({ length: randomInteger(random, 2, 6) }, () => pick(random, titles)).join(' '),
    description: write(randomInteger(random, 8, 24)).slice(0, 300),
    tags: [...new Set(Array.from({ length: randomInteger(random, 0, 6) }, () => tags[drawTag()]!))],
    content: write(Math.ceil(Math.min(CONTENT_WORDS.most, drawLogNormal(random, CONTENT_WORDS)))),
  }))
  return catalogueOf(made, starter.equivalents)
}

/** Queries of one kind. Quantiles are checked for ordinary ones, the maximum for all. */
interface QueryGroup {
  isOrdinary: boolean
  questions: SearchQuery[]
}

/** Generates queries for a generated catalogue: ordinary queries, and the most expensive known queries. */
export function makeQueries({ listed, entries, tags }: Catalogue): QueryGroup[] {
  const random = seedRandom(11)
  const titles = Array.from({ length: 100 }, () => pick(random, listed.top).title)
  const counts = new Map<string, number>()
  for (const { full_name } of listed.top.slice(0, 3_000))
    for (const word of new Set(tokenize(entries.get(full_name)!.repository.content ?? '')))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  const common = [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word)
  const mistyped = common
    .filter((word) => counts.get(word)! > 1 && word.length > 7)
    .map((word) => word.slice(0, 3) + word[4] + word[3] + word.slice(5))
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const fill = (words: readonly string[], sign = ' ') =>
    [0, 100, 200, 300].map((from) => words.slice(from).join(sign).slice(0, 200))
  const ordinary: [texts: readonly string[], given?: Partial<SearchQuery>][] = [
    [readAllQuestions().map(({ q }) => q)],
    [titles],
    [titles.flatMap((title) => [4, 6, 9, 14].map((end) => title.slice(0, end)))],
    [mistyped.slice(0, 200)],
    [titles.map((title) => title.split(' ', 2).join(' ')), { tags: tags.slice(0, 1).map(({ name }) => name) }],
  ]
  const expensive: typeof ordinary = [
    [letters.flatMap((a) => [a, ...letters.map((b) => a + b)])],
    [common.slice(0, 100)],
    [common.slice(0, 20), { sort: 'new' }],
    [common.slice(0, 20), { offset: listed.top.length * 0.5 }],
    [fill(common)],
    [fill(common.map((word) => word.slice(0, 4)))],
    [fill(common.filter((word) => counts.get(word) === 1))],
    [fill(mistyped)],
    [[...fill(common, ''), '請審查這段代碼'.repeat(28), 'の'.repeat(200)]],
  ]
  return [...ordinary, ...expensive].map(([texts, given], kind) => ({
    isOrdinary: kind < ordinary.length,
    questions: texts.map((text) => ({ tags: [], sort: undefined, offset: 0, limit: 20, ...given, text })),
  }))
}
