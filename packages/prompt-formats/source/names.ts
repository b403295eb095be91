// Converts names of files, texts and variables from other tools to the hub's rules.

import type { Variable } from '../../../src/domain/api/schema.ts'
import { findPlaceholders } from '../../../src/domain/content/placeholders.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import { VariableInput } from '../../../src/domain/content/variable-input.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { type ConversionProblems, type PortablePrompt, textsOf } from './portable.ts'

/** File names that many prompts share, so that a prompt is named after its folder. */
const SHARED_NAMES = new Set(
  `system user assistant prompt prompts index main default template instructions copilot-instructions agents claude
  gemini readme skill`.split(/\s+/),
)
/** The endings of files that are named twice, such as `review.prompt.md`. */
const KINDS = /\.(?:prompt|instructions|chatmode|agent)$/

/** Returns the name of a prompt from the path of its file. A skill, and a file whose name says nothing, have the name of their folder. */
export function nameOfFile(path: string, format: string): string {
  const [file = '', folder = ''] = path.replaceAll('\\', '/').split('/').reverse()
  const own = file.replace(/\.[^.]+$/, '').replace(KINDS, '')
  const isShared = format === 'skill' || own === '' || SHARED_NAMES.has(own.toLowerCase())
  return isShared && folder !== '' ? folder : own
}

/** Converts a text to one line, truncated to a maximum length with an ellipsis. */
export function toLine(text: string, most: number): string {
  const line = [
    ...text
      .replace(/\s+/g, (gap) => (/[\r\n\t]/.test(gap) ? ' ' : gap))
      .replace(/[\p{Cc}\ufffe\uffff]/gu, '')
      .trim(),
  ]
  return line.length <= most ? line.join('') : `${line.slice(0, most - 1).join('')}…`
}

/**
 * Declares a variable from its source; values that break the hub's rules are dropped.
 *
 * @param given the fields of `Variable` that the source has
 */
export function toVariable(
  name: string,
  given: Partial<Record<keyof Variable, unknown>>,
  findings: ConversionProblems,
  line: number | null = null,
): Variable {
  const description =
    typeof given.description === 'string' ? toLine(given.description, LIMITS.descriptionCharacters) : ''
  const candidate: Record<string, unknown> = { ...given, name, description }
  for (const field of [[], ['example'], ['default'], ['options', 'type']]) {
    for (const one of field) {
      if (candidate[one] !== undefined)
        findings.lost(`variables.${name}.${one}`, 'its value does not match its type', line)
      delete candidate[one]
    }
    const parsed = VariableInput.safeParse(candidate)
    if (parsed.success) return parsed.data
  }
  return { ...undeclaredVariable(name), description }
}

/** Declares the placeholders of a prompt's texts, with what the source says about them. */
export function declarePlaceholders(
  prompt: PortablePrompt,
  described: ReadonlyMap<string, Variable> = new Map(),
): PortablePrompt {
  const names = new Set(textsOf(prompt.body).flatMap(findPlaceholders))
  return { ...prompt, variables: declareAll([...names], described) }
}

/** Declares every placeholder: as described by the source, or as a required string. */
export function declareAll(names: readonly string[], described: ReadonlyMap<string, Variable>): Variable[] {
  return names.map((name) => described.get(name) ?? undeclaredVariable(name))
}
