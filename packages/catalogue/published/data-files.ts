// Generates the data files of a whole catalogue, one at a time. They contain the responses of the read API.

import { membershipsPath, trustedJobsPath } from '../../../src/domain/access/memberships.ts'
import { DATA_FILES, MAX_RECENT, SORTS } from '../../../src/domain/api/data-paths.ts'
import { dependentsEnvelope, labelledEnvelope, listEnvelope } from '../../../src/domain/api/envelope.ts'
import { addressesBelow } from '../../../src/domain/api/record-links.ts'
import type {
  Activity,
  LabelledPrompt,
  MirrorEntry,
  ModelUse,
  RepositorySummary,
} from '../../../src/domain/api/schema.ts'
import { MAX_ACTIVITIES } from '../../../src/domain/catalogue/activity.ts'
import { compareNeighbours } from '../../../src/domain/catalogue/difference.ts'
import { sortResults } from '../../../src/domain/catalogue/results.ts'
import { usagePath } from '../../../src/domain/catalogue/usage.ts'
import { rowOf } from '../../../src/domain/catalogue/version-row.ts'
import {
  describeSkill,
  formatSkill,
  formatSkillIndex,
  latestSkill,
  type SkillIndexEntry,
} from '../../../src/domain/content/skill.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { compareText } from '../../../src/domain/text/compare-text.ts'
import { nameOfOriginal } from '../../../src/domain/values/names.ts'
import type { Catalogue } from '../catalogue.ts'
import { describeComposed, describeDependent, groupByPart, identify, listComposed } from '../dependents.ts'
import type { RecordDigests, RepositoryOutline, RepositoryRecords } from '../outline.ts'
import { joinWords } from '../same-words.ts'
import { groupUnlisted, unlistedPath, unlistedRecord } from '../unlisted.ts'
import { countUsage } from '../usage.ts'
import { formatChanges } from './changes-file.ts'
import { formatApi } from './openapi.ts'

/** A file to write: its path relative to the site's root, and its text. */
export type DataFile = readonly [path: string, text: string]

/** Computes the SHA-256 of a string's UTF-8 bytes, in lowercase hexadecimal. Passed in, because `domain` imports nothing from Node. */
type Digest = (text: string) => string

/** A file with data from several repositories. */
export interface SharedFile {
  path: string
  /** The sources of its text. Identical sources (`===`) in the same order produce the same text. */
  of: readonly unknown[]
  /** Generates its text. */
  format(): string
}

/** A catalogue's history, from git. */
export interface History {
  /** Activity before this time is unknown; null if the history is complete. */
  since: string | null
  /** Activity by full name, newest first. The list object stays the same as long as nothing is added to it. */
  changes: ReadonlyMap<string, readonly Activity[]>
  /** When the files of versions came to the branch, by full name: times by version, as JSON. */
  added: ReadonlyMap<string, string>
}

/** Generates the files with each repository's activity, except its publishes. */
export function* listHistoryFiles(
  { entries }: Pick<Catalogue, 'entries'>,
  { since, changes }: History,
): Generator<SharedFile> {
  yield { path: DATA_FILES.history(), of: [since], format: () => formatRecord({ since }) }
  for (const [fullName, list] of changes) {
    const [owner = '', name = ''] = fullName.split('/')
    if (entries.has(fullName) && list.length > 0)
      yield { path: DATA_FILES.activity(owner, name), of: [list], format: () => onOnePage(list) }
  }
}

/** Generates every data file of a catalogue. The same catalogue produces the same files in the same order. docs/contract.md section 4. */
export function* listDataFiles(catalogue: Catalogue, digest: Digest): Generator<DataFile> {
  for (const { path, format } of listSharedFiles(catalogue, digest)) yield [path, format()]
  for (const entry of catalogue.entries.values()) yield* listRepositoryFiles(entry)
}

