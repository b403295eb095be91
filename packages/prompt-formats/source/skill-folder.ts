// Reads the SKILL.md of a skill's folder as a publish. https://agentskills.io/specification

import { findLicenseProblem } from '../../../src/domain/content/rules.ts'
import { OWN_SKILL_METADATA, splitInputs } from '../../../src/domain/content/skill.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { readPublishQuery } from '../../../src/domain/publishing/prompt-file.ts'
import {
  type GivenFile,
  type Measure,
  type PublishInput,
  parsePublishRequest,
  validationFailed,
} from '../../../src/domain/publishing/request.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { printable } from '../../../src/domain/text/printable.ts'
import type { ValueProblem } from '../../../src/domain/text/problems.ts'
import { ConversionProblems } from './portable.ts'
import { licenseIn, readSourceFile, textOf } from './source-file.ts'

/** The keys of a SKILL.md that a hub keeps. The name is that of the prompt. */
const KEYS = new Set(['name', 'description', 'license', 'compatibility', 'metadata'])

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
  measure: Measure,
): PublishInput {
  const findings = new ConversionProblems()
  const file = readSourceFile(text, findings)
  const at = (line: number | null, message: string) => (line === null ? message : `line ${line}: ${message}`)
  if (!file)
    throw validationFailed(findings.all.map(({ line, message }) => ({ key: 'SKILL.md', message: at(line, message) })))
  const { front, body, bodyLine, lineOf } = file
  const unknown = Object.keys(front).filter((key) => !KEYS.has(key))
  const options = readPublishQuery(query)
  const problems: ValueProblem[] = [
    ...unknown.slice(0, LIMITS.problemsNamed).map((key) => ({
      key: `SKILL.md: ${printable(key)}`,
      message: at(lineOf(key), 'a hub does not keep this key. Remove it'),
    })),
    ...options.problems,
  ]
  if (problems.length > 0) throw validationFailed(problems)
  const said = options.body.skill
  const metadata = isObject(front.metadata) ? front.metadata : {}
  // A folder that was installed from a hub has the list of inputs, which the hub writes again.
  const content = typeof metadata.content_sha256 === 'string' ? splitInputs(body)[0] : body
  const license = licenseIn(front)
  const more = Object.entries(metadata).filter(([key]) => !OWN_SKILL_METADATA.has(key))
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
            metadata: Object.fromEntries(more.map(([key, value]) => [key, isObject(value) ? value : String(value)])),
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
  return parsePublishRequest(request, measure, { place, files })
}
