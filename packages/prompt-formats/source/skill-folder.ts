// Reads the SKILL.md of a skill's folder as a publish. https://agentskills.io/specification

import { findLicenseProblem } from '../../../src/domain/content/rules.ts'
import { splitInputs } from '../../../src/domain/content/skill.ts'
import { readPublishQuery } from '../../../src/domain/publishing/prompt-file.ts'
import {
  type GivenFile,
  type PublishInput,
  parsePublishRequest,
  validationFailed,
} from '../../../src/domain/publishing/request.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import type { ValueProblem } from '../../../src/domain/text/problems.ts'
import { ConversionProblems } from './portable.ts'
import { readMoreOfSkill } from './skill-keys.ts'
import { licenseIn, readSourceFile, textOf } from './source-file.ts'

/**
 * Parses a publish whose body is the folder of a skill.
 *
 * @param text its SKILL.md
 * @param files all other files
 * @throws HubError like `parsePublishRequest`; each problem in SKILL.md names its line
 */
export function readSkillFolder(
  text: string,
  files: readonly GivenFile[],
  query: Readonly<Record<string, string>>,
): PublishInput {
  const findings = new ConversionProblems()
  const file = readSourceFile(text, findings)
  const at = (line: number | null, message: string) => (line === null ? message : `line ${line}: ${message}`)
  if (!file)
    throw validationFailed(findings.all.map(({ line, message }) => ({ key: 'SKILL.md', message: at(line, message) })))
  const { front, body, bodyLine } = file
  const options = readPublishQuery(query)
  if (options.problems.length > 0) throw validationFailed(options.problems)
  const said = options.body.skill
  const metadata = isObject(front.metadata) ? front.metadata : {}
  // A folder that was installed from a hub has the list of inputs, which the hub writes again.
  const content = typeof metadata.content_sha256 === 'string' ? splitInputs(body)[0] : body
  const license = licenseIn(front)
  const { argument_hint, ...more } = readMoreOfSkill(front)
  const request = {
    ...options.body,
    content,
    skill:
      said === null
        ? null
        : {
            description:
              said?.description ??
              textOf(front.description)
                .trim()
                .replace(/\s*\n\s*/g, ' '),
            compatibility: front.compatibility ?? null,
            argument_hint: argument_hint || null,
            ...more,
          },
    // Many skills name a file here, such as “see LICENSE.txt”.
    ...(license !== null && findLicenseProblem(license) === undefined && { license }),
  }
  const place = ({ key, message, offset }: ValueProblem): ValueProblem => ({
    key: key === 'content' ? 'SKILL.md' : key,
    message:
      key === 'content' && offset !== undefined
        ? at(bodyLine + content.slice(0, offset).split('\n').length - 1, message)
        : message,
  })
  return parsePublishRequest(request, { place, files })
}
