// Writes the sitemap as XML.
import type { RepositorySummary } from '../../src/domain/api/schema.ts'
import { escapeXml } from '../../src/domain/text/html-text.ts'
import { GUIDES } from '../../src/site/docs/guides.ts'
import { comparePage, NEWEST_COMPARED, tagPage, versionPage } from '../../src/site/links.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CatalogueEntry } from '../catalogue/entry.ts'
import type { SharedFile } from '../catalogue/published/data-files.ts'

/** Maximum number of URLs in one file. https://www.sitemaps.org/protocol.html */
const MAX_ADDRESSES = 50_000

const OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

interface Place {
  address: string
  changedAt?: string
}

/** Entries that must stay in the same file, as XML. */
interface Block {
  /** Compared to detect whether the entries changed. */
  of: unknown
  size: number
  xml: string
}

/** Returns the sitemap's files: a single file, or an index and several files if there are too many URLs for one file. */
export function* listSitemapFiles(catalogue: Catalogue): Generator<SharedFile> {
  const parts = cutIntoParts(listBlocks(catalogue))
  if (parts.length === 1) return yield describePart('/sitemap.xml', parts[0]!)
  const locations = parts.map((_, index) => `${catalogue.baseUrl}/sitemap-${index + 1}.xml`)
  const format = () => {
    const entries = locations.map((location) => `<sitemap><loc>${escapeXml(location)}</loc></sitemap>\n`)
    return `${OPENING}<sitemapindex ${NAMESPACE}>\n${entries.join('')}</sitemapindex>\n`
  }
  yield { path: '/sitemap.xml', of: locations, format }
  for (const [index, part] of parts.entries()) yield describePart(`/sitemap-${index + 1}.xml`, part)
}

function describePart(path: string, blocks: readonly Block[]): SharedFile {
  const format = () => `${OPENING}<urlset ${NAMESPACE}>\n${blocks.map(({ xml }) => xml).join('')}</urlset>\n`
  return { path, of: blocks.map(({ of }) => of), format }
}

function cutIntoParts(blocks: Iterable<Block>): Block[][] {
  const parts: Block[][] = [[]]
  let size = 0
  for (const block of blocks) {
    if (size + block.size > MAX_ADDRESSES) {
      parts.push([])
      size = 0
    }
    parts.at(-1)!.push(block)
    size += block.size
  }
  return parts
}

function* listBlocks({ baseUrl, listed, users, tags, entries }: Catalogue): Generator<Block> {
  const guides = GUIDES.flatMap(({ guides }) => guides.map(({ path }) => path))
  for (const path of ['/', '/tags', '/docs', ...guides]) yield formatBlock([{ address: baseUrl + path }])
  for (const { full_name } of listed.new) yield blockOf(baseUrl, entries.get(full_name)!)
  for (const user of users.values()) if (user.repos_count > 0) yield formatBlock([{ address: user.html_url }])
  for (const { name } of tags) yield formatBlock([{ address: baseUrl + tagPage(name) }])
}

/** Caches the entries of each prompt across updates, because they make up most of the sitemap. */
const blocks = new WeakMap<RepositorySummary, Block>()

function blockOf(baseUrl: string, entry: CatalogueEntry): Block {
  const { summary } = entry
  const known = blocks.get(summary)
  if (known) return known
  const place = { address: summary.html_url, changedAt: summary.updated_at }
  const block = { ...formatBlock([place, ...listVersionPlaces(baseUrl, entry)]), of: summary }
  blocks.set(summary, block)
  return block
}

/** Returns the pages of active versions and the pages that compare adjacent versions. The latest version is omitted, because it is shown on the repository's page. */
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

function formatBlock(places: readonly Place[]): Block {
  const entries = places.map(({ address, changedAt }) => {
    const changed = changedAt === undefined ? '' : `<lastmod>${escapeXml(changedAt)}</lastmod>`
    return `<url><loc>${escapeXml(address)}</loc>${changed}</url>\n`
  })
  const xml = entries.join('')
  return { of: xml, size: places.length, xml }
}
