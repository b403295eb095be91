// Makes parts for the tests of composing, and assembles a source with them.
import type { Variable } from '../../../src/domain/api/schema.ts'
import { assemble, type Part } from '../../../src/domain/compose/assemble.ts'
import { findIncludeLines } from '../../../src/domain/compose/include-lines.ts'
import { findPlaceholders } from '../../../src/domain/content/placeholders.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import type { Format } from '../../../src/domain/values/chat.ts'
import { measure } from '../../../src/files/measure.ts'

/** A line that includes such a part. */
export const LINE = '{{include "acme/part@1.0.0"}}'

/** Returns a part of acme/part. */
export const partOf = (content: string, given: Partial<Part> = {}): Part => ({
  repository: 'acme/part',
  version: '1.0.0',
  content,
  format: 'text',
  hasFiles: false,
  variables: findPlaceholders(content).map(undeclaredVariable),
  content_sha256: measure(content).content_sha256,
  ...given,
})

/** Assembles a source with the parts in turn. */
export function compose(
  content: string,
  parts: Part | readonly Part[],
  format: Format = 'text',
  variables: Variable[] = [],
) {
  const { value: lines, problems } = findIncludeLines(content)
  if (problems) return { problems, messages: problems.map(({ message }) => message) }
  const list = lines.map((_, index) => ('content' in parts ? parts : parts[index % parts.length]!))
  const outcome = assemble({ name: 'acme/whole', content, format, variables }, lines, list)
  return { ...outcome, messages: (outcome.problems ?? []).map(({ message }) => message) }
}
