// Collects the data for a prompt's page: its records, and related parts of the catalogue.
import type {
  Activity,
  OwnerCount,
  Repository,
  Result,
  VersionRecord,
  VersionRow,
  VersionSummary,
} from '../../domain/api/schema.ts'
import { countHidden } from '../../domain/content/hidden-characters.ts'
import { findModelNotice, type ModelNotice } from '../../domain/content/models.ts'
import { summariseAdded } from '../../domain/inspect/describe.ts'
import type { Capability } from '../../domain/inspect/kinds.ts'
import { isChatMessage } from '../../domain/values/chat.ts'
import { nameOfOriginal } from '../../domain/values/names.ts'
import { findLicensePage, ownerPage, repositoryPage, versionPage } from '../links.ts'
import { renderMarkdown } from '../markdown.ts'
import type { PageHead } from '../page-head.ts'
import type { PageLocals } from '../rendering.ts'
import { readParts, type ShownPart, tagsOfParts } from './parts.ts'
import { renderContents } from './prompt-text.ts'
import { readShownFiles, type ShownFile } from './skill-files.ts'

/** A prompt at one of its versions. */
export interface PromptView {
  repository: Repository
  /** All of the prompt's versions in brief, highest first, including yanked versions, which are marked. */
  versions: readonly VersionRow[]
  /** The versions that are known to break callers. */
  breaking: readonly string[]
  /** Its newest versions: the first page of the list. */
  newest: readonly VersionSummary[]
  /** The version shown; undefined if none is active. */
  record: VersionRecord | undefined
  /** Whether this is the repository's page rather than a version's page. */
  isMain: boolean
  /** The publishers who have a page. */
  people: string[]
  /** The prompt's tags that have a page; tags used only by unlisted repositories have none. */
  tags: string[]
  /** The prompt's activity, newest first; empty on a version's page. */
  activities: Activity[]
  /** The time before which only publishes were recorded, or null. */
  activitySince: string | null
  /** The results of the version shown, newest first. */
  results: readonly Result[]
  /** What the version shown can do. */
  capabilities: readonly Capability[]
  /** What it can do, in words, that the version before it cannot; empty on a version's page. */
  gained: string
  /** The newest forks of the prompt. */
  forks: string[]
  /** What the version includes. */
  parts: readonly ShownPart[]
  /** Number of prompts that include this one. */
  dependents: number
  /** The prompt that it was forked from, if it still exists. */
  origin: string | undefined
  /** The reasons why the page shows older content than the files contain; usually empty. */
  broken: readonly string[]
  /** The readme as HTML; empty on a version's page. */
  readme: string
  /** The content as HTML; of a chat prompt, each message. */
  drawn: readonly string[]
  /** The files of the version. */
  files: readonly ShownFile[]
  /** Number of hidden characters in the content. */
  unseen: number
  /** What to say about the version's model, if it is about to retire or has retired. */
  model: ModelNotice | undefined
  /** When the words about the model change next, in milliseconds; undefined if they never do. */
  modelChangesAt: number | undefined
}