/** Generates the files with data from several repositories: lists, tags, owners and the index. */
export function* listSharedFiles(catalogue: Catalogue, digest: Digest): Generator<SharedFile> {
  const { entries, listed, recent, users, tags, memberships, trustedJobs, isForReaders, baseUrl } = catalogue
  const digestsOf = ({ full_name }: RepositorySummary) => {
    const entry = entries.get(full_name)!
    return entry.digests ?? digestRecords(entry, digest)
  }
  const describe = (summary: RepositorySummary): string => {
    const { latest, record } = digestsOf(summary)
    const more: Omit<MirrorEntry, keyof RepositorySummary> = { latest_sha256: latest, record_sha256: record }
    return `${formatSummary(summary).slice(0, -1)},${JSON.stringify(more).slice(1)}`
  }
  const index = () => formatEnvelope(listed.top, onlyPageOf(listed.top), describe)
  yield { path: DATA_FILES.index(), of: listed.top, format: index }
  for (const sort of SORTS) yield* paginate(listed[sort], (page) => DATA_FILES.list(sort, page))
  yield listRecent(DATA_FILES.recent(), recent)
  yield { path: DATA_FILES.tags(), of: tags.flatMap(({ name, count }) => [name, count]), format: () => onOnePage(tags) }
  yield* listTagFiles(catalogue)
  const owners = [...users.values()].map(({ handle, repos_count }) => ({ handle, repos_count }))
  const ofOwners = owners.flatMap(({ handle, repos_count }) => [handle, repos_count])
  yield { path: DATA_FILES.users(), of: ofOwners, format: () => onOnePage(owners) }
  for (const user of users.values()) {
    const { repos, ...profile } = user
    const of = [...Object.values(profile), ...repos]
    yield { path: DATA_FILES.user(user.handle), of, format: () => formatRecord(user) }
    const skills = repos.flatMap((summary) => digestsOf(summary).skill ?? [])
    if (skills.length > 0)
      yield {
        path: DATA_FILES.skills(user.handle),
        of: skills.map(({ url, digest }) => `${url} ${digest}`),
        format: () => formatSkillIndex(skills),
      }
  }
  yield* listHubSkills(listed.top, (summary) => digestsOf(summary).skill)
  yield* listLabelFiles(catalogue)
  yield listModels(catalogue)
  const { trustedRoot } = catalogue
  if (trustedRoot)
    yield {
      path: DATA_FILES.trustedRoot(),
      of: [JSON.stringify(trustedRoot)],
      format: () => JSON.stringify(trustedRoot),
    }
  yield* listForkFiles(catalogue)
  yield* listIncludeFiles(catalogue)
  for (const [owner, usage] of countUsage(entries.values()))
    yield { path: usagePath(owner), of: [usage.prompts, usage.bytes], format: () => JSON.stringify(usage) }
  for (const [owner, outlines] of groupUnlisted(entries.values()))
    yield {
      path: unlistedPath(owner),
      of: outlines.flatMap(({ summary, movedTo }) => [summary, movedTo]),
      format: () => onOnePage(outlines.map(unlistedRecord)),
    }
  for (const [login, owners] of memberships)
    yield { path: membershipsPath(login), of: owners, format: () => JSON.stringify(owners) }
  for (const [repositoryId, trusted] of trustedJobs)
    yield { path: trustedJobsPath(repositoryId), of: [JSON.stringify(trusted)], format: () => JSON.stringify(trusted) }
  yield { path: DATA_FILES.openapi(), of: [], format: () => formatApi(baseUrl, isForReaders) }
}

/** How many skills the index of the whole hub lists. */
const MAX_HUB_SKILLS = 100

/** Generates the index of the hub's first skills, in `top` order. Clients install a skill under its name, so no name appears twice. */
function* listHubSkills(
  top: readonly RepositorySummary[],
  skillOf: (summary: RepositorySummary) => SkillIndexEntry | null,
): Generator<SharedFile> {
  const skills = new Map<string, SkillIndexEntry>()
  for (const summary of top) {
    if (skills.size === MAX_HUB_SKILLS) break
    const skill = summary.is_skill ? skillOf(summary) : null
    if (!skill) continue
    const name = skills.has(skill.name) ? `${skill.name}-by-${summary.owner}` : skill.name
    // A name that is too long, or taken again, belongs to a skill that its owner's index lists.
    if (name.length <= LIMITS.nameCharacters && !skills.has(name)) skills.set(name, { ...skill, name })
  }
  const listed = [...skills.values()]
  if (listed.length === 0) return
  yield {
    path: DATA_FILES.hubSkills(),
    of: listed.map(({ name, url, digest }) => `${name} ${url} ${digest}`),
    format: () => formatSkillIndex(listed),
  }
}

/** Computes a digest that identifies a repository's records. */
export function digestRecords({ repository }: Pick<RepositoryRecords, 'repository'>, digest: Digest): RecordDigests {
  const skill = latestSkill(repository)
  const words = joinWords(repository.content ?? '')
  return {
    latest: repository.content_sha256,
    words: words === undefined ? null : digest(words),
    record: digest(formatRecord(repository)),
    skill: skill ? describeSkill(skill, digest) : null,
  }
}

const formatRecord = (record: object) => JSON.stringify({ data: record })

/** Lists the data files of a version alone. They stay the same as long as its files and the next lower version do. */
export function listVersionPaths(owner: string, name: string, version: string): string[] {
  return [DATA_FILES.version, DATA_FILES.rawVersion, DATA_FILES.skill].map((pathOf) => pathOf(owner, name, version))
}

