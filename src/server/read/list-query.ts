// Parses the query parameters of the list (docs/contract.md section 4).

import { SORTS, type Sort } from '../../domain/api/data-paths.ts'
import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { countCharacters } from '../../domain/text/plain-text.ts'
import { KINDS, type Kind } from '../../domain/values/chat.ts'
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
  /** Undefined when omitted. */
  kind: Kind | undefined
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
    sort: readOne('sort', SORTS, lastOf(query, 'sort')),
    q: q.trim() === '' ? '' : q,
    tags: [...new Set(query.getAll('tag').filter((tag) => tag !== ''))],
    kind: readOne('kind', KINDS, lastOf(query, 'kind')),
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

/** @throws HubError `invalid_request` */
function readOne<Value extends string>(
  name: string,
  values: readonly Value[],
  given: string | undefined,
): Value | undefined {
  if (given === undefined) return undefined
  const known = values.find((value) => value === given)
  if (known) return known
  throw new HubError('invalid_request', `${name}: expected one of ${values.join(', ')}, got ${quote(given)}.`)
}
