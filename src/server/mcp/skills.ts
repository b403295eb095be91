// Serves Agent Skills through MCP's skills extension (https://github.com/modelcontextprotocol/ext-skills).
import { describeFront, formatSkill, type SkillVersion } from '../../domain/content/skill.ts'
import { digestText } from '../../ports/measure.ts'
import type { ReadDeps } from '../read/records.ts'
import { findSkill } from '../read/skills.ts'
import { invalidParams, type McpResult, unknownName } from './protocol.ts'

/** Handles `skills/list`. The list is always empty, because clients load lists without the user asking, and skills are third-party text. */
export function listSkills({ cursor }: Record<string, unknown>): McpResult {
  if (cursor !== undefined && cursor !== null && cursor !== '')
    throw invalidParams('Unknown cursor. The list is empty; use skills/get to get a skill.')
  return { skills: [] }
}

/** Handles `skills/get`. @throws McpFailure if there is no such skill */
export async function getSkill({ uri }: Record<string, unknown>, deps: ReadDeps): Promise<McpResult> {
  const skill = await findByUri(uri, deps)
  if (!skill) {
    const forms = 'skill://{owner}/{name}/SKILL.md or skill://{owner}/v{x.y.z}/{name}/SKILL.md'
    throw unknownName('skill', uri, `Valid URIs have the form ${forms}.`)
  }
  const text = formatSkill(skill)
  const file = { uri, digest: `sha256:${digestText(text)}`, size: Buffer.byteLength(text) }
  return { skill: { uri, frontmatter: describeFront(skill), resources: [file] } }
}

/** Returns the SKILL.md for a URI passed to `resources/read`; undefined if there is none. */
export async function readSkillText(uri: string, deps: ReadDeps): Promise<string | undefined> {
  const skill = await findByUri(uri, deps)
  return skill && formatSkill(skill)
}

/** Finds a skill by its URI. The name comes last in the URI, because the extension requires the folder that contains SKILL.md to have the skill's name. */
async function findByUri(uri: unknown, deps: ReadDeps): Promise<SkillVersion | undefined> {
  const [, owner = '', version, name = ''] =
    (typeof uri === 'string' && /^skill:\/\/([^/]+)(?:\/v([^/]+))?\/([^/]+)\/SKILL\.md$/.exec(uri)) || []
  return findSkill({ owner, name, version }, deps)
}
