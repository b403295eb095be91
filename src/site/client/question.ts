// Owns what the catalogue page is asked for, and its form in the page's address and in the API's: two inverse functions and one more.
import { SORTS, type Sort } from '../../domain/catalogue/ranking.ts'

/** What a reader looks for. */
export interface Question {
  q: string
  /** Undefined: the API chooses, best match first for a search, else top. */
  sort: Sort | undefined
  tags: string[]
}

/** Reads the query of the page's address; what makes no sense there counts as left out. */
export function parseQuestion(query: string): Question {
  const parameters = new URLSearchParams(query)
  const tags = parameters.getAll('tag').filter((tag) => tag !== '')
  return { q: parameters.get('q') ?? '', sort: findSort(parameters.get('sort')), tags: [...new Set(tags)] }
}

/** Writes the query of the page's address, with its question mark; empty when nothing is asked. */
export function formatQuestion({ q, sort, tags }: Question): string {
  const parameters = new URLSearchParams()
  if (q.trim() !== '') parameters.set('q', q)
  for (const tag of tags) parameters.append('tag', tag)
  if (sort) parameters.set('sort', sort)
  return parameters.size === 0 ? '' : `?${parameters}`
}

/** Writes the address that the API answers a question at. @param list the address of the list */
export function formatRequest(list: string, question: Question, page: number): string {
  const parameters = new URLSearchParams(formatQuestion(question))
  if (page > 1) parameters.set('page', String(page))
  return parameters.size === 0 ? list : `${list}?${parameters}`
}

/** A word as an order, or undefined when it is none. */
export function findSort(word: string | null): Sort | undefined {
  return SORTS.find((sort) => sort === word)
}
