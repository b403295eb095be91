// Reads the data files as they are now. What was written since the build comes from the fresh copies, through the same functions as the responses of the API.

import { type Bytes, parseBuilt, type SiteFiles } from '../../built/site-files.ts'
import { formatChanges } from '../../catalogue/published/format-data.ts'
import { runInPlace } from '../../concurrency/long-work.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import { capabilitiesEnvelope, onlyPage } from '../../domain/api/envelope.ts'
import type { Difference } from '../../domain/api/schema.ts'
import { compareForCallers } from '../../domain/catalogue/difference.ts'
import { formatSkill } from '../../domain/content/skill.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isName, isOwner, isTag } from '../../domain/values/names.ts'
import { askEachOnce } from '../../server/ask-once.ts'
import type { Hub, Sources } from '../../server/hub.ts'
import { findChanges } from '../../server/read/activity.ts'
import { findCapabilities } from '../../server/read/capabilities.ts'
import { findArchive, findAttestation, findFile } from '../../server/read/files.ts'
import { findLabelled } from '../../server/read/labels.ts'
import { isPageNumber } from '../../server/read/list-query.ts'
import {
  encode,
  findContent,
  findRepository,
  findUser,
  findVersion,
  findVersionPage,
  findVersions,
} from '../../server/read/records.ts'
import { findNewestResults, findResults } from '../../server/read/results.ts'
import { findSkill } from '../../server/read/skills.ts'
import { listApmVersions } from '../../skills/handle-apm.ts'
import { listPackage } from '../../skills/handle-npm.ts'
import type { FreshCopy } from '../../state/fresh-copies.ts'

/** A build, the fresh copies that are ahead of it, and the hub's URL. */
type NewestSources = Sources & Pick<Hub, 'baseUrl'>

/** Adds what was written since a build to its files. */
export function newestFiles(sources: NewestSources): SiteFiles {
  return {
    async read(path) {
      const [, owner = '', name = ''] = OF_REPOSITORY.exec(path) ?? []
      if (isOwner(owner) && isName(name)) {
        const copy = await sources.fresh.find('repositories', owner, name)
        const found = copy && matchFile(path)
        return found
          ? found.make(found.asked, { ...askEachOnce(sources), baseUrl: sources.baseUrl }, copy)
          : sources.siteFiles.read(path)
      }
      const [, handle = '', label] = OF_OWNER.exec(path) ?? []
      if (!isOwner(handle)) return sources.siteFiles.read(path)
      if (label === undefined) return (await findUser(handle, sources))?.bytes()
      const labelled = isTag(label) ? await findLabelled(handle, label, sources) : undefined
      // As in a build, a label that no prompt has is no file.
      return labelled?.isEmpty ? undefined : labelled?.bytes
    },
  }
}

const OF_REPOSITORY = /^\/data\/v1\/(?:repos|activity)\/([^/]+)\/([^/]+?)(?:\.json$|\/)/
const OF_OWNER = /^\/data\/v1\/users\/([^/]+?)(?:\/labels\/([^/]+))?\.json$/

/** The names in the path of a file. */
interface Asked {
  owner: string
  name: string
  version: string
  page: string
  sha256: string
}

/** Makes a file of a repository that has a copy. @returns undefined if there is no such file now */
type MakeFile = (asked: Asked, sources: NewestSources, copy: FreshCopy) => Promise<Bytes | undefined>

const json = (value: unknown): Bytes => encode(JSON.stringify(value))
const list = <Record>(records: readonly Record[]) => (records.length > 0 ? json(onlyPage([...records])) : undefined)

/** The files of a repository that a write changes or adds, by path. */
const FILES: readonly (readonly [path: string, make: MakeFile])[] = [
  [
    DATA_FILES.repository('{owner}', '{name}'),
    async ({ owner, name }, sources) => (await findRepository(owner, name, sources))?.bytes(),
  ],
  [
    DATA_FILES.versions('{owner}', '{name}'),
    async ({ owner, name }, sources) => {
      const versions = (await findVersions(owner, name, sources))?.versions
      return versions && json(onlyPage([...versions]))
    },
  ],
  [
    DATA_FILES.versionPage('{owner}', '{name}', '{page}'),
    async ({ owner, name, page }, sources) => {
      const found = isPageNumber(page) ? await findVersionPage(owner, name, Number(page), sources) : undefined
      // As in a build, there is no page past the end.
      return found && found.versions.value().data.length > 0 ? found.versions.bytes() : undefined
    },
  ],
  [
    DATA_FILES.version('{owner}', '{name}', '{version}'),
    async ({ owner, name, version }, sources) => (await findVersion(owner, name, version, sources))?.bytes(),
  ],
  [
    DATA_FILES.raw('{owner}', '{name}'),
    async ({ owner, name }, sources) => (await findRepository(owner, name, sources))?.facts.latestContent,
  ],
  [
    DATA_FILES.rawVersion('{owner}', '{name}', '{version}'),
    ({ owner, name, version }, sources) => findContent(owner, name, version, sources),
  ],
  [
    DATA_FILES.skill('{owner}', '{name}', '{version}'),
    async (place, sources) => {
      const skill = await findSkill(place, sources)
      return skill && encode(formatSkill(skill))
    },
  ],
  [DATA_FILES.blob('{owner}', '{name}', '{sha256}'), findBlob],
  [
    DATA_FILES.changes('{owner}', '{name}'),
    (asked, sources, copy) => madeOnce(copy, 'changes', () => listDifferences(asked, sources, copy)),
  ],
  [
    DATA_FILES.apm('{owner}', '{name}'),
    ({ owner, name }, sources, copy) => madeOnce(copy, 'apm', () => listApmVersions(owner, name, sources)),
  ],
  [DATA_FILES.npm('{owner}', '{name}'), ({ owner, name }, sources) => listPackage({ owner, name }, sources)],
  [
    DATA_FILES.capabilities('{owner}', '{name}', '{version}'),
    async ({ owner, name, version }, sources) => {
      const record = (await findVersion(owner, name, version, sources))?.value()
      return record?.skill
        ? json(capabilitiesEnvelope(await findCapabilities(record, { ...sources, runLong: runInPlace })))
        : undefined
    },
  ],
  [
    DATA_FILES.results('{owner}', '{name}', '{version}'),
    async ({ owner, name, version }, sources) => list(await findResults(owner, name, version, sources)),
  ],
  [
    DATA_FILES.newestResults('{owner}', '{name}'),
    async ({ owner, name }, sources) => list(await findNewestResults(owner, name, sources)),
  ],
  [
    DATA_FILES.activity('{owner}', '{name}'),
    async ({ owner, name }, sources) => list((await findChanges(owner, name, sources)).changes),
  ],
]

