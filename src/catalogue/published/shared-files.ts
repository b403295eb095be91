// Generates the data files that combine several repositories (lists, tags, owners and the index), each when it is asked for.

import { membershipsPath, trustedJobsPath } from '../../domain/access/memberships.ts'
import { addressesBelow, DATA_FILES, MAX_RECENT, SORTS, unlistedPath } from '../../domain/api/data-paths.ts'
import { dependentsEnvelope, labelledEnvelope } from '../../domain/api/envelope.ts'
import type { Activity, LabelledPrompt, MirrorEntry, ModelUse, RepositorySummary } from '../../domain/api/schema.ts'
import { usagePath } from '../../domain/catalogue/usage.ts'
import {
  formatMarketplace,
  MAX_PLUGINS,
  type MarketplaceSkill,
  nameMarketplace,
} from '../../domain/content/marketplace.ts'
import { formatSkillIndex, type SkillIndexEntry } from '../../domain/content/skill.ts'
import { LIMITS } from '../../domain/limits.ts'
import { compareText } from '../../domain/text/plain-text.ts'
import { nameOfOriginal } from '../../domain/values/names.ts'
import type { Catalogue as AnyCatalogue } from '../catalogue.ts'
import { describeComposed, describeDependent, groupByPart, listComposed } from '../dependents.ts'
import type { OutlinedEntry } from '../entry.ts'
import { compareAges } from '../originals.ts'
import type { RecordDigests } from '../outline.ts'
import { countUsage, groupUnlisted, unlistedRecord } from '../owners.ts'
import { oncePer } from '../remember.ts'
import { formatEnvelope, formatRecord, formatSummary, onOnePage } from './format-data.ts'
import { formatApi } from './openapi.ts'

/** A catalogue's history, from git. */
export interface History {
  /** Activity before this time is unknown; null if the history is complete. */
  since: string | null
  /** Activity by full name, newest first. The list object stays the same as long as nothing is added to it. */
  changes: ReadonlyMap<string, readonly Activity[]>
  /** When the files of versions came to the branch, by full name: times by version, as JSON. */
  added: ReadonlyMap<string, string>
}

/** A catalogue without records. */
type Catalogue = AnyCatalogue<OutlinedEntry>

/** A file: its path, and a function that generates its text. */
type SharedFile = readonly [path: string, format: () => string]

/** The files of one kind. */
interface Shelf {
  /** Matches the paths of its files, and those that such a file could have in another catalogue. */
  pattern: RegExp
  /** Returns the files in a catalogue, by path. */
  filesOf: (catalogue: Catalogue) => ReadonlyMap<string, SharedFile[1]>
}

/** Generates the shared file of a catalogue at a path, or returns undefined if there is no such file. @param catalogue its entries have `digests` */
export function findSharedData(catalogue: Catalogue, path: string): string | undefined {
  return SHELVES.find(({ pattern }) => pattern.test(path))
    ?.filesOf(catalogue)
    .get(path)?.()
}

/** Lists the paths of all shared files of a catalogue, always in the same order. docs/contract.md section 4. */
export function* listSharedData(catalogue: Catalogue): Generator<string> {
  for (const { filesOf } of SHELVES) yield* filesOf(catalogue).keys()
}

/** A file of the history: its path, and a value that stays the same as long as its text does. */
interface HistoryFile {
  path: string
  of: unknown
  format: () => string
}

/** Generates the files with the activity of each repository, except its publishes. */
export function* listHistoryFiles({ entries }: Pick<Catalogue, 'entries'>, history: History): Generator<HistoryFile> {
  const { since, changes } = history
  yield { path: DATA_FILES.history(), of: since, format: () => formatRecord({ since }) }
  for (const [fullName, list] of changes) {
    const [owner = '', name = ''] = fullName.split('/')
    if (entries.has(fullName) && list.length > 0)
      yield { path: DATA_FILES.activity(owner, name), of: list, format: () => onOnePage(list) }
  }
}

/** Returns a pattern for paths. @param template a path with names in braces in place of some parts */
function patternOf(template: string): RegExp {
  return new RegExp(`^${RegExp.escape(template).replaceAll(/\\\{\w+\\\}/g, '([^/]+)')}$`)
}

