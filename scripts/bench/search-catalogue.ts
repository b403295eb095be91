// Owns a catalogue in memory for measuring the search at a size that nobody writes by hand: its texts walk through real prompts, with the long tail that real vocabularies have.
import type { Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import { buildCatalogue } from '../../src/domain/catalogue/catalogue.ts'
import type { RepositoryEntry } from '../../src/domain/content/content-tree.ts'
import { isOwner } from '../../src/domain/content/names.ts'
import { splitWords } from '../../src/domain/search/words.ts'
import { between, drawLogNormal, pick, type Random, seedRandom, zipf } from './random.ts'
import { readCatalogues, type ShortPrompt, toRepository } from './relevance-data.ts'
import { CONTENT_WORDS, LAST_DAY } from './versions.ts'

const SEED = 5
/** Of all words, so many are not taken from the real texts: names, numbers, identifiers, slips of the pen. */
const RARE_SHARE = 0.04
/** Of those, so many have never been written before: a vocabulary grows without end, https://en.wikipedia.org/wiki/Heaps%27_law. */
const NEW_SHARE = 0.33
/** As in `npm run generate`: a few owners publish much, most publish one prompt. */
const PROMPTS_PER_OWNER = 3

/** Makes a catalogue of so many prompts; the same number gives the same one. */
export function makeSearchCatalogue(prompts: number): Catalogue {
  const random = seedRandom(SEED)
  const { starter, second } = readCatalogues()
  const real = [starter, second].flatMap(({ entries, listed }) =>
    listed.top.map(({ full_name }) => entries.get(full_name)!.repository),
  )
  const rare = growVocabulary(
    random,
    real.flatMap(({ content }) => splitWords(content ?? '')),
  )
  const write = walkThrough(
    real.flatMap(({ description, content }) => `${description} ${content}`.split(/\s+/).filter(Boolean)),
    () => (random() < RARE_SHARE ? rare() : undefined),
    random,
  )
  const titles = real.map(({ title }) => title.split(' '))
  const drawTopic = () => pick(random, pick(random, titles))
  const owners = inventOwners(Math.ceil(prompts / PROMPTS_PER_OWNER), rare)
  const drawOwner = zipf(random, { ranks: owners.length, offset: 4 })
  const tags = [...new Set(real.flatMap((repository) => repository.tags))]
  const drawTag = zipf(random, { ranks: tags.length, offset: 5 })
  const repositories = new Map<string, RepositoryEntry>()
  while (repositories.size < prompts) {
    const title = inventTitle(pick(random, titles), drawTopic, rare, random)
    const prompt: ShortPrompt = {
      owner: owners[drawOwner()]!,
      name: nameOf(title),
      title,
      description: write(between(random, 8, 24)).slice(0, 300),
      tags: [...new Set(Array.from({ length: between(random, 0, 6) }, () => tags[drawTag()]!))],
      content: write(Math.ceil(Math.min(CONTENT_WORDS.most, drawLogNormal(random, CONTENT_WORDS)))),
    }
    const readme = random() < 0.3 ? '' : write(between(random, 20, 80))
    repositories.set(`${prompt.owner}/${prompt.name}`, toRepository(prompt, readme))
  }
  const tree = { owners: new Map(), usage: new Map(), repositories, equivalents: starter.equivalents }
  return buildCatalogue(tree, { baseUrl: 'http://localhost:8888', day: LAST_DAY })
}

/** Words that the real texts do not have: some new, the others written before. Each begins and ends as real words do. */
function growVocabulary(random: Random, real: readonly string[]): () => string {
  const written: string[] = []
  const long = real.filter((word) => /^[a-z]{5,}$/.test(word))
  const coin = () => {
    const [head, tail] = [pick(random, long), pick(random, long)]
    return head.slice(0, between(random, 2, head.length - 1)) + tail.slice(between(random, 1, tail.length - 2))
  }
  return () => {
    const word = written.length === 0 || random() < NEW_SHARE ? coin() : pick(random, written)
    written.push(word)
    return word
  }
}

/** Texts in which each word follows its neighbour as it does somewhere in the real ones. @param instead a word in the place of the next one, now and then */
function walkThrough(real: readonly string[], instead: () => string | undefined, random: Random) {
  const places = new Map<string, number[]>()
  for (const [place, word] of real.entries()) places.set(word, [...(places.get(word) ?? []), place])
  return (words: number): string => {
    let place = Math.floor(random() * real.length)
    return Array.from({ length: words }, () => {
      const word = real[place]!
      place = (pick(random, places.get(word)!) + 1) % real.length
      return instead() ?? word
    }).join(' ')
  }
}

/** A real title with some of its words changed, so that many prompts share words and few share all. */
function inventTitle(words: readonly string[], topic: () => string, rare: () => string, random: Random): string {
  const changed = words.map((word) => (random() < 0.4 ? topic() : word))
  const more = random() < 0.5 ? [random() < 0.3 ? rare() : topic()] : []
  return [...changed, ...more].join(' ').slice(0, 100).trim()
}

function nameOf(title: string): string {
  const words = splitWords(title).filter((word) => /^[a-z0-9]+$/.test(word))
  return words.join('-') || 'untitled'
}

function inventOwners(count: number, rare: () => string): string[] {
  const owners = new Set<string>()
  while (owners.size < count) {
    const handle = `${rare()}-${rare()}`.slice(0, 30)
    if (isOwner(handle)) owners.add(handle)
  }
  return [...owners]
}