/** Reads the data for a prompt's page. @param version the version shown on the page; omitted for the repository's page @returns undefined if there is no such prompt or version */
export async function readPrompt(
  { hub }: PageLocals,
  owner: string,
  name: string,
  version?: string,
): Promise<PromptView | undefined> {
  if (!hub) return undefined
  const [repository, versions, newest, breaking] = await Promise.all([
    hub.findRepository(owner, name),
    hub.findVersions(owner, name),
    hub.listVersions(owner, name, 1),
    hub.listBreaking(owner, name),
  ])
  const wanted = version ?? repository?.latest_version
  if (!repository || !versions || !newest) return undefined
  const forkedFrom = repository.forked_from === null ? '' : nameOfOriginal(repository.forked_from)
  const [record, users, tags, forks, dependents, original, activity] = await Promise.all([
    typeof wanted === 'string' ? hub.findVersion(owner, name, wanted) : undefined,
    hub.listOwners(),
    hub.listTags(),
    hub.listForks(owner, name),
    hub.listDependents(owner, name),
    hub.findRepository(...(forkedFrom.split('/') as [string, string])),
    version === undefined ? hub.findActivity(owner, name) : undefined,
  ])
  if (version !== undefined && !record) return undefined
  const { readme, title } = repository
  const [files, results, parts, capabilities] = await Promise.all([
    record ? readShownFiles(hub, record) : [],
    record ? hub.findResults(owner, name, record.version) : [],
    record ? readParts(hub, record) : [],
    record ? hub.findCapabilities(record) : [],
  ])
  const before = version === undefined ? (record?.previous_version ?? null) : null
  const older = before === null ? undefined : await hub.findVersion(owner, name, before)
  const gained = older ? summariseAdded(await hub.findCapabilities(older), capabilities) : ''
  const texts = record ? textsOf(record) : []
  const publishers = [...versions, ...results].map((one) =>
    'published_by' in one ? one.published_by : one.reported_by,
  )
  const used = new Set(tags.map((tag) => tag.name))
  const shown = versions.find((summary) => summary.version === record?.version)
  const { notice, changesAt } = findModelNotice(shown?.model_status ?? null, Date.now())
  return {
    repository,
    versions,
    breaking,
    record,
    newest: newest.data,
    isMain: version === undefined,
    people: listPeople(publishers, users),
    tags: repository.tags.filter((tag) => used.has(tag)),
    results,
    capabilities,
    gained,
    forks: forks.map(({ full_name }) => full_name),
    parts,
    dependents: dependents.meta.total,
    origin: original?.full_name,
    activities: activity?.activities ?? [],
    activitySince: activity?.since ?? null,
    broken: hub.brokenOf(repository.full_name),
    readme: version === undefined && readme !== '' ? renderMarkdown(readme, { title }) : '',
    drawn: renderContents(texts, record?.variables ?? []),
    files,
    unseen: countHidden(texts.join('\n')),
    model: notice,
    modelChangesAt: changesAt,
  }
}

/** Returns those who have a page, each once. */
export function listPeople(handles: readonly string[], users: readonly OwnerCount[]): string[] {
  const known = new Set(users.map(({ handle }) => handle))
  return [...new Set(handles)].filter((handle) => known.has(handle))
}

function textsOf({ messages, content }: VersionRecord): string[] {
  return messages ? messages.filter(isChatMessage).map((message) => message.content) : [content]
}

/** Sets when a prompt's page changes without a publish, and the tags of the publishes that change it. */
export function setPageHeaders(headers: Headers, { modelChangesAt, parts }: PromptView): void {
  if (modelChangesAt !== undefined) headers.set('Expires', new Date(modelChangesAt).toUTCString())
  if (parts.length > 0) headers.set('Cache-Tag', tagsOfParts(parts).join(','))
}

/** Returns whether a repository appears in lists, tags, search and the sitemap. */
export const isListed = ({ status, moved_to, latest_version }: Repository): boolean =>
  status !== 'archived' && moved_to === null && latest_version !== null

/** Returns the page's head metadata, for search engines, link previews and other programs. */
export function describePrompt({ repository, versions, record, isMain }: PromptView, baseUrl: string): PageHead {
  const { owner, full_name, title, description, latest_version, tags, license, created_at, updated_at } = repository
  const path = isMain || record === undefined ? repositoryPage(full_name) : versionPage(full_name, record.version)
  const canonical = record && record.version === latest_version ? repositoryPage(full_name) : path
  const isYanked = versions.some(({ version, yanked }) => version === record?.version && yanked)
  return {
    title: isMain ? `${title} · ${full_name}` : `${title} ${record?.version} · ${full_name}`,
    description: description || `${title}, a prompt by ${owner}.`,
    path,
    canonical,
    isListed: isListed(repository) && !isYanked,
    card: `/badges/${full_name}.png`,
    feed: `/${full_name}/feed.xml`,
    facts: {
      '@context': 'https://schema.org',
      '@type': 'CreativeWork',
      name: title,
      description,
      url: baseUrl + canonical,
      version: record?.version,
      author: { '@type': 'Organization', name: owner, url: baseUrl + ownerPage(owner) },
      dateCreated: created_at,
      dateModified: updated_at,
      keywords: tags.join(', '),
      license: findLicensePage(license),
    },
  }
}
