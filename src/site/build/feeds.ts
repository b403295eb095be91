// Owns the Atom feeds: what was published, of everything, of an owner, of a tag, of one prompt; each entry leads to the difference. RFC 4287.
import type { RepositorySummary } from '../../domain/api/schema.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { type SharedFile, shortenDigest } from '../../domain/catalogue/data-files.ts'
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

/** Every feed of many prompts. */
export function* listFeeds(catalogue: Catalogue): Generator<SharedFile> {
  const { entries, listed, users, tags } = catalogue
  const names = new Map(listed.new.map((summary) => [summary, nameFiles(entries.get(summary.full_name)!)]))
  const isKnown = ![...names.values()].includes(undefined)
  const feedOf = (path: string, title: string, summaries: readonly RepositorySummary[]): SharedFile => ({
    path: `${path === '/' ? '' : path}/feed.xml`,
    key: isKnown ? `${title} ${summaries.map((summary) => names.get(summary)).join(' ')}` : undefined,
    text: () => {
      const carried = summaries.map(({ full_name }) => entries.get(full_name)!)
      return formatFeed(catalogue, { path, title, entries: carried })
    },
  })
  yield feedOf('/', 'Prompt Hub', listed.new)
  for (const { handle, name, repos } of users.values())
    yield feedOf(`/${handle}`, `${name ?? handle} on Prompt Hub`, repos)
  const tagged = groupByTag(catalogue)
  for (const { name } of tags) yield feedOf(tagPage(name), `Tag ${name} on Prompt Hub`, tagged.get(name) ?? [])
}

/** Stands for all that a feed may say of a prompt; undefined when nothing does. */
const nameFiles = ({ stored, summary }: CatalogueEntry) =>
  stored?.digest && `${summary.full_name} ${shortenDigest(stored.digest)}`

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
