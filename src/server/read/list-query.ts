// Parses the query parameters of the list (docs/contract.md section 4).

import { SORTS, type Sort } from '../../domain/api/data-paths.ts'
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { countCharacters } from '../../domain/text/text-length.ts'
import { lastOf, quote } from './query-values.ts'

/** The query parameters of the list. */
export interface ListQuery {
  page: number
  /** Undefined when omitted. */
  sort: Sort | undefined
  /** Empty when omitted. */
  q: string
  /** The tags in the given order, without duplicates. Malformed tags are included and match nothing. */
  tags: string[]
}

/** Parses the list's query. @throws HubError `invalid_request` that names the parameter and what was expected */
export function readListQuery(query: URLSearchParams): ListQuery {
  const q = lastOf(query, 'q') ?? ''
  const length = countCharacters(q)
  if (length > LIMITS.queryCharacters) {
    throw new HubError(
      'invalid_request',
      `q: expected at most ${LIMITS.queryCharacters} characters, got ${length}. Search with fewer words.`,
    )
  }
  return {
    page: readPage(lastOf(query, 'page')),
    sort: readSort(lastOf(query, 'sort')),
    q: q.trim() === '' ? '' : q,
    tags: [...new Set(query.getAll('tag').filter((tag) => tag !== ''))],
  }
}

/** Returns whether a text is the number of a page. */
export const isPageNumber = (page: string): boolean => /^[1-9]\d{0,5}$/.test(page) && Number(page) <= LIMITS.highestPage

/** Parses the number of a page. @throws HubError `invalid_request` */
export function readPage(page: string | undefined): number {
  if (page === undefined) return 1
  if (isPageNumber(page)) return Number(page)
  throw new HubError(
    'invalid_request',
    `page: expected a whole number from 1 to ${LIMITS.highestPage}, got ${quote(page)}.`,
  )
}

function readSort(sort: string | undefined): Sort | undefined {
  if (sort === undefined) return undefined
  const known = SORTS.find((candidate) => candidate === sort)
  if (known) return known
  throw new HubError('invalid_request', `sort: expected one of ${SORTS.join(', ')}, got ${quote(sort)}.`)
}