const PATTERNS = FILES.map(([path, make]) => {
  const source = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[a-z0-9.-]+?)')
  return { pattern: new RegExp(`^${source}$`), make }
})

function matchFile(path: string): { make: MakeFile; asked: Asked } | undefined {
  for (const { pattern, make } of PATTERNS) {
    const groups = pattern.exec(path)?.groups
    if (groups) return { make, asked: { owner: '', name: '', version: '', page: '', sha256: '', ...groups } }
  }
  return undefined
}

/** What is expensive to make of a copy, by name. A copy says all that these files contain, and never changes. */
const made = new WeakMap<FreshCopy, Map<string, Promise<unknown>>>()

function madeOnce<Value>(copy: FreshCopy, name: string, make: () => Promise<Value>): Promise<Value> {
  const known = made.get(copy) ?? new Map<string, Promise<unknown>>()
  made.set(copy, known)
  const before = known.get(name) as Promise<Value> | undefined
  if (before !== undefined) return before
  const value = make()
  known.set(name, value)
  value.catch(() => known.delete(name))
  return value
}

/** Compares each version with the next lower one. What the build has compared is not compared again. */
async function listDifferences(
  { owner, name }: Asked,
  sources: NewestSources,
  { versions }: FreshCopy,
): Promise<Bytes | undefined> {
  const built = await sources.siteFiles.read(DATA_FILES.changes(owner, name))
  const known = built ? parseBuilt<{ data: Difference[] }>(built).data : []
  const differences: Difference[] = []
  let bytes = 0
  for (const [index, { version: from }] of versions.slice(1).entries()) {
    // The file has no more of them.
    if (bytes > LIMITS.changesBytes) break
    const { version: to } = versions[index]!
    const difference =
      known.find((one) => one.from === from && one.to === to) ?? (await compare({ owner, name, from, to }, sources))
    if (!difference) continue
    differences.push(difference)
    bytes += JSON.stringify(difference).length
  }
  return encode(formatChanges(differences, versions.length))
}

async function compare(
  { owner, name, from, to }: { owner: string; name: string; from: string; to: string },
  sources: NewestSources,
): Promise<Difference | undefined> {
  const [before, after] = await Promise.all([from, to].map((one) => findVersion(owner, name, one, sources)))
  return before && after && compareForCallers(before.value(), after.value())
}

/** Maximum number of versions since the build whose files are looked up by their digest. */
const MAX_UNBUILT = 50

/** Finds a file of a skill, its archive or an attestation by its SHA-256. */
async function findBlob(asked: Asked, sources: NewestSources, copy: FreshCopy): Promise<Bytes | undefined> {
  const { owner, name, sha256 } = asked
  const built = await sources.siteFiles.read(DATA_FILES.blob(owner, name, sha256))
  if (built) return built
  const find = (await madeOnce(copy, 'blobs', () => indexBlobs(asked, sources, copy))).get(sha256)
  return (await find?.(sources))?.bytes
}

type FindBlob = (sources: Sources) => Promise<{ bytes: Bytes } | undefined>

/** Lists what finds the files of the versions since the build, by their SHA-256. */
async function indexBlobs({ owner, name }: Asked, sources: NewestSources, { versions }: FreshCopy) {
  const blobs = new Map<string, FindBlob>()
  let unbuilt = 0
  for (const { version } of versions) {
    if (await sources.siteFiles.read(DATA_FILES.version(owner, name, version))) continue
    if (unbuilt++ === MAX_UNBUILT) break
    const record = (await findVersion(owner, name, version, sources))?.value()
    const place = { owner, name, version }
    for (const { path, sha256 } of record?.files ?? []) blobs.set(sha256, (now) => findFile(place, path, now))
    for (const one of record?.attestations ?? []) blobs.set(one.sha256, (now) => findAttestation(place, one.name, now))
    if (record?.bundle_sha256) blobs.set(record.bundle_sha256, (now) => findArchive(place, now))
  }
  return blobs
}
