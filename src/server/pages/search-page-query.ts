// Parses and formats the query of the search page.

import { SORTS, type Sort } from '../../domain/api/data-paths.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isOwner, isTag } from '../../domain/values/names.ts'

/** A query of the search page. */
export interface SearchPageQuery {
  q: string
  /** The sort order. If undefined: best match first if there are words, otherwise `top`. */
  sort: Sort | undefined
  tags: string[]
  owner: string | undefined
  license: string | undefined
  /** Whether to show only prompts with variables. */
  withVariables: boolean
  /** Whether to show only prompts published by a verified CI run. */
  withProvenance: boolean
  page: number
}

/** Parses a URL's query. Invalid values are ignored, and text beyond the length limit is cut off. */
export function parseSearchPageQuery(query: URLSearchParams): SearchPageQuery {
  const owner = query.get('owner') ?? ''
  const license = query.get('license') ?? ''
  const page = query.get('page') ?? ''
  return {
    q: [...(query.get('q') ?? '')].slice(0, LIMITS.queryCharacters).join('').trim(),
    sort: SORTS.find((sort) => sort === query.get('sort')),
    tags: [...new Set(query.getAll('tag').filter(isTag))].slice(0, LIMITS.tagsPerRepository),
    owner: isOwner(owner) ? owner : undefined,
    license: license === '' || license.length > LIMITS.licenseCharacters ? undefined : license,
    withVariables: query.get('variables') === 'yes',
    withProvenance: query.get('provenance') === 'yes',
    page: /^[1-9]\d{0,2}$/.test(page) ? Number(page) : 1,
  }
}

/** Formats a query as a URL of the search page. */
export function formatSearchPageQuery(question: SearchPageQuery): string {
  const query = new URLSearchParams()
  if (question.q !== '') query.set('q', question.q)
  for (const tag of question.tags) query.append('tag', tag)
  if (question.owner !== undefined) query.set('owner', question.owner)
  if (question.license !== undefined) query.set('license', question.license)
  if (question.withVariables) query.set('variables', 'yes')
  if (question.withProvenance) query.set('provenance', 'yes')
  if (question.sort !== undefined) query.set('sort', question.sort)
  if (question.page > 1) query.set('page', String(question.page))
  return query.size === 0 ? '/search' : `/search?${query}`
}
