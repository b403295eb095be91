// Makes a catalogue for measuring the search at a large size, and questions to it. Texts walk through real prompts, and have the long tail that real vocabularies have.
import { buildCatalogue, type Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import type { RepositoryEntry } from '../../src/domain/content/content-tree.ts'
import { splitWords } from '../../src/domain/search/words.ts'
import type { SearchQuestion } from '../../src/ports/search.ts'
import { between, drawLogNormal, pick, type Random, seedRandom, zipf } from './random.ts'
import { readCatalogues, readQuestions, toRepository } from './relevance.ts'
import { CONTENT_WORDS, LAST_DAY } from './versions.ts'

/** Words that are not taken from the real texts (names, identifiers, slips of the pen), and of these the ones that were never written before. */
const RARE_SHARE = 0.04
const NEW_SHARE = 0.33
const PROMPTS_PER_OWNER = 3

/** Makes a catalogue of so many prompts; the same number gives the same one. */
export function makeSearchCatalogue(prompts: number): Catalogue {
  const random = seedRandom(5)
  const { starter, second } = readCatalogues()
  const real = [starter, second].flatMap(({ entries, listed }) =>
    listed.top.map(({ full_name }) => entries.get(full_name)!.repository),
  )
  const rare = growVocabulary(
    random,
    real.flatMap(({ content }) => splitWords(content ?? '')),
  )
  const texts = real.flatMap(({ description, content }) => `${description} ${content}`.split(/\s+/).filter(Boolean))
  const write = walkThrough(texts, () => (random() < RARE_SHARE ? rare() : undefined), random)
  const titles = real.map(({ title }) => title.split(' '))
  const owners = Array.from({ length: Math.ceil(prompts / PROMPTS_PER_OWNER) }, (_, index) =>
    `${rare()}-${index}`.slice(-30),
  )
  const drawOwner = zipf(random, { ranks: owners.length, offset: 4 })
  const tags = [...new Set(real.flatMap((repository) => repository.tags))]
  const drawTag = zipf(random, { ranks: tags.length, offset: 5 })
  const repositories = new Map<string, RepositoryEntry>()
  while (repositories.size < prompts) {
    // A real title with some of its words changed: many prompts share words, and few share all.
    const topic = () => (random() < 0.15 ? rare() : pick(random, pick(random, titles)))
    const words = [
      ...pick(random, titles).map((word) => (random() < 0.4 ? topic() : word)),
      ...(random() < 0.5 ? [topic()] : []),
    ]
    const title = words.join(' ').slice(0, 100).trim()
    const owner = owners[drawOwner()]!
    const name =
      splitWords(title)
        .filter((word) => /^[a-z0-9]+$/.test(word))
        .join('-') || 'untitled'
    const content = write(Math.ceil(Math.min(CONTENT_WORDS.most, drawLogNormal(random, CONTENT_WORDS))))
    const drawn = [...new Set(Array.from({ length: between(random, 0, 6) }, () => tags[drawTag()]!))]
    const prompt = {
      owner,
      name,
      title,
      description: write(between(random, 8, 24)).slice(0, 300),
      tags: drawn,
      content,
    }
    repositories.set(`${owner}/${name}`, toRepository(prompt, random() < 0.3 ? '' : write(between(random, 20, 80))))
  }
  const tree = { owners: new Map(), usage: new Map(), repositories, equivalents: starter.equivalents }
  return buildCatalogue(tree, { baseUrl: 'http://localhost:8888', day: LAST_DAY })
}

/** Words that the real texts do not have, some new, the others written before. Each begins and ends as real words do. */
function growVocabulary(random: Random, real: readonly string[]): () => string {
  const written: string[] = []
  const long = real.filter((word) => /^[a-z]{5,}$/.test(word))
  return () => {
    const [head, tail] = [pick(random, long), pick(random, long)]
    const coined = head.slice(0, between(random, 2, head.length - 1)) + tail.slice(between(random, 1, tail.length - 2))
    const word = written.length === 0 || random() < NEW_SHARE ? coined : pick(random, written)
    written.push(word)
    return word
  }
}

/** Texts in which each word follows its neighbour as it does somewhere in the real ones. @param instead a word in the place of the next one, now and then */
function walkThrough(real: readonly string[], instead: () => string | undefined, random: Random) {
  const places = Map.groupBy(real.keys(), (place) => real[place]!)
  return (words: number): string => {
    let place = Math.floor(random() * real.length)
    const next = () => {
      const word = real[place]!
      place = (pick(random, places.get(word)!) + 1) % real.length
      return instead() ?? word
    }
    return Array.from({ length: words }, next).join(' ')
  }
}

/** Questions of one kind. Ordinary ones are judged by their quantiles, all of them by the worst. */
export interface QuestionGroup {
  name: string
  isOrdinary: boolean
  questions: SearchQuestion[]
}

/** Questions to such a catalogue: those that people ask, and those that were thought out to cost the most. */
export function gatherQuestions({ listed, entries, tags }: Catalogue): QuestionGroup[] {
  const random = seedRandom(11)
  const titles = Array.from({ length: 300 }, () => pick(random, listed.top).title)
  const counts = new Map<string, number>()
  for (const { full_name } of listed.top.slice(0, 3_000))
    for (const word of new Set(splitWords(entries.get(full_name)!.repository.content ?? '')))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  const common = [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word)
  const rare = common.filter((word) => counts.get(word) === 1)
  const known = common.filter((word) => counts.get(word)! > 1)
  const long = known.filter((word) => word.length > 7 && word.length < 20)
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const group = (name: string, isOrdinary: boolean, texts: readonly string[], given: Partial<SearchQuestion> = {}) => ({
    name,
    isOrdinary,
    questions: texts.map((text) => ({ tags: [], sort: undefined, offset: 0, limit: 20, ...given, text })),
  })
  /** Questions of 200 characters, eight words of each hanging together, beginning with different words. */
  const filled = (words: readonly string[]) =>
    [0, 0.2, 0.4, 0.6].map((part) =>
      words
        .slice(Math.floor(part * words.length * 0.5))
        .slice(0, 96)
        .reduce((text, word, at) => `${text}${at % 8 === 0 ? ' ' : '-'}${word}`)
        .slice(0, 200),
    )
  return [
    group('as people ask', true, [...new Set(readQuestions().map(({ q }) => q))]),
    group('titles', true, titles),
    group(
      'as somebody types',
      true,
      titles.slice(0, 100).flatMap((title) => [4, 6, 9, 14].map((end) => title.slice(0, end))),
    ),
    group(
      'mistyped',
      true,
      long.slice(0, 200).map((word) => mistype(word, random)),
    ),
    group(
      'two words and a tag',
      true,
      titles.slice(0, 100).map((title) => title.split(' ').slice(0, 2).join(' ')),
      { tags: [tags[0]!.name] },
    ),
    group(
      'one letter or two',
      false,
      letters.flatMap((a) => [a, ...letters.map((b) => a + b)]),
    ),
    group(
      'three letters',
      false,
      Array.from({ length: 300 }, () => pick(random, known).slice(0, 3)),
    ),
    group('words of one letter', false, filled(Array(4).fill(letters).flat())),
    group('the most common words', false, common.slice(0, 100)),
    group('200 characters of common words', false, filled(common.slice(0, 120))),
    group('200 characters of prefixes', false, filled(common.slice(0, 200).map((word) => word.slice(0, 4)))),
    group('200 characters of rare words', false, filled(rare)),
    group(
      '200 characters of typos',
      false,
      [long, known.filter(({ length }) => length === 4)].flatMap((words) =>
        filled(words.map((word) => mistype(word, random))),
      ),
    ),
    group('200 characters written together', false, [
      ...filled(long).map((text) => text.replaceAll(/\W/g, '')),
      'x'.repeat(200),
    ]),
    group('scripts without spaces', false, ['敬語', '議事録を書く', '請審查這段代碼'.repeat(28), 'の'.repeat(200)]),
    group('common words in another order', false, common.slice(0, 20), { sort: 'new' }),
    group('the last pages of common words', false, common.slice(0, 20), { offset: listed.top.length * 0.5 }),
    group('common words with two tags', false, common.slice(0, 20), { tags: tags.slice(0, 2).map(({ name }) => name) }),
  ]
}

/** Leaves a letter out, or swaps two. */
function mistype(word: string, random: Random): string {
  const at = between(random, 1, word.length - 2)
  const isLeftOut = random() < 0.5
  return isLeftOut
    ? word.slice(0, at) + word.slice(at + 1)
    : word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
}
