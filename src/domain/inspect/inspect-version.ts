// Lists what a version can do, from its content and the files beside it.
import { formatSkill, type SkillVersion } from '../content/skill.ts'
import { type InspectedFile, inspectFiles } from './inspect.ts'
import type { Capability } from './kinds.ts'

/** What the rules read of a version. */
export type InspectedVersion = Omit<SkillVersion, 'skill'> & { skill?: SkillVersion['skill'] | null | undefined }

/** Lists what a version can do. Lines of a skill are those of its SKILL.md; of any other prompt, those of the content. @param files those of a skill, by path @param digest the SHA-256 of a text, in hex */
export function inspectVersion(
  version: InspectedVersion,
  files: readonly InspectedFile[],
  digest: (text: string) => string,
): Capability[] {
  const { skill, content } = version
  const main = skill
    ? { path: 'SKILL.md', text: formatSkill({ ...version, skill }) }
    : { path: 'content', text: content }
  return inspectFiles([main, ...files], digest)
}
