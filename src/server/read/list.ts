// Serves the list of repositories, from files where possible and otherwise from the search.

import type { Bytes } from '../../built/site-files.ts'
import { addressesBelow, DATA_FILES } from '../../domain/api/data-paths.ts'
import { listEnvelope, searchEnvelope } from '../../domain/api/envelope.ts'
import { ROUTES } from '../../domain/api/routes.ts'
import type { Meta, RepositorySummary } from '../../domain/api/schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isTag } from '../../domain/values/names.ts'
import type { SearchResults } from '../../search/search.ts'
import type { Hub } from '../hub.ts'
import { type ListQuery, readListQuery, readPage } from './list-query.ts'
import { lastOf } from './query-values.ts'
import { type FoundAnswer, type FoundRepository, findVersionPage } from './records.ts'

/** Responds with the list. @throws HubError `invalid_request` for an invalid query; `unavailable` when the search is unavailable */
export async function findList(asked: URLSearchParams, { baseUrl, siteFiles, search }: Hub): Promise<FoundAnswer> {
  const query = readListQuery(asked)
  const { page, sort, q, tags, kind } = query
  const { pageSize: size } = LIMITS
  if (q !== '' || tags.length > 1 || kind !== undefined) {
    const answer = await search().find({ text: q, tags, kind, sort, offset: (page - 1) * size, limit: size })
    return formatSearchResults(answer, query, baseUrl)
  }
  const [tag] = tags
  if (tag !== undefined && !isTag(tag)) return emptyList(0, query, baseUrl)
  const order = sort ?? 'top'
  const pathOf = (number: number) =>
    tag === undefined ? DATA_FILES.list(order, number) : DATA_FILES.tagged(tag, order, number)
  const bytes = await siteFiles.read(pathOf(page))
  if (bytes) return { bytes, headers: linkHeader(readMeta(bytes).pages, query, baseUrl) }
  // For a page past the end, the totals come from the first page. If there is no first page either, the tag is unused.
  const first = page === 1 ? undefined : await siteFiles.read(pathOf(1))
  return emptyList(first ? readMeta(first).total : 0, query, baseUrl)
}

/** Reads `meta` from the end of a list's file, because parsing a whole page of records takes much longer. */
function readMeta(bytes: Bytes): Meta {
  const end = new TextDecoder().decode(bytes.subarray(-MAX_META_BYTES))
  return JSON.parse(end.slice(end.lastIndexOf('"meta":') + 7, -1))
}

/** `meta` consists of three numbers and their names, so it always fits. */
const MAX_META_BYTES = 120

function formatSearchResults(answer: SearchResults, query: ListQuery, baseUrl: string): FoundAnswer {
  return formatEnvelope(searchEnvelope(answer, { page: query.page, size: LIMITS.pageSize }), query, baseUrl)
}

/** Returns an empty page of a list. */
function emptyList(total: number, query: ListQuery, baseUrl: string): FoundAnswer {
  return formatEnvelope(listEnvelope([], { page: query.page, size: LIMITS.pageSize, total }), query, baseUrl)
}

function formatEnvelope(
  envelope: { data: RepositorySummary[]; meta: Meta },
  query: ListQuery,
  baseUrl: string,
): FoundAnswer {
  return {
    bytes: new TextEncoder().encode(JSON.stringify(envelope)),
    headers: linkHeader(envelope.meta.pages, query, baseUrl),
  }
}

/** Builds the Link header. */
function linkHeader(pages: number, { page, sort, q, tags, kind }: ListQuery, baseUrl: string): Record<string, string> {
  const links = pageLinks(page, pages, (target) => {
    const url = new URL(ROUTES.listRepositories.path, baseUrl)
    if (q !== '') url.searchParams.set('q', q)
    for (const tag of tags) url.searchParams.append('tag', tag)
    if (kind) url.searchParams.set('kind', kind)
    if (sort) url.searchParams.set('sort', sort)
    url.searchParams.set('page', String(target))
    return url.href
  })
  return links.length === 0 ? {} : { Link: links.join(', ') }
}

/** Returns the values of a Link header (RFC 8288). On a page past the end, `prev` points to the last page. @param addressOf the URL of a page */
function pageLinks(page: number, pages: number, addressOf: (page: number) => string): string[] {
  const linkTo = (target: number, relation: string) => `<${addressOf(target)}>; rel="${relation}"`
  const links: string[] = []
  if (page < pages) links.push(linkTo(page + 1, 'next'))
  if (page > 1 && pages > 0) links.push(linkTo(Math.min(page - 1, pages), 'prev'))
  return links
}

/** Finds a page of the list, with the links to the others. @returns undefined if there is no such repository @throws HubError `invalid_request` for an invalid page */
export async function findVersionList(
  owner: string,
  name: string,
  query: URLSearchParams,
  hub: Hub,
): Promise<{ repository: FoundRepository; bytes: FoundAnswer['bytes']; links: string[] } | undefined> {
  const page = readPage(lastOf(query, 'page'))
  const found = await findVersionPage(owner, name, page, hub)
  if (!found) return undefined
  const { url } = addressesBelow(hub.baseUrl).repository(owner, name)
  const pages = Math.ceil(found.repository.facts.versions_count / LIMITS.versionPageSize)
  const links = pageLinks(page, pages, (number) => `${url}/versions?page=${number}`)
  return { repository: found.repository, bytes: found.versions.bytes(), links }
}
