// Parses and formats the query of the search page.

import { SORTS, type Sort } from '../../domain/api/data-paths.ts'
import { LIMITS } from '../../domain/limits.ts'
import { KINDS, type Kind } from '../../domain/values/chat.ts'
import { isOwner, isTag } from '../../domain/values/names.ts'

/** A query of the search page. */
export interface SearchPageQuery {
  q: string
  /** The sort order. If undefined: best match first if there are words, otherwise `top`. */
  sort: Sort | undefined
  tags: string[]
  owner: string | undefined
  license: string | undefined
  kind: Kind | undefined
  /** Whether to show only prompts with variables. */
  withVariables: boolean
  /** Whether to show only prompts published by a verified CI run. */
  withProvenance: boolean
  /** Whether to show only prompts whose latest version has test results. */
  withResults: boolean
  page: number
}

/** What pages call the prompts of a kind. */
export const KIND_WORDS: Readonly<Record<Kind, string>> = { skill: 'Agent Skills', chat: 'Chat prompts', text: 'Texts' }

/** What can be typed in the search field in place of a filter, such as `tag:review`. */
const OPERATOR = /^(tag|owner|license|is):(\S+)$/i

/** Parses a URL's query, with the operators among the words. Invalid values are ignored, an operator with one is a word, and text beyond the length limit is cut off. */
export function parseSearchPageQuery(query: URLSearchParams): SearchPageQuery {
  const typed = [...(query.get('q') ?? '')].slice(0, LIMITS.queryCharacters).join('').trim()
  const given = {
    tag: query.getAll('tag').filter(isTag),
    owner: query.getAll('owner').filter(isOwner),
    license: query.getAll('license').filter(isLicense),
    is: query.getAll('kind').filter(isKind),
  }
  const words = typed.split(/\s+/).filter((word) => {
    const [, operator = '', value = ''] = OPERATOR.exec(word) ?? []
    const [name, wanted] = [operator.toLowerCase(), value.toLowerCase()]
    if (name === 'tag' && isTag(wanted)) return !given.tag.push(wanted)
    if (name === 'owner' && isOwner(wanted)) return !given.owner.push(wanted)
    if (name === 'license' && isLicense(value)) return !given.license.push(value)
    if (name === 'is' && isKind(wanted)) return !given.is.push(wanted)
    return true
  })
  const page = query.get('page') ?? ''
  return {
    q: words.join(' '),
    sort: SORTS.find((sort) => sort === query.get('sort')),
    tags: [...new Set(given.tag)].slice(0, LIMITS.tagsPerRepository),
    owner: given.owner.at(-1),
    license: given.license.at(-1),
    kind: given.is.at(-1),
    withVariables: query.get('variables') === 'yes',
    withProvenance: query.get('provenance') === 'yes',
    withResults: query.get('results') === 'yes',
    page: /^[1-9]\d{0,2}$/.test(page) ? Number(page) : 1,
  }
}

const isLicense = (license: string) => license !== '' && license.length <= LIMITS.licenseCharacters
const isKind = (kind: string): kind is Kind => KINDS.some((one) => one === kind)

/** Formats a query as a URL of the search page, or of another path with the same query. */
export function formatSearchPageQuery(question: SearchPageQuery, path = '/search'): string {
  const query = new URLSearchParams()
  if (question.q !== '') query.set('q', question.q)
  for (const tag of question.tags) query.append('tag', tag)
  if (question.owner !== undefined) query.set('owner', question.owner)
  if (question.license !== undefined) query.set('license', question.license)
  if (question.kind !== undefined) query.set('kind', question.kind)
  if (question.withVariables) query.set('variables', 'yes')
  if (question.withProvenance) query.set('provenance', 'yes')
  if (question.withResults) query.set('results', 'yes')
  if (question.sort !== undefined) query.set('sort', question.sort)
  if (question.page > 1) query.set('page', String(question.page))
  return query.size === 0 ? path : `${path}?${query}`
}
