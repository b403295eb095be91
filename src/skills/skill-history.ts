// Lists the commits of a git repository of skills, one for each published version, and writes them for git. They depend on the catalogue alone, so that every hub with it makes the same objects.

import { parseBuilt, type SiteFiles } from '../built/site-files.ts'
import { mapConcurrently } from '../concurrency/promises.ts'
import { DATA_FILES } from '../domain/api/data-paths.ts'
import { HubError } from '../domain/api/errors.ts'
import type { VersionRecord, VersionRow } from '../domain/api/schema.ts'
import {
  formatMarketplace,
  type MarketplaceSkill,
  nameMarketplace,
  type PlacePlugin,
} from '../domain/content/marketplace.ts'
import type { RepositoryPlace } from '../domain/values/names.ts'
import { compareVersions } from '../domain/values/versions.ts'
import { isScript } from '../files/archive.ts'
import { findFiles, type VersionPlace } from '../server/read/files.ts'
import type { ApmVersion } from './apm.ts'

/** A version that was the highest of its skill when it was published. */
export interface SkillStep extends VersionPlace {
  atSeconds: number
}

/** What a repository is made of: the skills of an owner, or of the hub. */
export interface HistorySource {
  owner: string | undefined
  baseUrl: string
  siteFiles: SiteFiles
}

/** The most commits of a history. Of a longer one, the oldest become one commit, this many at a time. Each commit writes a marketplace of up to a thousand plugins, so that few of them keep a history small. */
const MAX_COMMITS = 100
const FOLDED_AT_ONCE = 50
/** The most bytes of all skills of a repository together. */
const MAX_BYTES = 256_000_000
const AT_ONCE = 8

/** Lists the versions that were the highest of a skill in the marketplace when they were published, oldest first, without yanked ones. */
export async function listSteps({ owner, siteFiles }: HistorySource): Promise<SkillStep[]> {
  const bytes = await siteFiles.read(owner === undefined ? DATA_FILES.hubMarketplace() : DATA_FILES.marketplace(owner))
  if (!bytes) return []
  const { plugins } = parseBuilt<{ plugins: { name: string; author: { name: string } }[] }>(bytes)
  const found = await mapConcurrently(AT_ONCE, plugins, ({ name, author }) =>
    listVersions({ owner: author.name, name }, siteFiles),
  )
  const highest = new Map<string, string>()
  return found
    .flat()
    .sort((a, b) => a.atSeconds - b.atSeconds || (nameOf(a) < nameOf(b) ? -1 : 1))
    .filter((step) => {
      const before = highest.get(fullNameOf(step))
      if (before !== undefined && compareVersions(step.version, before) > 0) return false
      highest.set(fullNameOf(step), step.version)
      return true
    })
}

async function listVersions({ owner, name }: RepositoryPlace, siteFiles: SiteFiles): Promise<SkillStep[]> {
  const [skills, rows] = await Promise.all([
    siteFiles.read(DATA_FILES.apm(owner, name)),
    siteFiles.read(DATA_FILES.versions(owner, name)),
  ])
  if (!skills || !rows) return []
  const times = new Map(
    parseBuilt<{ data: VersionRow[] }>(rows).data.map(({ version, available_at }) => [version, available_at]),
  )
  return parseBuilt<{ versions: ApmVersion[] }>(skills).versions.map(({ version, published_at }) => ({
    owner,
    name,
    version,
    atSeconds: Math.floor(Date.parse(times.get(version) ?? published_at) / 1_000),
  }))
}

const fullNameOf = ({ owner, name }: SkillStep) => `${owner}/${name}`
/** Names a step, such as `acme/pdf@1.0.0`. */
export const nameOf = (step: SkillStep): string => `${fullNameOf(step)}@${step.version}`

/** Returns the number of steps that the first commit of a history has besides its own. */
export const countFolded = (steps: readonly SkillStep[]): number =>
  Math.max(0, Math.ceil((steps.length - MAX_COMMITS) / FOLDED_AT_ONCE)) * FOLDED_AT_ONCE

/** The branch of the repository. */
export const HISTORY_BRANCH = 'refs/heads/main'

/**
 * Formats the commits of a history for git's fast-import, which prints the ID of the last.
 *
 * @param after how many steps the branch has already, at the commit `tip`; 0 for a new history
 * @see https://git-scm.com/docs/git-fast-import
 */
