// Writes Atom feeds (RFC 4287) for all prompts, an owner, a tag or a single prompt. Each version's entry links to the comparison with the previous version.

import type { Activity, ModelUse, RepositorySummary } from '../domain/api/schema.ts'
import { describeActivity, listTests } from '../domain/catalogue/activity.ts'
import { CLOCK_SKEW_MS } from '../domain/limits.ts'
import { compareText } from '../domain/text/compare-text.ts'
import { formatDay } from '../domain/text/days.ts'
import { escapeXml } from '../domain/text/html-text.ts'
import type { PageLocals } from '../ports/pages.ts'
import { comparePage, repositoryPage, versionPage } from './links.ts'

/** Maximum number of entries in a feed. */
const MAX_ENTRIES = 30

interface Feed {
  /** The path of the page that the feed belongs to. */
  path: string
  title: string
  /** Prompts, most recently updated first. Only the first `MAX_ENTRIES` prompts can contribute to the newest entries, so the rest are not read. */
  prompts: readonly RepositorySummary[]
  /** Other activity, only for the feed of a single prompt. */
  changes?: readonly Activity[]
  /** Whether the results of the prompts' test suites are entries too. */
  hasResults?: boolean
}

interface Entry {
  id: string
  at: string
  /** The time by which entries are sorted, in milliseconds. */
  order: number
  title: string
  link: string
  author: string
  type: 'text' | 'html'
  content: string
}

/** Responds with a feed. */
export async function respondWithFeed(
  locals: PageLocals,
  { path, title, prompts, changes = [], hasResults = false }: Feed,
): Promise<Response> {
  const { baseUrl } = locals.profile
  const address = baseUrl + path
  const shown = prompts.slice(0, MAX_ENTRIES)
  const [news, tested] = await Promise.all([
    Promise.all(shown.map((prompt) => listReleases(locals, prompt))),
    Promise.all(hasResults ? shown.map((prompt) => listTested(locals, prompt)) : []),
  ])
  // A change in the second of a publish is newer than it.
  const entries = [...changes.map((change) => describeChange(address, title, change)), ...news.flat(), ...tested.flat()]
    .sort((a, b) => b.order - a.order)
    .slice(0, MAX_ENTRIES)
  const self = `${path === '/' ? baseUrl : address}/feed.xml`
  return formatFeed({ title, page: address, self, entries })
}

/**
 * Responds with the feed of the models that retire and that a listed prompt uses, soonest first.
 *
 * An entry has the day of the retirement in its ID, so that a new date is a new entry. Its time is that of the newest of
 * its prompts: the list of models does not say when a retirement was announced, and the retirement lies ahead.
 */
export async function respondWithModelFeed({ hub, profile: { baseUrl, look } }: PageLocals): Promise<Response> {
  const uses = ((await hub?.listModels()) ?? []).filter(({ prompts_count }) => prompts_count > 0).slice(0, MAX_ENTRIES)
  const entries = await Promise.all(uses.map((use) => describeModel(use, baseUrl, hub)))
  const self = `${baseUrl}/models.xml`
  const title = `Models that retire: ${look.name}`
  return formatFeed({ title, id: self, page: `${baseUrl}/docs/models`, self, entries })
}

/** Returns the newest of some times that are not ahead. */
const newestOf = (times: readonly string[]): string =>
  times
    .filter((at) => Date.parse(at) <= latestTime())
    .toSorted(compareText)
    .at(-1) ?? '1970-01-01T00:00:00Z'

/** Maximum number of prompts in the entry of a model. */
const MAX_PROMPTS = 20

async function describeModel(use: ModelUse, baseUrl: string, hub: PageLocals['hub']): Promise<Entry> {
  const { model, retires_at, replaced_by, source, prompts, prompts_count } = use
  const named = prompts.slice(0, MAX_PROMPTS)
  const found = await Promise.all(named.map((name) => hub?.findRepository(...(name.split('/') as [string, string]))))
  const links = named.map((name) => `<li><a href="${baseUrl}${repositoryPage(name)}">${escapeXml(name)}</a></li>`)
  const more = prompts_count > named.length ? `<li>and ${prompts_count - named.length} more</li>` : ''
  const advice = replaced_by === null ? '' : `<p>Its provider recommends ${escapeXml(replaced_by)}.</p>`
  const page = source ?? `${baseUrl}/docs/models`
  return {
    id: `${baseUrl}/models.xml#${encodeURIComponent(model)}-${retires_at}`,
    at: newestOf(found.flatMap((repository) => repository?.updated_at ?? [])),
    order: 0,
    title: `${model} retires on ${formatDay(retires_at)}`,
    link: page,
    author: new URL(page).hostname,
    type: 'html',
    content: `${advice}<ul>${links.join('')}${more}</ul>`,
  }
}

