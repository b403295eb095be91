// Serves Agent Skills: the SKILL.md files, and the indexes that clients use to find and install skills.
import { HubError } from '../../domain/api/errors.ts'
import { DATA_FILES, ownerCacheTag, type PathParameters, repositoryCacheTag } from '../../domain/api/routes.ts'
import { isName, isOwner } from '../../domain/content/names.ts'
import { describeSkill, formatSkill, formatSkillIndex } from '../../domain/content/skill.ts'
import { printable } from '../../domain/text/problems.ts'
import { digestText } from '../../ports/measure.ts'
import type { Bytes } from '../../ports/site-files.ts'
import { encode, type Sources } from '../read/records.ts'
import { findSkill, type SkillPlace } from '../read/skills.ts'
import { respondToError } from '../refusals.ts'
import { respondWith } from '../respond.ts'

/** Handles one request. Errors have the same form as in the API (docs/contract.md section 4). */
export async function handleSkill(
  request: Request,
  { file, parameters }: { file: string; parameters: PathParameters },
  sources: Sources,
): Promise<Response> {
  const { owner = '', name, version, skill } = parameters
  const cacheTag = name === undefined ? ownerCacheTag(owner) : repositoryCacheTag(owner, name)
  const isIndex = file === 'index.json'
  try {
    const bytes =
      name === undefined && isIndex
        ? await readOwnerIndex(owner, sources)
        : await makeFile({ owner, name: name ?? skill ?? '', version }, skill, isIndex, sources)
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

/** @param said the skill's name as repeated in the URL, which must match */
async function makeFile(place: SkillPlace, said: string | undefined, isIndex: boolean, sources: Sources) {
  const skill = said === undefined || said === place.name ? await findSkill(place, sources) : undefined
  if (!skill) return undefined
  return encode(isIndex ? formatSkillIndex([describeSkill(skill, digestText)]) : formatSkill(skill))
}

async function readOwnerIndex(owner: string, { siteFiles }: Sources): Promise<Bytes | undefined> {
  return isOwner(owner) ? siteFiles.read(DATA_FILES.skills(owner)) : undefined
}

function skillNotFound({ owner, name, version, skill }: PathParameters): HubError {
  const prompt = name ?? skill
  const what = prompt === undefined ? owner : `${owner}/${prompt}${version === undefined ? '' : `@${version}`}`
  return new HubError(
    'not_found',
    `There is no Agent Skill for ${printable(what ?? '')}. /docs/skills explains which prompts are skills.`,
  )
}