export async function* formatHistory(
  source: HistorySource,
  steps: readonly SkillStep[],
  after: { count: number; tip: string | undefined },
): AsyncGenerator<string | Uint8Array> {
  const shown = new Map<string, MarketplaceSkill>()
  const show = ({ owner, name, version, skill }: SkillRecord) =>
    shown.set(`${owner}/${name}`, { owner, name, version, description: skill.description, sha256: undefined })
  for (const step of newestOf(steps.slice(0, after.count))) show(await readSkill(step, source))
  const start = after.count === 0 ? countFolded(steps) + 1 : after.count
  const groups = [...(after.count === 0 ? [steps.slice(0, start)] : []), ...steps.slice(start).map((step) => [step])]
  yield after.tip === undefined ? `feature done\nreset ${HISTORY_BRANCH}\n\n` : 'feature done\n'
  for (const [at, group] of groups.entries()) {
    const last = group.at(-1)!
    const who = `Prompt Hub <prompt-hub@localhost> ${last.atSeconds} +0000\n`
    yield `commit ${HISTORY_BRANCH}\nmark :1\nauthor ${who}committer ${who}${text(`Publish ${nameOf(last)}\n`)}`
    if (at === 0) yield after.tip === undefined ? `M 100644 inline README.md\n${text(README)}` : `from ${after.tip}\n`
    for (const step of newestOf(group)) {
      const record = await readSkill(step, source)
      show(record)
      yield* formatSkillFolder(record, source)
    }
    yield `M 100644 inline .claude-plugin/marketplace.json\n${text(formatPlugins([...shown.values()], source))}`
  }
  yield 'get-mark :1\ndone\n'
}

const README = `# Agent Skills

Each folder below \`skills\` that has a \`SKILL.md\` is an Agent Skill. A hub makes this repository from what is published
there. It is read only: publish to the hub to change it.
`

type SkillRecord = VersionRecord & { skill: NonNullable<VersionRecord['skill']> }

/** Of the steps of each skill, the last. */
const newestOf = (steps: readonly SkillStep[]) => new Map(steps.map((step) => [fullNameOf(step), step])).values()

/** The folder of a skill. No two skills of a marketplace have the same name. */
const folderOf = ({ name }: RepositoryPlace) => `skills/${name}`

async function readSkill(step: SkillStep, { siteFiles }: HistorySource): Promise<SkillRecord> {
  const bytes = await siteFiles.read(DATA_FILES.version(step.owner, step.name, step.version))
  const record = bytes && parseBuilt<{ data: VersionRecord }>(bytes).data
  if (!record?.skill) throw unreadable(step)
  return { ...record, skill: record.skill }
}

async function* formatSkillFolder(record: SkillRecord, source: HistorySource): AsyncGenerator<string | Uint8Array> {
  const { owner, name, version } = record
  const main = await source.siteFiles.read(DATA_FILES.skill(owner, name, version))
  if (!main) throw unreadable(record)
  const files = await findFiles(record, { siteFiles: source.siteFiles, fresh: NO_COPIES })
  const folder = folderOf(record)
  yield `D ${folder}\n`
  for (const { path, bytes } of [{ path: 'SKILL.md', bytes: main }, ...files]) {
    yield `M ${isScript(bytes) ? '100755' : '100644'} inline ${folder}/${path}\ndata ${bytes.length}\n`
    yield bytes
    yield '\n'
  }
}

const NO_COPIES = { find: async () => undefined, listNames: async () => [] }

/** Formats the marketplace of the repository. */
function formatPlugins(shown: readonly MarketplaceSkill[], { owner, baseUrl }: HistorySource): string {
  const plugins = shown.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return `${formatMarketplace({ name: owner ?? nameMarketplace(baseUrl), owner }, plugins, baseUrl, inFolder)}\n`
}

/** The folder of the skill is the whole plugin. */
const inFolder: PlacePlugin = (skill) => ({ source: `./${folderOf(skill)}`, strict: false, skills: ['./'] })

const text = (value: string) => `data ${Buffer.byteLength(value)}\n${value}\n`

/** Checks the size of a history, also of one that only grows: every hub with a catalogue has the same repositories. @throws HubError `not_found` if the skills are too many for a repository */
export async function checkSize(source: HistorySource, steps: readonly SkillStep[]): Promise<void> {
  const sizes = await mapConcurrently(AT_ONCE, [...newestOf(steps)], async (step) => {
    const { size_bytes, files } = await readSkill(step, source)
    return files.reduce((sum, file) => sum + file.size_bytes, size_bytes)
  })
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_BYTES) throw tooLarge(source)
}

function tooLarge({ owner }: HistorySource): HubError {
  const [whose, instead] =
    owner === undefined
      ? ['this hub', 'Clone those of one owner: /{owner}/skills.git.']
      : [owner, 'Install one skill: /docs/skills says how.']
  return new HubError(
    'not_found',
    `The skills of ${whose} have more than ${MAX_BYTES} bytes together, which is too much for a git repository. ${instead}`,
  )
}

function unreadable({ owner, name, version }: VersionPlace): HubError {
  return new HubError('unavailable', `${owner}/${name}@${version} cannot be read right now. Try again.`, {
    retryAfterSeconds: 5,
  })
}
