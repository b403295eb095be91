// Owns the Atom feeds: what was published, of everything, of an owner, of a tag, of one prompt; each entry leads to the difference. RFC 4287.
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import type { Release } from '../../domain/catalogue/outline.ts'
import { comparePage, repositoryPage, tagPage, versionPage } from '../links.ts'
import { escapeXml } from './sitemap.ts'
import { groupByTag } from './tagged.ts'

/** Entries in a feed. */
const MOST_ENTRIES = 30

interface News {
  entry: CatalogueEntry
  release: Release
  /** When it was published, in milliseconds since 1970. */
  at: number
}

/** Every feed of many prompts: its path from the site's root and its text. */
export function* listFeeds(catalogue: Catalogue): Generator<readonly [path: string, text: string]> {
  const { entries, listed, users, tags } = catalogue
  const all = listed.new.map(({ full_name }) => entries.get(full_name)!)
  yield ['/feed.xml', formatFeed(catalogue, { path: '/', title: 'Prompt Hub', entries: all })]
  for (const { handle, name, repos } of users.values()) {
    const own = repos.map(({ full_name }) => entries.get(full_name)!)
    yield [
      `/${handle}/feed.xml`,
      formatFeed(catalogue, { path: `/${handle}`, title: `${name ?? handle} on Prompt Hub`, entries: own }),
    ]
  }
  const tagged = groupByTag(catalogue)
  for (const { name } of tags) {
    const carried = (tagged.get(name) ?? []).map(({ full_name }) => entries.get(full_name)!)
    yield [
      `/tags/${name}/feed.xml`,
      formatFeed(catalogue, { path: tagPage(name), title: `Tag ${name} on Prompt Hub`, entries: carried }),
    ]
  }
}

/** The feed of one prompt. */
export function formatRepositoryFeed(
  catalogue: Catalogue,
  entry: CatalogueEntry,
): readonly [path: string, text: string] {
  const { full_name, title } = entry.summary
  return [`/${full_name}/feed.xml`, formatFeed(catalogue, { path: repositoryPage(full_name), title, entries: [entry] })]
}

function formatFeed(
  { baseUrl }: Catalogue,
  { path, title, entries }: { path: string; title: string; entries: readonly CatalogueEntry[] },
): string {
  const news = newestOf(entries)
  const address = baseUrl + path
  const updated = news[0]?.release.published_at ?? '1970-01-01T00:00:00Z'
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${escapeXml(title)}</title>
<id>${escapeXml(address)}</id>
<link href="${escapeXml(address)}"/>
<link rel="self" type="application/atom+xml" href="${escapeXml(`${address === `${baseUrl}/` ? baseUrl : address}/feed.xml`)}"/>
<updated>${updated}</updated>
${news.map((one) => formatEntry(baseUrl, one)).join('')}</feed>
`
}

/** The newest versions of some prompts. */
function newestOf(entries: readonly CatalogueEntry[]): News[] {
  return entries
    .flatMap(newsOf)
    .sort((a, b) => b.at - a.at)
    .slice(0, MOST_ENTRIES)
}

/** What each prompt gives to feeds, worked out once: it may stand in a dozen of them, and in those of later builds as long as it does not change. Weak, so that entries of earlier builds are let go. */
const known = new WeakMap<CatalogueEntry, News[]>()

/** The newest versions of a prompt: no more than a feed can hold, so that a prompt with a thousand versions costs no more than others. */
function newsOf(entry: CatalogueEntry): News[] {
  const before = known.get(entry)
  if (before) return before
  const news = entry.releases
    .slice(0, MOST_ENTRIES)
    .filter(({ isYanked }) => !isYanked)
    .map((release) => ({ entry, release, at: Date.parse(release.published_at) }))
  known.set(entry, news)
  return news
}

function formatEntry(baseUrl: string, { entry, release }: News): string {
  const { full_name, title, description } = entry.summary
  const { version, previous_version: previous, changelog, published_at, published_by } = release
  const page = baseUrl + versionPage(full_name, version)
  const compare =
    previous === null
      ? ''
      : ` <a href="${baseUrl}${comparePage(full_name, previous, version)}">What changed since ${previous}</a>`
  const words = changelog || (previous === null ? description : '')
  return `<entry>
<title>${escapeXml(clean(`${title} ${version}`))}</title>
<id>${escapeXml(page)}</id>
<link href="${escapeXml(page)}"/>
<updated>${published_at}</updated>
<author><name>${escapeXml(published_by)}</name></author>
<content type="html">${escapeXml(`<p>${escapeXml(clean(words))}</p>${compare}`)}</content>
</entry>
`
}

/** XML cannot hold control characters, escaped or not. https://www.w3.org/TR/xml/#charsets */
function clean(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
}
