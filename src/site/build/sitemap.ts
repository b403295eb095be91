// Owns the sitemap: which pages search engines are told of, and how that is written as XML.
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import { GUIDES } from '../docs/guides.ts'
import { comparePage, NEWEST_COMPARED, tagPage, versionPage } from '../links.ts'

/** The most addresses that one file may have. https://www.sitemaps.org/protocol.html */
const ADDRESSES_PER_SITEMAP = 50_000

const OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

interface Place {
  address: string
  changedAt?: string
}

/** What stands at `/sitemap.xml`: all addresses, or, when they are too many for one file, where the parts are. */
export function formatSitemap(catalogue: Catalogue): string {
  const parts = countSitemapParts(catalogue)
  if (parts === 0) return formatPlaces(listPlaces(catalogue))
  const locations = Array.from({ length: parts }, (_, index) => `${catalogue.baseUrl}/sitemap-${index + 1}.xml`)
  const entries = locations.map((location) => `<sitemap><loc>${escapeXml(location)}</loc></sitemap>\n`)
  return `${OPENING}<sitemapindex ${NAMESPACE}>\n${entries.join('')}</sitemapindex>\n`
}

/** How many parts `/sitemap-{part}.xml` there are; 0 when one file is enough. */
export function countSitemapParts(catalogue: Catalogue): number {
  const { length } = listPlaces(catalogue)
  return length <= ADDRESSES_PER_SITEMAP ? 0 : Math.ceil(length / ADDRESSES_PER_SITEMAP)
}

/** What stands at `/sitemap-{part}.xml`. @param part from 1 */
export function formatSitemapPart(catalogue: Catalogue, part: number): string {
  return formatPlaces(listPlaces(catalogue).slice((part - 1) * ADDRESSES_PER_SITEMAP, part * ADDRESSES_PER_SITEMAP))
}

/** The list of a catalogue's pages, made once, because every part is cut out of it. Weak, so that it goes with its catalogue. */
const known = new WeakMap<Catalogue, Place[]>()

function listPlaces(catalogue: Catalogue): Place[] {
  const places = known.get(catalogue) ?? findPlaces(catalogue)
  known.set(catalogue, places)
  return places
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

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** What XML 1.0 has no character for: https://www.w3.org/TR/xml/#charsets */
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu

/** A text as it may stand in XML, in an element or an attribute; without the characters that XML cannot hold. */
export function escapeXml(text: string): string {
  return text.replace(NOT_XML, '').replace(/[&<>"']/g, (character) => XML_ENTITIES[character]!)
}
