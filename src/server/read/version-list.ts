// Serves the list of a repository's versions, one page at a time.
import { addressesBelow } from '../../domain/api/record-links.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Hub } from '../hub.ts'
import { readPage } from './list-query.ts'
import { pageLinks } from './page-links.ts'
import { lastOf } from './query-values.ts'
import { type FoundAnswer, type FoundRepository, findVersionPage } from './records.ts'

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
  const pages = Math.ceil(found.repository.facts().versions_count / LIMITS.versionPageSize)
  const links = pageLinks(page, pages, (number) => `${url}/versions?page=${number}`)
  return { repository: found.repository, bytes: found.versions.bytes(), links }
}
