// Finds versions that are Agent Skills, for their addresses and for MCP.
import { isName, isOwner, isVersion } from '../../domain/content/names.ts'
import { latestSkill, type SkillVersion } from '../../domain/content/skill.ts'
import { findRepository, findVersion, type Sources } from './records.ts'

/** Where a skill is looked for: texts as an address holds them. */
export interface SkillPlace {
  owner: string
  name: string
  /** Undefined: the latest. */
  version?: string | undefined
}

/** Finds a skill; undefined when there is no such version, when it is no skill, and for malformed names, of which no store is asked. */
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