/** Generates the data files of one repository. @param unchanged the versions whose own files are left out */
export function* listRepositoryFiles(
  { repository, versions }: RepositoryRecords,
  unchanged: ReadonlySet<string> = new Set(),
): Generator<DataFile> {
  const { owner, name } = repository
  const records = versions.map(({ record }) => record)
  yield [DATA_FILES.repository(owner, name), formatRecord(repository)]
  const summaries = versions.map(({ summary }) => summary)
  yield [DATA_FILES.versions(owner, name), onOnePage(summaries.map(rowOf))]
  for (const page of listPages(summaries.length)) {
    const place = { page, size: LIMITS.versionPageSize, total: summaries.length }
    const shown = summaries.slice((page - 1) * LIMITS.versionPageSize, page * LIMITS.versionPageSize)
    yield [DATA_FILES.versionPage(owner, name, page), formatEnvelope(shown, place, JSON.stringify)]
  }
  yield [DATA_FILES.changes(owner, name), formatChanges(compareNeighbours(records), records.length)]
  if (repository.content !== null) yield [DATA_FILES.raw(owner, name), repository.content]
  for (const record of records) {
    if (unchanged.has(record.version)) continue
    yield [DATA_FILES.version(owner, name, record.version), formatRecord(record)]
    yield [DATA_FILES.rawVersion(owner, name, record.version), record.content]
    if (record.skill)
      yield [DATA_FILES.skill(owner, name, record.version), formatSkill({ ...record, skill: record.skill })]
  }
  yield* listResultFiles({ repository, versions })
}

/** Lists the numbers of the pages with a repository's versions. */
export function listPages(versions: number): number[] {
  return Array.from({ length: Math.ceil(versions / LIMITS.versionPageSize) }, (_, index) => index + 1)
}

/** Generates the files with the results of a repository: those of each version, and the newest of all versions. */
function* listResultFiles({ repository: { owner, name }, versions }: RepositoryRecords): Generator<DataFile> {
  const tested = versions.flatMap(({ summary: { version }, results = [] }) =>
    results.length > 0 ? [{ version, results }] : [],
  )
  if (tested.length === 0) return
  for (const { version, results } of tested) yield [DATA_FILES.results(owner, name, version), onOnePage(results)]
  const newest = sortResults(tested.flatMap(({ results }) => results)).slice(0, MAX_ACTIVITIES)
  yield [DATA_FILES.newestResults(owner, name), onOnePage(newest)]
}

/** Formats the envelope of a single-page list. */
export function onOnePage(records: readonly object[]): string {
  return formatEnvelope(records, onlyPageOf(records), JSON.stringify)
}

const onlyPageOf = ({ length }: readonly object[]) => ({ page: 1, size: Math.max(1, length), total: length })

/** Formats a summary. Its text is generated only once, because it appears in up to thirty lists of one build and again in the next build. */
const texts = new WeakMap<object, string>()

function formatSummary(summary: object): string {
  const text = texts.get(summary) ?? JSON.stringify(summary)
  texts.set(summary, text)
  return text
}

function formatEnvelope<Record extends object>(
  records: readonly Record[],
  place: { page: number; size: number; total: number },
  format: (record: Record) => string,
): string {
  const { meta } = listEnvelope([], place)
  // Joined once, because a build makes thousands of long lists.
  const texts = records.map((record) => format(record))
  texts[0] = `{"data":[${texts[0] ?? ''}`
  texts.push(`${texts.pop()}],"meta":${JSON.stringify(meta)}}`)
  return texts.join(',')
}

function* listTagFiles({ tags, listed, recent }: Catalogue): Generator<SharedFile> {
  for (const [tag, summaries] of groupByTag(tags, recent)) yield listRecent(DATA_FILES.recentlyTagged(tag), summaries)
  for (const sort of SORTS)
    for (const [tag, summaries] of groupByTag(tags, listed[sort]))
      yield* paginate(summaries, (page) => DATA_FILES.tagged(tag, sort, page))
}

/** Generates the files with an owner's listed prompts at each label in use. */
function* listLabelFiles({ entries, baseUrl }: Catalogue): Generator<SharedFile> {
  const addresses = addressesBelow(baseUrl)
  const all = [...entries.values()].flatMap(({ summary, isListed, labelled }) =>
    isListed ? labelled.map((each) => ({ ...each, summary })) : [],
  )
  const files = Map.groupBy(all, ({ summary, label }) => DATA_FILES.labelled(summary.owner, label))
  const describe = ({ summary: { owner, name, full_name }, version, content_sha256 }: (typeof all)[number]) =>
    ({ name, full_name, version, content_sha256, ...addresses.version(owner, name, version) }) satisfies LabelledPrompt
  for (const [path, found] of files) {
    const of = found.flatMap(({ summary, version, content_sha256 }) => [summary.full_name, version, content_sha256])
    yield { path, of, format: () => JSON.stringify(labelledEnvelope(found.map(describe))) }
  }
}