function shelf(paths: string | RegExp, list: (catalogue: Catalogue) => Iterable<SharedFile>): Shelf {
  return {
    pattern: typeof paths === 'string' ? patternOf(paths) : paths,
    // Listed once, so that a file exists if and only if it is listed.
    filesOf: oncePer((catalogue) => new Map(list(catalogue))),
  }
}

const single = (path: string, format: (catalogue: Catalogue) => string) =>
  shelf(path, (catalogue) => [[path, () => format(catalogue)]])

/** Every kind of shared file that is made from the catalogue alone. */
const SHELVES: readonly Shelf[] = [
  single(DATA_FILES.index(), formatIndex),
  ...SORTS.map((sort) =>
    shelf(DATA_FILES.list(sort, '{page}'), ({ listed }) =>
      paginate(listed[sort], (page) => DATA_FILES.list(sort, page)),
    ),
  ),
  single(DATA_FILES.recent(), ({ recent }) => formatRecent(recent)),
  single(DATA_FILES.tags(), ({ tags }) => onOnePage(tags)),
  shelf(DATA_FILES.recentlyTagged('{tag}'), ({ tags, recent }) =>
    groupByTag(tags, recent).map(([tag, summaries]) => [DATA_FILES.recentlyTagged(tag), () => formatRecent(summaries)]),
  ),
  ...SORTS.map((sort) =>
    shelf(DATA_FILES.tagged('{tag}', sort, '{page}'), ({ tags, listed }) =>
      groupByTag(tags, listed[sort]).flatMap(([tag, summaries]) => [
        ...paginate(summaries, (page) => DATA_FILES.tagged(tag, sort, page)),
      ]),
    ),
  ),
  single(DATA_FILES.users(), ({ users }) =>
    onOnePage([...users.values()].map(({ handle, repos_count }) => ({ handle, repos_count }))),
  ),
  shelf(DATA_FILES.user('{handle}'), ({ users }) =>
    users.entries().map(([handle, user]) => [
      DATA_FILES.user(handle),
      () => {
        const { repos, ...profile } = user
        const more = `"repos":[${repos.map(formatSummary).join(',')}]`
        return `{"data":${JSON.stringify(profile).slice(0, -1)},${more}}}`
      },
    ]),
  ),
  shelf(DATA_FILES.skills('{owner}'), listOwnSkills),
  shelf(/^\/data\/v1\/skills(?:\/pages\/\d+)?\.json$/, listHubSkills),
  shelf(DATA_FILES.marketplace('{owner}'), listOwnMarketplaces),
  shelf(DATA_FILES.hubMarketplace(), listHubMarketplace),
  shelf(DATA_FILES.labelled('{handle}', '{label}'), listLabels),
  single(DATA_FILES.models(), formatModels),
  shelf(DATA_FILES.trustedRoot(), ({ trustedRoot }) =>
    trustedRoot ? [[DATA_FILES.trustedRoot(), () => JSON.stringify(trustedRoot)]] : [],
  ),
  shelf(DATA_FILES.forks('{owner}', '{name}'), listForks),
  shelf(DATA_FILES.dependents('{owner}', '{name}'), listDependents),
  shelf(DATA_FILES.composed('{handle}'), listComposedByOwner),
  shelf(usagePath('{owner}'), ({ entries }) =>
    countUsage(entries.values()).map(([owner, usage]) => [usagePath(owner), () => JSON.stringify(usage)]),
  ),
  shelf(unlistedPath('{owner}'), ({ entries }) =>
    groupUnlisted(entries.values())
      .entries()
      .map(([owner, outlines]) => [unlistedPath(owner), () => onOnePage(outlines.map(unlistedRecord))]),
  ),
  shelf(/^\/data\/accounts\/(?:(?:ids|oidc)\/)?[^/]+$/, ({ memberships }) =>
    memberships.entries().map(([member, owners]) => [membershipsPath(member), () => JSON.stringify(owners)]),
  ),
  shelf(trustedJobsPath('{repository}'), ({ trustedJobs }) =>
    trustedJobs
      .entries()
      .map(([repositoryId, trusted]) => [trustedJobsPath(repositoryId), () => JSON.stringify(trusted)]),
  ),
  single(DATA_FILES.openapi(), ({ baseUrl, isForReaders }) => formatApi(baseUrl, isForReaders)),
]

