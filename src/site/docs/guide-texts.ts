// The guides' texts: as Markdown, and for the search.
/// <reference types="astro/client" />
import { isStopWord, splitWords, tokenize, toTerm } from '../../domain/search/tokens.ts'
import { GUIDES, pathOfGuide } from './guides.ts'

const FILES = import.meta.glob<string>('/src/pages/docs/*.md', { query: '?raw', import: 'default' })
const READERS = new Map(Object.entries(FILES).map(([file, read]) => [pathOfGuide(file), read]))

/** Returns a guide as Markdown, or undefined if it is not written in Markdown. @param path such as `/docs/publishing` */
export async function readGuide(path: string): Promise<string | undefined> {
  const text = await READERS.get(path)?.()
  return text?.replace(/^---\n[\s\S]*?\n---\n+/, '')
}

/** A guide that a search found. */
export interface FoundGuide {
  path: string
  words: string
  about: string
}

const MAX_GUIDES = 3
/** How much a word counts in the title, in the purpose or a heading, and in the text. */
const WEIGHTS = { title: 30, heading: 10, text: 1 }
/** Minimum length of the start of a word that finds it. */
const MIN_LETTERS = 4

let termsByGuide: Promise<readonly GuideTerms[]> | undefined

interface GuideTerms {
  guide: FoundGuide
  title: ReadonlySet<string>
  headings: ReadonlySet<string>
  all: ReadonlySet<string>
}

/** Finds the guides that have every word of a query, and one of them in a heading; those first that have more there. The last word may be the start of one in a heading. */
export async function findGuides(q: string): Promise<FoundGuide[]> {
  const terms = [...new Set(tokenize(q).filter((word) => !isStopWord(word)))].map(toTerm)
  if (terms.length === 0) return []
  termsByGuide ??= Promise.all(GUIDES.flatMap(({ guides }) => guides).map(readTerms))
  return (await termsByGuide)
    .map((known) => ({ guide: known.guide, weights: weigh(terms, known) }))
    .filter(({ weights }) => !weights.includes(0) && weights.some((weight) => weight > WEIGHTS.text))
    .sort((a, b) => sum(b.weights) - sum(a.weights))
    .slice(0, MAX_GUIDES)
    .map(({ guide }) => guide)
}

/** Returns the weight of each term in a guide; 0 for one that it does not have. */
function weigh(terms: readonly string[], { title, headings, all }: GuideTerms): number[] {
  const last = terms.at(-1) ?? ''
  const has = (words: ReadonlySet<string>, term: string) =>
    words.has(term) || (term === last && term.length >= MIN_LETTERS && [...words].some((word) => word.startsWith(term)))
  return terms.map((term) => {
    if (has(title, term)) return WEIGHTS.title
    if (has(headings, term)) return WEIGHTS.heading
    return all.has(term) ? WEIGHTS.text : 0
  })
}

const sum = (weights: readonly number[]) => weights.reduce((total, weight) => total + weight, 0)

async function readTerms(guide: FoundGuide): Promise<GuideTerms> {
  const text = (await readGuide(guide.path)) ?? ''
  const heads = [guide.words, guide.about, ...text.split('\n').filter((line) => line.startsWith('#'))].join(' ')
  return { guide, title: termsOf(guide.words), headings: termsOf(heads), all: termsOf(`${heads} ${text}`) }
}

const termsOf = (text: string): ReadonlySet<string> => new Set(splitWords(tokenize(text).join(' ')).map(toTerm))
