// Serves Agent Skills: the SKILL.md files, and the indexes that clients use to find and install skills.

import type { Bytes } from '../built/site-files.ts'
import { DATA_FILES } from '../domain/api/data-paths.ts'
import { HubError } from '../domain/api/errors.ts'
import type { PathParameters } from '../domain/api/routes.ts'
import { describeSkill, formatSkill, formatSkillIndex } from '../domain/content/skill.ts'
import { printable } from '../domain/text/printable.ts'
import { isFilePath } from '../domain/values/file-entry.ts'
import { isName, isOwner, isVersion } from '../domain/values/names.ts'
import { digestText } from '../files/measure.ts'
import type { Connect, Hub, Sources } from '../server/hub.ts'
import { findArchive, findFile, findFiles, type VersionPlace } from '../server/read/files.ts'
import { readPage } from '../server/read/list-query.ts'
import { lastOf } from '../server/read/query-values.ts'
import { encode, findVersion } from '../server/read/records.ts'
import { findSkill, type SkillPlace } from '../server/read/skills.ts'
import { respondToError } from '../server/refusals.ts'
import { countRequest, pathOf, queryOf } from '../server/request.ts'
import { type Answer, respondWith, respondWithRedirect } from '../server/respond.ts'

/**
 * Handles one request. Never throws: errors have the same form as in the API (docs/contract.md section 4).
 *
 * Files that the build wrote are outside the rate limit, because clients fetch the file of every skill in an index.
 *
 * @param address one of `SKILL_PATHS`
 * @param parameters as in the path, maybe malformed
 */
export async function handleSkill(
  request: Request,
  address: string,
  parameters: PathParameters,
  connect: Connect,
): Promise<Response> {
  /** `index.json`, `SKILL.md`, `{archive}` or `{path}`. */
  const file = address.slice(address.lastIndexOf('/') + 1)
  const path = pathOf(request.url)
  const lowerCase = path.replace(OWNER_AND_NAME, (place) => place.toLowerCase())
  const { owner = '', name, version, skill } = parameters
  // The index of the hub has no tag: the next build replaces it.
  const subject = { owner, name }
  const isIndex = INDEXES.has(file)
  try {
    if (lowerCase !== path) return respondWithRedirect(lowerCase + queryOf(request.url))
    const hub = await connect()
    const place = { owner, name: name ?? skill ?? '', version }
    const page = lastOf(new URLSearchParams(queryOf(request.url)), 'page')
    const isValid = owner === '' ? isIndex : isOwner(owner)
    const known = isValid ? await readBuiltFile(parameters, file, page, hub) : undefined
    if (!known) await countRequest(hub)
    const found = known ?? (await makeFile(place, parameters, file, hub))
    if (!found) throw skillNotFound(parameters)
    return respondWith(request, {
      ...found,
      // A marketplace has the address of the hub, which may change.
      cache: version === undefined || file === 'marketplace.json' ? 'changing' : 'immutable',
      subject,
      hasDigest: !isIndex,
    })
  } catch (thrown) {
    return respondToError(request, thrown, isOwner(owner) && isName(name ?? 'x') ? subject : undefined)
  }
}

/** The files that list skills. */
const INDEXES: ReadonlySet<string> = new Set(['index.json', 'marketplace.json'])

/** The part of a path that is in lower case. The paths of files may have capital letters. */
const OWNER_AND_NAME = /^(?:\/[\w-]+){1,2}?(?=\/(?:SKILL\.md$|v\/|\.well-known\/|\.claude-plugin\/))/

type Found = Pick<Answer, 'bytes' | 'mediaType'>

const asIndex = (bytes: Bytes): Found => ({ bytes, mediaType: 'application/json' })
const asMarkdown = (bytes: Bytes): Found => ({ bytes, mediaType: 'text/markdown' })

