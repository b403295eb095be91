// Serves Agent Skills: the SKILL.md files, and the indexes that clients use to find and install skills.
import { HubError } from '../../domain/api/errors.ts'
import {
  DATA_FILES,
  matchSkillPath,
  ownerCacheTag,
  type PathParameters,
  repositoryCacheTag,
} from '../../domain/api/routes.ts'
import { describeSkill, formatSkill, formatSkillIndex } from '../../domain/content/skill.ts'
import { printable } from '../../domain/text/problems.ts'
import { isName, isOwner, isVersion } from '../../domain/values/names.ts'
import { digestText } from '../../ports/measure.ts'
import type { RateLimiter } from '../../ports/rate-limiter.ts'
import type { Bytes } from '../../ports/site-files.ts'
import { pathOf } from '../address.ts'
import type { Connect } from '../connect.ts'
import { encode, type Sources } from '../read/records.ts'
import { findSkill, type SkillPlace } from '../read/skills.ts'
import { rateLimitError, respondNotFound, respondToError } from '../refusals.ts'
import { respondWith } from '../respond.ts'

/** The dependencies for serving skills. */
export interface SkillDeps extends Sources {
  limiter: RateLimiter
  clientAddress: string
}

/**
 * Handles one request. Never throws: errors have the same form as in the API (docs/contract.md section 4).
 *
 * Files that the build wrote are outside the rate limit, because clients fetch the file of every skill in an index.
 */
export async function handleSkill(request: Request, connect: Connect<SkillDeps>): Promise<Response> {
  const { file, parameters } = matchSkillPath(pathOf(request.url)) ?? { file: '', parameters: {} }
  const { owner = '', name, version, skill } = parameters
  const cacheTag = name === undefined ? ownerCacheTag(owner) : repositoryCacheTag(owner, name)
  const isIndex = file === 'index.json'
  try {
    if (file === '') return respondNotFound(request)
    const deps = await connect()
    const place = { owner, name: name ?? skill ?? '', version }
    const known = isOwner(owner) ? await readBuiltFile(parameters, isIndex, deps) : undefined
    if (!known) {
      const waitSeconds = await deps.limiter.take(deps.clientAddress)
      if (waitSeconds > 0) throw rateLimitError('requests', waitSeconds)
    }
    const bytes = known ?? (await makeFile(place, skill, isIndex, deps))
    if (!bytes) throw skillNotFound(parameters)
    return respondWith(request, {
      bytes,
      mediaType: isIndex ? 'application/json' : 'text/markdown',
      cache: version === undefined ? 'changing' : 'immutable',
      cacheTag,
      hasDigest: !isIndex,
    })
  } catch (thrown) {
    return respondToError(request, thrown, isOwner(owner) && isName(name ?? 'x') ? cacheTag : undefined)
  }
}

/** Reads the index of an owner, or the SKILL.md of a version, as the build wrote it. */
async function readBuiltFile(
  { owner = '', name, version, skill }: PathParameters,
  isIndex: boolean,
  { siteFiles }: Sources,
): Promise<Bytes | undefined> {
  if (isIndex && name === undefined) return siteFiles.read(DATA_FILES.skills(owner))
  const isPinned = !isIndex && name !== undefined && version !== undefined && (skill ?? name) === name
  return isPinned && isName(name) && isVersion(version)
    ? siteFiles.read(DATA_FILES.skill(owner, name, version))
    : undefined
}

/** @param said the skill's name as repeated in the URL, which must match */
async function makeFile(place: SkillPlace, said: string | undefined, isIndex: boolean, sources: Sources) {
  const skill = said === undefined || said === place.name ? await findSkill(place, sources) : undefined
  if (!skill) return undefined
  return encode(isIndex ? formatSkillIndex([describeSkill(skill, digestText)]) : formatSkill(skill))
}

function skillNotFound({ owner, name, version, skill }: PathParameters): HubError {
  const prompt = name ?? skill
  const what = prompt === undefined ? owner : `${owner}/${prompt}${version === undefined ? '' : `@${version}`}`
  return new HubError(
    'not_found',
    `There is no Agent Skill for ${printable(what ?? '')}. /docs/skills explains which prompts are skills.`,
  )
}
