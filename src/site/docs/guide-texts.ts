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
/** How much more a word in the title, the purpose or a heading counts than one in the text. */
const HEADING_WEIGHT = 10

let termsByGuide: Promise<{ guide: FoundGuide; headings: ReadonlySet<string>; all: ReadonlySet<string> }[]> | undefined

/** Finds the guides that have every word of a query, and one of them in a heading; those first that have more there. */
export async function findGuides(q: string): Promise<FoundGuide[]> {
  const terms = [...new Set(tokenize(q).filter((word) => !isStopWord(word)))].map(toTerm)
  if (terms.length === 0) return []
  termsByGuide ??= Promise.all(GUIDES.flatMap(({ guides }) => guides).map(readTerms))
  const found = (await termsByGuide).flatMap(({ guide, headings, all }) =>
    terms.every((term) => all.has(term)) && terms.some((term) => headings.has(term))
      ? [{ guide, weight: terms.reduce((sum, term) => sum + (headings.has(term) ? HEADING_WEIGHT : 1), 0) }]
      : [],
  )
  return found
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_GUIDES)
    .map(({ guide }) => guide)
}

async function readTerms(guide: FoundGuide) {
  const text = (await readGuide(guide.path)) ?? ''
  const heads = [guide.words, guide.about, ...text.split('\n').filter((line) => line.startsWith('#'))].join(' ')
  return { guide, headings: termsOf(heads), all: termsOf(`${heads} ${text}`) }
}

const termsOf = (text: string): ReadonlySet<string> => new Set(splitWords(tokenize(text).join(' ')).map(toTerm))
