// Writes the sitemap as XML.

import type { Catalogue as AnyCatalogue } from '../catalogue/catalogue.ts'
import type { OutlinedEntry } from '../catalogue/entry.ts'
import { oncePer } from '../catalogue/remember.ts'
import { escapeXml } from '../domain/text/html-text.ts'
import { GUIDES } from '../site/docs/guides.ts'
import { comparePage, NEWEST_COMPARED, ownerPage, repositoryPage, tagPage, versionPage } from '../site/links.ts'

/** Maximum number of URLs in one file. https://www.sitemaps.org/protocol.html */
const MAX_ADDRESSES = 50_000

const OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** A catalogue without records. */
type Catalogue = AnyCatalogue<OutlinedEntry>

type Release = OutlinedEntry['releases'][number]

/** Entries that must stay in the same file. They are formatted when the file is generated, because there may be a hundred thousand. */
interface Block {
  size: number
  format: () => string
}

/** Returns the paths of the sitemap's files: a single file, or an index and several files if there are too many URLs for one file. */
export function listSitemapPaths(catalogue: Catalogue): string[] {
  const parts = partsOf(catalogue)
  return ['/sitemap.xml', ...(parts.length === 1 ? [] : parts.map((_, index) => partPath(index)))]
}

/** Generates the file of the sitemap at a path, or returns undefined if there is no such file. */
export function findSitemapFile(catalogue: Catalogue, path: string): string | undefined {
  if (!path.startsWith('/sitemap')) return undefined
  const parts = partsOf(catalogue)
  if (path !== '/sitemap.xml') return formatPart(parts.find((_, index) => parts.length > 1 && path === partPath(index)))
  if (parts.length === 1) return formatPart(parts[0])
  const entries = parts.map(
    (_, index) => `<sitemap><loc>${escapeXml(catalogue.baseUrl + partPath(index))}</loc></sitemap>\n`,
  )
  return `${OPENING}<sitemapindex ${NAMESPACE}>\n${entries.join('')}</sitemapindex>\n`
}

const partPath = (index: number) => `/sitemap-${index + 1}.xml`

function formatPart(part: readonly Block[] | undefined): string | undefined {
  return part && `${OPENING}<urlset ${NAMESPACE}>\n${part.map(({ format }) => format()).join('')}</urlset>\n`
}

const partsOf = oncePer((catalogue: Catalogue): Block[][] => {
  const parts: Block[][] = [[]]
  let size = 0
  for (const block of listBlocks(catalogue)) {
    if (size + block.size > MAX_ADDRESSES) {
      parts.push([])
      size = 0
    }
    parts.at(-1)!.push(block)
    size += block.size
  }
  return parts
})

function* listBlocks({ baseUrl, listed, users, tags, entries }: Catalogue): Generator<Block> {
  const formatPlace = formatBelow(baseUrl)
  const page = (path: string): Block => ({ size: 1, format: () => formatPlace(path) })
  const guides = GUIDES.flatMap(({ guides }) => guides.map(({ path }) => path))
  for (const path of ['/', '/tags', '/docs', ...guides]) yield page(path)
  for (const { full_name } of listed.new) yield blockOf(entries.get(full_name)!, formatPlace)
  for (const user of users.values()) if (user.repos_count > 0) yield page(ownerPage(user.handle))
  for (const { name } of tags) yield page(tagPage(name))
}

/** Returns a function that formats an entry. Only the base URL is escaped, because names, version numbers and times have no special characters. */
function formatBelow(baseUrl: string) {
  const base = escapeXml(baseUrl)
  return (path: string, changedAt?: string): string =>
    `<url><loc>${base}${path}</loc>${changedAt === undefined ? '' : `<lastmod>${changedAt}</lastmod>`}</url>\n`
}

/** Returns the pages of a prompt: its own, those of active versions and those that compare adjacent versions. The latest version is omitted, because it is shown on the prompt's own page. */
function blockOf({ summary, releases }: OutlinedEntry, formatPlace: ReturnType<typeof formatBelow>): Block {
  const { full_name, updated_at, latest_version } = summary
  const isShown = ({ version, isYanked }: Release) => !isYanked && version !== latest_version
  const isCompared = ({ previous_version }: Release, index: number) =>
    previous_version !== null && index < NEWEST_COMPARED
  const format = () => {
    let xml = formatPlace(repositoryPage(full_name), updated_at)
    for (const [index, release] of releases.entries()) {
      const { version, previous_version, published_at } = release
      if (isShown(release)) xml += formatPlace(versionPage(full_name, version), published_at)
      if (isCompared(release, index))
        xml += formatPlace(comparePage(full_name, previous_version!, version), published_at)
    }
    return xml
  }
  return { size: 1 + releases.filter(isShown).length + releases.filter(isCompared).length, format }
}