/** Reads an index, or a file of a version, as the build wrote it. @param page of the hub's index */
async function readBuiltFile(
  parameters: PathParameters,
  file: string,
  page: string | undefined,
  { siteFiles }: Sources,
): Promise<Found | undefined> {
  const { owner = '', name, version, skill } = parameters
  if (INDEXES.has(file) && name === undefined) {
    const bytes = await siteFiles.read(
      file === 'index.json'
        ? owner === ''
          ? DATA_FILES.hubSkills(readPage(page))
          : DATA_FILES.skills(owner)
        : owner === ''
          ? DATA_FILES.hubMarketplace()
          : DATA_FILES.marketplace(owner),
    )
    return bytes && asIndex(bytes)
  }
  const isPinned = name !== undefined && version !== undefined && isName(name) && isVersion(version)
  if (INDEXES.has(file) || !isPinned || (skill ?? name) !== name) return undefined
  if (file === 'SKILL.md') {
    const bytes = await siteFiles.read(DATA_FILES.skill(owner, name, version))
    return bytes && asMarkdown(bytes)
  }
  return findBeside({ owner, name, version }, parameters, { siteFiles, fresh: NO_COPIES })
}

const nothing = async () => undefined
const NO_COPIES: Sources['fresh'] = { find: nothing, listNames: async () => [] }

/** Finds a file beside the SKILL.md of a version, or the archive of all of them. */
async function findBeside(
  place: VersionPlace,
  { path, archive }: PathParameters,
  sources: Sources,
): Promise<Found | undefined> {
  if (archive !== undefined) return archive === `${place.name}.tar.gz` ? findArchive(place, sources) : undefined
  return path !== undefined && isFilePath(path) ? findFile(place, path, sources) : undefined
}

/** Makes an index or a file that no build has written. */
async function makeFile(
  place: SkillPlace,
  parameters: PathParameters,
  file: string,
  sources: Hub,
): Promise<Found | undefined> {
  // The name of the skill is repeated in some URLs, and must match.
  const said = parameters.skill
  const skill = said === undefined || said === place.name ? await findSkill(place, sources) : undefined
  if (!skill) return undefined
  if (file === 'index.json') return asIndex(encode(formatSkillIndex([describeSkill(skill, digestText)])))
  if (file === 'SKILL.md') return asMarkdown(encode(formatSkill(skill)))
  if (PLUGIN_FILES.has(file) && parameters.path === undefined)
    return makePluginFile({ ...place, version: skill.version }, file, sources)
  return findBeside({ ...place, version: skill.version }, parameters, sources)
}

/** What is made of a version as a plugin. */
const PLUGIN_FILES: ReadonlySet<string> = new Set(['plugin.json', 'plugin.zip', 'marketplace.json'])

/** Makes the manifest of a skill as a plugin, its archive, or a marketplace with it alone. */
async function makePluginFile(place: VersionPlace, file: string, sources: Hub): Promise<Found | undefined> {
  const record = (await findVersion(place.owner, place.name, place.version, sources))?.value()
  if (!record?.skill) return undefined
  const version = { ...record, skill: record.skill }
  // Imported on first use, because most requests are for files of the build.
  const { digestPlugin, formatPlugin, packPlugin } = await import('./plugin.ts')
  if (file === 'plugin.json') return asIndex(encode(formatPlugin(version)))
  const files = await findFiles(record, sources)
  if (file === 'plugin.zip') return { bytes: packPlugin(version, files), mediaType: 'application/zip' }
  const { formatMarketplace } = await import('../domain/content/marketplace.ts')
  const { owner, name, version: number, skill } = version
  const of = { name: `${owner}-${name}-${number.replaceAll('.', '-')}`, owner }
  const plugin = { name, owner, version: number, description: skill.description, sha256: digestPlugin(version, files) }
  return asIndex(encode(formatMarketplace(of, [plugin], sources.baseUrl)))
}

function skillNotFound({ owner, name, version, skill, path, archive }: PathParameters): HubError {
  const prompt = name ?? skill
  const what = prompt === undefined ? owner : `${owner}/${prompt}${version === undefined ? '' : `@${version}`}`
  const file = path ?? archive
  return new HubError(
    'not_found',
    file === undefined
      ? `There is no Agent Skill for ${printable(what ?? '')}. /docs/skills explains which prompts are skills.`
      : `There is no file ${printable(file)} of that Agent Skill. Its index lists its files: /docs/skills.`,
  )
}
