// Writes Atom feeds (RFC 4287) for all prompts, an owner, a tag or a single prompt. Each version's entry links to the comparison with the previous version.

import type { Activity, ModelUse, RepositorySummary } from '../domain/api/schema.ts'
import { describeActivity, listTests } from '../domain/catalogue/activity.ts'
import { CLOCK_SKEW_MS } from '../domain/limits.ts'
import { formatDay } from '../domain/text/days.ts'
import { escapeXml } from '../domain/text/html-text.ts'
import { compareText } from '../domain/text/plain-text.ts'
import { comparePage, repositoryPage, versionPage } from './links.ts'
import type { PageLocals } from './rendering.ts'

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
  const times = changes.map(({ at }) => at)
  const changed = changes.map((change, index) => describeChange(address, title, change, timeAt(times, index)))
  const entries = [...changed, ...news.flat(), ...tested.flat()].sort((a, b) => b.order - a.order).slice(0, MAX_ENTRIES)
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
  return formatFeed({ title, id: self, page: `${baseUrl}/docs/filling#models-that-retire`, self, entries })
}

/** Returns the newest of some times that are not ahead. */
const newestOf = (times: readonly string[]): string =>
  times
    .filter((at) => Date.parse(at) <= latestTime())
    .toSorted(compareText)
    .at(-1) ?? UNKNOWN_TIME

/** The time of an entry whose real time is unknown. */
const UNKNOWN_TIME = '1970-01-01T00:00:00Z'

/** Maximum number of prompts in the entry of a model. */
const MAX_PROMPTS = 20

async function describeModel(use: ModelUse, baseUrl: string, hub: PageLocals['hub']): Promise<Entry> {
  const { model, retires_at, replaced_by, source, prompts, prompts_count } = use
  const named = prompts.slice(0, MAX_PROMPTS)
  const found = await Promise.all(named.map((name) => hub?.findRepository(...(name.split('/') as [string, string]))))
  const links = named.map((name) => `<li><a href="${baseUrl}${repositoryPage(name)}">${escapeXml(name)}</a></li>`)
  const more = prompts_count > named.length ? `<li>and ${prompts_count - named.length} more</li>` : ''
  const advice = replaced_by === null ? '' : `<p>Its provider recommends ${escapeXml(replaced_by)}.</p>`
  const page = source ?? `${baseUrl}/docs/filling#models-that-retire`
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

/** Returns the time since when readers could have a version, or a change was made. One that is dated ahead has the time of the one before it, because its real time is unknown. @param times newest first */
function timeAt(times: readonly string[], index: number): string {
  return times.slice(index).find((at) => Date.parse(at) <= latestTime()) ?? UNKNOWN_TIME
}

/** Returns entries for the newest versions of a prompt, at most as many as a feed can contain. */
async function listReleases({ hub, profile }: PageLocals, prompt: RepositorySummary): Promise<Entry[]> {
  const { owner, name, full_name, title, description } = prompt
  const versions = (await hub?.listVersions(owner, name, 1))?.data ?? []
  const times = versions.map(({ available_at }) => available_at)
  return versions.slice(0, MAX_ENTRIES).flatMap(({ version, changelog, published_by, yanked }, index) => {
    if (yanked) return []
    const link = profile.baseUrl + versionPage(full_name, version)
    const previous = versions[index + 1]?.version
    const words = escapeXml(changelog || (previous === undefined ? description : ''))
    const compare =
      previous === undefined
        ? ''
        : ` <a href="${profile.baseUrl}${comparePage(full_name, previous, version)}">What changed since ${previous}</a>`
    const about = { id: link, link, title: `${title} ${version}`, type: 'html' as const }
    const at = timeAt(times, index)
    return {
      ...about,
      at,
      order: Date.parse(at),
      author: published_by,
      content: words === '' ? compare.trim() : `<p>${words}</p>${compare}`,
    }
  })
}

/** Returns entries for the newest results of a prompt. */
async function listTested(
  { hub, profile }: PageLocals,
  { owner, name, full_name, title }: RepositorySummary,
): Promise<Entry[]> {
  const results = (await hub?.findNewestResults(owner, name)) ?? []
  const tests = listTests(results.slice(0, MAX_ENTRIES))
  const times = tests.map(({ at }) => at)
  const page = profile.baseUrl + repositoryPage(full_name)
  return tests.map((change, index) => describeChange(page, title, change, timeAt(times, index)))
}

/** Returns the entry for a change. A change has no page, so its entry links to the activity list on the prompt's page. */
function describeChange(page: string, title: string, change: Activity, time: string): Entry {
  const { at, by: author, commit, type, label, version, suite } = change
  const content = describeActivity(change)
  const id = `${page}#${[commit ?? at, type, label ?? version ?? '', ...(suite ? [suite] : [])].join('-')}`
  const about = { id, link: `${page}#activity`, title: `${title}: ${content}`, type: 'text' as const }
  return { ...about, at: time, order: Date.parse(time), author, content }
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