function digestsOf({ entries }: Catalogue, { full_name }: RepositorySummary): RecordDigests {
  return entries.get(full_name)!.digests!
}

/** Formats what a mirror needs beside a summary. */
const formatMirrored = oncePer(({ latest, record }: RecordDigests) => {
  const more: Omit<MirrorEntry, keyof RepositorySummary> = { latest_sha256: latest, record_sha256: record }
  return JSON.stringify(more).slice(1)
})

function formatIndex(catalogue: Catalogue): string {
  return onOnePage(
    catalogue.listed.top,
    (summary) => `${formatSummary(summary).slice(0, -1)},${formatMirrored(digestsOf(catalogue, summary))}`,
  )
}

/** Generates each owner's index of skills. */
function* listOwnSkills(catalogue: Catalogue): Generator<SharedFile> {
  for (const [handle, { repos }] of catalogue.users) {
    const skills = repos.flatMap((summary) => digestsOf(catalogue, summary).skill ?? [])
    if (skills.length > 0) yield [DATA_FILES.skills(handle), () => formatSkillIndex(skills)]
  }
}

/** How many skills a page of the index of the whole hub lists. */
const SKILLS_ON_PAGE = 100

/** Generates the pages of the index of all skills, in `top` order. Clients install a skill under its name, so no name appears twice. */
function* listHubSkills(catalogue: Catalogue): Generator<SharedFile> {
  const named = new Map<string, SkillIndexEntry>()
  for (const summary of catalogue.listed.top) {
    const skill = summary.kind === 'skill' ? digestsOf(catalogue, summary).skill : null
    if (!skill) continue
    const name = named.has(skill.name) ? `${skill.name}-by-${summary.owner}` : skill.name
    // A name that is too long, or taken again, belongs to a skill that its owner's index lists.
    if (name.length <= LIMITS.nameCharacters && !named.has(name)) named.set(name, { ...skill, name })
  }
  const skills = [...named.values()]
  for (let page = 1; (page - 1) * SKILLS_ON_PAGE < skills.length; page++) {
    const end = page * SKILLS_ON_PAGE
    const next = end < skills.length ? `/.well-known/agent-skills/index.json?page=${page + 1}` : null
    yield [DATA_FILES.hubSkills(page), () => formatSkillIndex(skills.slice(end - SKILLS_ON_PAGE, end), next)]
  }
}

/** Generates each owner's skills as plugins. */
function* listOwnMarketplaces(catalogue: Catalogue): Generator<SharedFile> {
  const { baseUrl } = catalogue
  for (const [owner, { repos }] of catalogue.users) {
    const skills = repos.flatMap((summary) => pluginOf(catalogue, summary) ?? [])
    if (skills.length > 0)
      yield [DATA_FILES.marketplace(owner), () => formatMarketplace({ name: owner, owner }, skills, baseUrl)]
  }
}

/** Generates the hub's first skills as plugins, in `top` order. Of several with one name the oldest is there, because a plugin's own manifest has its name, and what people installed must not become another's when ranks change. */
function* listHubMarketplace(catalogue: Catalogue): Generator<SharedFile> {
  const { baseUrl } = catalogue
  const found = new Map<string, RepositorySummary>()
  for (const summary of catalogue.listed.top) {
    const before = found.get(summary.name)
    const isNext = before ? compareAges(summary, before) < 0 : found.size < MAX_PLUGINS
    if (isNext && summary.kind === 'skill') found.set(summary.name, summary)
  }
  const skills = [...found.values()].flatMap((summary) => pluginOf(catalogue, summary) ?? [])
  const of = { name: nameMarketplace(baseUrl), owner: undefined }
  if (skills.length > 0) yield [DATA_FILES.hubMarketplace(), () => formatMarketplace(of, skills, baseUrl)]
}

function pluginOf(catalogue: Catalogue, summary: RepositorySummary): MarketplaceSkill | undefined {
  if (summary.kind !== 'skill') return undefined
  const { skill, plugin } = digestsOf(catalogue, summary)
  return skill ? { ...skill, owner: summary.owner, sha256: plugin ?? undefined } : undefined
}

