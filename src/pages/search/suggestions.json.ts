// `/search/suggestions.json`: what the search field suggests while somebody types. Not part of the API: the script of the field reads it.
import type { APIRoute } from 'astro'
import type { Suggestion } from '../../domain/search/suggestions.ts'
import { nameOfOriginal } from '../../domain/values/names.ts'
import { parseSearchPageQuery } from '../../server/pages/search-page-query.ts'
import { findOthers } from '../../site/also-found.ts'
import { repositoryPage } from '../../site/links.ts'

const MAX_PROMPTS = 5

export const GET: APIRoute = async ({ locals, url }) => {
  const hub = locals.hub!
  const { q, tags, sort, owner, license, kind } = parseSearchPageQuery(url.searchParams)
  const question = { text: q, tags, sort, owner, license, kind, offset: 0, limit: MAX_PROMPTS }
  const [{ matches }, others] = await Promise.all([hub.find(question), q === '' ? [] : findOthers(q, hub)])
  const prompts = matches.map(
    ({ title, full_name, forked_from }): Suggestion => ({
      words: title,
      about: forked_from === null ? full_name : `${full_name}, fork of ${nameOfOriginal(forked_from)}`,
      address: repositoryPage(full_name),
    }),
  )
  const data = [...prompts, ...others.map(({ what, words, address }) => ({ words, about: what, address }))]
  return Response.json({ data })
}
