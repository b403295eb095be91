// Writes prompt files: front matter with the fields of a publish, then the content. docs/contract.md section 7
import type { Repository, VersionRecord } from '../../../src/domain/api/schema.ts'
import { ownVariables } from '../../../src/domain/compose/compose-version.ts'
import { cutSource } from '../../../src/domain/compose/include-lines.ts'
import { findVariableNames } from '../../../src/domain/content/placeholders.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import type { GivenSkill } from '../../../src/domain/content/skill.ts'
import { OPENS_FRONT_MATTER } from '../../../src/domain/publishing/prompt-file.ts'
import { isSameJson } from '../../../src/domain/text/json.ts'
import { formatYaml } from '../../../src/domain/text/yaml.ts'
import type { Include } from '../../../src/domain/values/include.ts'

/** What a publish takes from the latest version if the file does not have it. */
export type LatestFields = Pick<Repository, 'format' | 'variables' | 'parameters' | 'skill'> & {
  includes?: readonly Include[] | undefined
}

/** Returns what a prompt file says of a skill. What it omits, a publish takes from the latest version. */
function writeSkill(
  { description, compatibility, allowed_tools = [], argument_hint, metadata = {} }: WrittenSkill,
  latest: LatestFields['skill'],
): Record<string, unknown> {
  const hasMetadata = Object.keys({ ...metadata, ...latest?.metadata }).length > 0
  return {
    description,
    ...((compatibility || latest?.compatibility) && { compatibility: compatibility ?? null }),
    ...((allowed_tools.length > 0 || latest?.allowed_tools.length) && { allowed_tools }),
    ...((argument_hint || latest?.argument_hint) && { argument_hint: argument_hint ?? null }),
    ...(hasMetadata && { metadata }),
  }
}

type WrittenSkill = Pick<GivenSkill, 'description'> & Partial<GivenSkill>

/** Writes a version as a prompt file, which publishes the same version again, whatever `latest` is. A composed version is written as its source. Fields without a value are omitted. */
export function writePromptFile(
  { title, description, tags, license }: Pick<Repository, 'title' | 'description' | 'tags' | 'license'>,
  version: Pick<VersionRecord, 'content' | 'format' | 'variables' | 'parameters'> & {
    includes?: readonly Include[] | undefined
    skill?: WrittenSkill | null | undefined
  },
  latest: LatestFields = { ...version, skill: null },
): string {
  const { format, parameters, skill, includes = [] } = version
  const isComposed = includes.length > 0
  const content = isComposed ? cutSource(version) : version.content
  const variables = isComposed ? ownVariables(version) : version.variables
  const latestVariables = isComposed ? ownVariables(latest) : latest.variables
  const isPlain = isSameJson(variables, findVariableNames({ content, format }).map(undeclaredVariable))
  const front = {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
    ...(tags.length > 0 && { tags }),
    ...(license !== null && { license }),
    ...((format === 'chat' || latest.format === 'chat') && { format }),
    ...((!isPlain || !isSameJson(variables, latestVariables)) && { variables }),
    ...(Object.keys({ ...parameters, ...latest.parameters }).length > 0 && { parameters }),
    ...((skill || latest.skill) && { skill: skill ? writeSkill(skill, latest.skill) : null }),
    ...(isComposed && { compose: true }),
  }
  const isContentAlone = Object.keys(front).length === 0 && !OPENS_FRONT_MATTER.test(content)
  return isContentAlone ? content : `---\n${formatYaml(front)}---\n${content}`
}
