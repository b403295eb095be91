// Finds versions that are Agent Skills, for their URLs and for MCP.

import { latestSkill, type SkillVersion } from '../../domain/content/skill.ts'
import { isName, isOwner, isVersion } from '../../domain/values/names.ts'
import type { Sources } from '../hub.ts'
import { findRepository, findVersion } from './records.ts'

/** The skill to look up; unvalidated strings from a URL. */
export interface SkillPlace {
  owner: string
  name: string
  /** The version; undefined for the latest. */
  version?: string | undefined
}

/** Finds a skill. Returns undefined for unknown versions, for versions that are not skills, and, without a lookup, for malformed names. */
export async function findSkill(
  { owner, name, version }: SkillPlace,
  sources: Sources,
): Promise<SkillVersion | undefined> {
  if (!isOwner(owner) || !isName(name) || (version !== undefined && !isVersion(version))) return undefined
  if (version === undefined) {
    const repository = (await findRepository(owner, name, sources))?.value()
    return repository && latestSkill(repository)
  }
  const record = (await findVersion(owner, name, version, sources))?.value()
  return record?.skill ? { ...record, skill: record.skill } : undefined
}
