// Writes Atom feeds for all prompts, an owner, a tag or one prompt; each entry links to the comparison. RFC 4287.

import type { Activity, RepositorySummary, VersionSummary } from '../domain/api/schema.ts'
import { describeActivity } from '../domain/catalogue/activity.ts'
import { escapeXml } from '../domain/text/html-text.ts'
import type { PageData } from '../ports/pages.ts'
import { comparePage, versionPage } from './links.ts'

/** Maximum number of entries in a feed. */
const MAX_ENTRIES = 30

/** The metadata of a feed. */
interface Feed {
  /** The path of its page. */
  path: string
  title: string
  /** Most recently updated first. At most this many prompts can contribute to the newest entries, so no more are read. */
  prompts: readonly RepositorySummary[]
  /** Other activity, only in the feed of a prompt. */
  changes?: readonly Activity[]
}

interface News {
  prompt: RepositorySummary
  version: VersionSummary
  previous: string | undefined
}

/** A feed entry with its time. */
interface Entry {
  at: string
  xml: string
}

/** Responds with a feed. */
export async function respondWithFeed(hub: PageData, { path, title, prompts, changes = [] }: Feed): Promise<Response> {
  const { baseUrl } = hub
  const address = baseUrl + path
  const news = (await Promise.all(prompts.slice(0, MAX_ENTRIES).map((prompt) => readNews(hub, prompt)))).flat()
  const entries = [
    ...news.map((one): Entry => ({ at: one.version.published_at, xml: formatEntry(baseUrl, one) })),
    ...changes.map((change): Entry => ({ at: change.at, xml: formatChange(address, title, change) })),
  ]
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, MAX_ENTRIES)
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${escapeXml(title)}</title>
<id>${escapeXml(address)}</id>
<link href="${escapeXml(address)}"/>
<link rel="self" type="application/atom+xml" href="${escapeXml(`${path === '/' ? baseUrl : address}/feed.xml`)}"/>
<updated>${entries[0]?.at ?? '1970-01-01T00:00:00Z'}</updated>
${entries.map(({ xml }) => xml).join('')}</feed>
`
  return new Response(text, { headers: { 'Content-Type': 'text/xml; charset=utf-8' } })
}

/** A change has no page of its own, so its entry links to the list on the prompt's page. */
function formatChange(page: string, title: string, change: Activity): string {
  const words = describeActivity(change)
  const id = `${page}#${[change.commit ?? change.at, change.type, change.label ?? change.version ?? ''].join('-')}`
  return `<entry>
<title>${escapeXml(`${title}: ${words}`)}</title>
<id>${escapeXml(id)}</id>
<link href="${escapeXml(`${page}#activity`)}"/>
<updated>${change.at}</updated>
<author><name>${escapeXml(change.by)}</name></author>
<content type="text">${escapeXml(words)}</content>
</entry>
`
}

/** Reads the newest versions of a prompt, up to the size of a feed. */
async function readNews(hub: PageData, prompt: RepositorySummary): Promise<News[]> {
  const versions = (await hub.findVersions(prompt.owner, prompt.name)) ?? []
  return versions
    .slice(0, MAX_ENTRIES)
    .map((version, index) => ({ prompt, version, previous: versions[index + 1]?.version }))
    .filter(({ version }) => !version.yanked)
}

function formatEntry(baseUrl: string, { prompt, version: release, previous }: News): string {
  const { full_name, title, description } = prompt
  const { version, changelog, published_at, published_by } = release
  const page = baseUrl + versionPage(full_name, version)
  const compare =
    previous === undefined
      ? ''
      : ` <a href="${baseUrl}${comparePage(full_name, previous, version)}">What changed since ${previous}</a>`
  const words = changelog || (previous === undefined ? description : '')
  return `<entry>
<title>${escapeXml(`${title} ${version}`)}</title>
<id>${escapeXml(page)}</id>
<link href="${escapeXml(page)}"/>
<updated>${published_at}</updated>
<author><name>${escapeXml(published_by)}</name></author>
<content type="html">${escapeXml(`<p>${escapeXml(words)}</p>${compare}`)}</content>
</entry>
`
}
