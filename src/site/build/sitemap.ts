// Writes the sitemap: which pages search engines are told of, as XML.
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import type { DataFile } from '../../domain/catalogue/data-files.ts'
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import { escapeXml } from '../../domain/text/html-text.ts'
import { GUIDES } from '../docs/guides.ts'
import { comparePage, NEWEST_COMPARED, tagPage, versionPage } from '../links.ts'

/** The most addresses that one file may have. https://www.sitemaps.org/protocol.html */
const MAX_ADDRESSES = 50_000

const OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

interface Place {
  address: string
  changedAt?: string
}

/** The files of the sitemap: one with all addresses, or, when they are too many for one file, one that names the parts. */
export function* listSitemapFiles(catalogue: Catalogue): Generator<DataFile> {
  const places = findPlaces(catalogue)
  const parts = Array.from({ length: Math.ceil(places.length / MAX_ADDRESSES) }, (_, index) =>
    places.slice(index * MAX_ADDRESSES, (index + 1) * MAX_ADDRESSES),
  )
  if (parts.length <= 1) return yield ['/sitemap.xml', formatPlaces(places)]
  const locations = parts.map((_, index) => `${catalogue.baseUrl}/sitemap-${index + 1}.xml`)
  const entries = locations.map((location) => `<sitemap><loc>${escapeXml(location)}</loc></sitemap>\n`)
  yield ['/sitemap.xml', `${OPENING}<sitemapindex ${NAMESPACE}>\n${entries.join('')}</sitemapindex>\n`]
  for (const [index, part] of parts.entries()) yield [`/sitemap-${index + 1}.xml`, formatPlaces(part)]
}

function findPlaces({ baseUrl, listed, users, tags, entries }: Catalogue): Place[] {
  const guides = GUIDES.flatMap(({ guides }) => guides.map(({ path }) => path))
  return [
    ...['/', '/tags', '/docs', ...guides].map((path) => ({ address: baseUrl + path })),
    ...listed.new.map(({ html_url, updated_at }) => ({ address: html_url, changedAt: updated_at })),
    ...listed.new.flatMap(({ full_name }) => listVersionPlaces(baseUrl, entries.get(full_name)!)),
    ...[...users.values()].filter((user) => user.repos_count > 0).map(({ html_url }) => ({ address: html_url })),
    ...tags.map(({ name }) => ({ address: baseUrl + tagPage(name) })),
  ]
}

/** The pages of active versions, without the latest, which the repository's own page shows; and the pages that compare neighbours. */
function listVersionPlaces(baseUrl: string, { summary, releases }: CatalogueEntry): Place[] {
  const { full_name, latest_version } = summary
  return releases.flatMap(({ version, previous_version, published_at, isYanked }, index) => [
    ...(isYanked || version === latest_version
      ? []
      : [{ address: baseUrl + versionPage(full_name, version), changedAt: published_at }]),
    ...(previous_version === null || index >= NEWEST_COMPARED
      ? []
      : [{ address: baseUrl + comparePage(full_name, previous_version, version), changedAt: published_at }]),
  ])
}

function formatPlaces(places: readonly Place[]): string {
  const entries = places.map(({ address, changedAt }) => {
    const changed = changedAt === undefined ? '' : `<lastmod>${escapeXml(changedAt)}</lastmod>`
    return `<url><loc>${escapeXml(address)}</loc>${changed}</url>\n`
  })
  return `${OPENING}<urlset ${NAMESPACE}>\n${entries.join('')}</urlset>\n`
}