interface FeedText {
  title: string
  /** Default: the page. */
  id?: string
  /** The page that the feed belongs to. */
  page: string
  /** The URL of the feed. */
  self: string
  entries: readonly Entry[]
}

function formatFeed({ title, page, id = page, self, entries }: FeedText): Response {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${escapeXml(title)}</title>
<id>${escapeXml(id)}</id>
<link href="${escapeXml(page)}"/>
<link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>
<updated>${newestOf(entries.map(({ at }) => at))}</updated>
${entries.map(formatEntry).join('')}</feed>
`
  return new Response(text, { headers: { 'Content-Type': 'text/xml; charset=utf-8' } })
}

/** The latest time that a version can have been published, in milliseconds. */
const latestTime = () => Date.now() + CLOCK_SKEW_MS

/** Returns the time by which a version is sorted: a version dated ahead sorts with the version before it, or last, because its real time is unknown. */
function orderOf(versions: readonly { published_at: string }[], index: number): number {
  const version = versions.slice(index).find(({ published_at }) => Date.parse(published_at) <= latestTime())
  return version ? Date.parse(version.published_at) : 0
}

/** Returns entries for the newest versions of a prompt, at most as many as a feed can contain. */
async function listReleases({ hub, profile }: PageLocals, prompt: RepositorySummary): Promise<Entry[]> {
  const { owner, name, full_name, title, description } = prompt
  const versions = (await hub?.findVersions(owner, name)) ?? []
  return versions.slice(0, MAX_ENTRIES).flatMap(({ version, changelog, published_at, published_by, yanked }, index) => {
    if (yanked) return []
    const link = profile.baseUrl + versionPage(full_name, version)
    const previous = versions[index + 1]?.version
    const words = escapeXml(changelog || (previous === undefined ? description : ''))
    const compare =
      previous === undefined
        ? ''
        : ` <a href="${profile.baseUrl}${comparePage(full_name, previous, version)}">What changed since ${previous}</a>`
    const about = { id: link, link, title: `${title} ${version}`, type: 'html' as const }
    const order = orderOf(versions, index)
    return { ...about, at: published_at, order, author: published_by, content: `<p>${words}</p>${compare}` }
  })
}

/** Returns entries for the newest results of a prompt. */
async function listTested(
  { hub, profile }: PageLocals,
  { owner, name, full_name, title }: RepositorySummary,
): Promise<Entry[]> {
  const results = (await hub?.findNewestResults(owner, name)) ?? []
  return listTests(results.slice(0, MAX_ENTRIES)).map((change) =>
    describeChange(profile.baseUrl + repositoryPage(full_name), title, change),
  )
}

/** Returns the entry for a change. A change has no page, so its entry links to the activity list on the prompt's page. */
function describeChange(page: string, title: string, change: Activity): Entry {
  const { at, by: author, commit, type, label, version, suite } = change
  const content = describeActivity(change)
  const id = `${page}#${[commit ?? at, type, label ?? version ?? '', ...(suite ? [suite] : [])].join('-')}`
  const about = { id, link: `${page}#activity`, title: `${title}: ${content}`, type: 'text' as const }
  return { ...about, at, order: Date.parse(at), author, content }
}

function formatEntry({ id, at, title, link, author, type, content }: Entry): string {
  return `<entry>
<title>${escapeXml(title)}</title>
<id>${escapeXml(id)}</id>
<link href="${escapeXml(link)}"/>
<updated>${at}</updated>
<author><name>${escapeXml(author)}</name></author>
<content type="${type}">${escapeXml(content)}</content>
</entry>
`
}