/** Generates the files with an owner's listed prompts at each label in use. */
function* listLabels({ entries, baseUrl }: Catalogue): Generator<SharedFile> {
  const addresses = addressesBelow(baseUrl)
  const all = [...entries.values()].flatMap(({ summary, isListed, labelled }) =>
    isListed ? labelled.map((each) => ({ ...each, summary })) : [],
  )
  const files = Map.groupBy(all, ({ summary, label }) => DATA_FILES.labelled(summary.owner, label))
  const describe = ({ summary: { owner, name, full_name }, version, content_sha256 }: (typeof all)[number]) =>
    ({ name, full_name, version, content_sha256, ...addresses.version(owner, name, version) }) satisfies LabelledPrompt
  for (const [path, found] of files) yield [path, () => JSON.stringify(labelledEnvelope(found.map(describe)))]
}

/** Maximum number of prompts listed for a model. */
const MAX_PROMPTS_OF_MODEL = 100

/** Formats the list of the models that retire, soonest first, with the prompts that use them. */
function formatModels({ models, entries, listed }: Catalogue): string {
  const users = Map.groupBy(models.size === 0 ? [] : listed.top, ({ full_name, latest_version }) => {
    const { releases } = entries.get(full_name)!
    return releases.find(({ version }) => version === latest_version)?.model
  })
  const uses = [...models.values()]
    .sort((a, b) => compareText(a.retires_at, b.retires_at) || compareText(a.model, b.model))
    .map((status): ModelUse => {
      const prompts = users.get(status.model) ?? []
      const names = prompts.slice(0, MAX_PROMPTS_OF_MODEL).map(({ full_name }) => full_name)
      return { ...status, prompts_count: prompts.length, prompts: names }
    })
  return onOnePage(uses)
}

/** Generates the files with each repository's listed forks. */
function* listForks({ recent }: Catalogue): Generator<SharedFile> {
  const forks = Map.groupBy(
    recent.filter(({ forked_from }) => forked_from !== null),
    ({ forked_from }) => nameOfOriginal(forked_from!),
  )
  for (const [original, summaries] of forks) {
    const [owner = '', name = ''] = original.split('/')
    yield [DATA_FILES.forks(owner, name), () => formatRecent(summaries)]
  }
}

const composedOf = oncePer(({ entries, listed }: Catalogue) => listComposed(entries, listed.top))

/** Generates the files with the prompts that include a prompt. */
function* listDependents(catalogue: Catalogue): Generator<SharedFile> {
  const { entries, baseUrl } = catalogue
  for (const [part, dependents] of groupByPart(composedOf(catalogue))) {
    // A part that was taken down has no address, so its dependents have none either.
    if (!entries.has(part)) continue
    const [owner = '', name = ''] = part.split('/')
    const describe = () => dependents.map((one) => describeDependent(one, baseUrl))
    yield [DATA_FILES.dependents(owner, name), () => JSON.stringify(dependentsEnvelope(describe()))]
  }
}

/** Generates the files with each owner's prompts that include others. */
function* listComposedByOwner(catalogue: Catalogue): Generator<SharedFile> {
  for (const [owner, prompts] of Map.groupBy(composedOf(catalogue), ({ summary }) => summary.owner)) {
    const describe = () => prompts.map((one) => describeComposed(one, catalogue.baseUrl))
    yield [DATA_FILES.composed(owner), () => onOnePage(describe())]
  }
}

/** Groups summaries by tag, preserving the order of tags and of the summaries in each. */
function groupByTag(tags: Catalogue['tags'], summaries: readonly RepositorySummary[]) {
  const tagged = new Map<string, RepositorySummary[]>(tags.map(({ name }) => [name, []]))
  for (const summary of summaries) for (const tag of summary.tags) tagged.get(tag)!.push(summary)
  return [...tagged]
}

/** @param summaries most recently updated first */
function formatRecent(summaries: readonly RepositorySummary[]): string {
  return onOnePage(summaries.slice(0, MAX_RECENT), formatSummary)
}

/** Splits summaries into pages. Page 1 exists even if it is empty. */
function* paginate(summaries: readonly RepositorySummary[], pathOf: (page: number) => string): Generator<SharedFile> {
  const [{ pageSize: size }, total] = [LIMITS, summaries.length]
  for (let page = 1; page === 1 || (page - 1) * size < total; page++) {
    const format = () =>
      formatEnvelope(summaries.slice((page - 1) * size, page * size), { page, size, total }, formatSummary)
    yield [pathOf(page), format]
  }
}