/** Maximum number of prompts listed for a model. */
const MAX_PROMPTS_OF_MODEL = 100

/** Lists the models that retire, soonest first, with the prompts that use them. */
function listModels({ models, entries, listed }: Catalogue): SharedFile {
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
  const format = () => onOnePage(uses)
  return { path: DATA_FILES.models(), of: [format()], format }
}

/** Generates the files with each repository's listed forks. */
function* listForkFiles({ recent }: Catalogue): Generator<SharedFile> {
  const forks = Map.groupBy(
    recent.filter(({ forked_from }) => forked_from !== null),
    ({ forked_from }) => nameOfOriginal(forked_from!),
  )
  for (const [original, summaries] of forks) {
    const [owner = '', name = ''] = original.split('/')
    yield listRecent(DATA_FILES.forks(owner, name), summaries)
  }
}

/** Generates the files with the prompts that include a prompt, and with each owner's prompts that include others. */
function* listIncludeFiles({ entries, listed, baseUrl }: Catalogue): Generator<SharedFile> {
  const composed = listComposed(entries, listed.top)
  for (const [part, dependents] of groupByPart(composed)) {
    // A part that was taken down has no address, so its dependents have none either.
    if (!entries.has(part)) continue
    const [owner = '', name = ''] = part.split('/')
    const format = () => JSON.stringify(dependentsEnvelope(dependents.map((one) => describeDependent(one, baseUrl))))
    yield { path: DATA_FILES.dependents(owner, name), of: dependents.flatMap(identify), format }
  }
  for (const [owner, prompts] of Map.groupBy(composed, ({ summary }) => summary.owner)) {
    const format = () => onOnePage(prompts.map((one) => describeComposed(one, baseUrl)))
    yield { path: DATA_FILES.composed(owner), of: prompts.flatMap(identify), format }
  }
}

/** Groups summaries by tag, preserving the order of tags and of the summaries in each. */
function groupByTag(tags: Catalogue['tags'], summaries: readonly RepositorySummary[]) {
  const tagged = new Map<string, RepositorySummary[]>(tags.map(({ name }) => [name, []]))
  for (const summary of summaries) for (const tag of summary.tags) tagged.get(tag)!.push(summary)
  return tagged
}

/** @param summaries most recently updated first */
function listRecent(path: string, summaries: readonly RepositorySummary[]): SharedFile {
  const recent = summaries.slice(0, MAX_RECENT)
  return { path, of: recent, format: () => formatEnvelope(recent, onlyPageOf(recent), formatSummary) }
}

/** Splits summaries into pages. Page 1 exists even if it is empty. */
function* paginate(summaries: readonly RepositorySummary[], pathOf: (page: number) => string): Generator<SharedFile> {
  const [{ pageSize: size }, total] = [LIMITS, summaries.length]
  for (let page = 1; page === 1 || (page - 1) * size < total; page++) {
    const records = summaries.slice((page - 1) * size, page * size)
    const format = () => formatEnvelope(records, { page, size, total }, formatSummary)
    yield { path: pathOf(page), of: [total, ...records], format }
  }
}

/** Lists the paths of one repository's data files: those of `listRepositoryFiles` in its order, then those of the files of its skills and of their list for APM. */
export function listRepositoryPaths({
  summary,
  releases,
  blobs = [],
  tested = [],
}: Pick<RepositoryOutline, 'summary' | 'releases' | 'blobs' | 'tested'>): string[] {
  const { owner, name, latest_version } = summary
  return [
    DATA_FILES.repository(owner, name),
    DATA_FILES.versions(owner, name),
    ...listPages(releases.length).map((page) => DATA_FILES.versionPage(owner, name, page)),
    DATA_FILES.changes(owner, name),
    ...(latest_version === null ? [] : [DATA_FILES.raw(owner, name)]),
    ...releases.flatMap(({ version, isSkill }) => [
      DATA_FILES.version(owner, name, version),
      DATA_FILES.rawVersion(owner, name, version),
      ...(isSkill ? [DATA_FILES.skill(owner, name, version)] : []),
    ]),
    ...tested.map((version) => DATA_FILES.results(owner, name, version)),
    ...(tested.length > 0 ? [DATA_FILES.newestResults(owner, name)] : []),
    ...blobs.map((sha256) => DATA_FILES.blob(owner, name, sha256)),
    ...(releases.some(({ isSkill }) => isSkill) ? [DATA_FILES.apm(owner, name)] : []),
  ]
}
