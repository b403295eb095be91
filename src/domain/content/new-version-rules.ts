// Rules for new versions only, whatever their origin: errors, and advice about variables. Published versions cannot be changed, so builds skip these rules.

import type { RuleProblem } from '../text/problems.ts'
import type { VersionEntry } from './content-tree.ts'
import { countPlaceholders } from './placeholders.ts'
import { STARTER_TEXTS } from './starter-texts.ts'

/** The fields of a version that its author writes. */
type WrittenVersion = Pick<VersionEntry, 'content' | 'variables' | 'changelog'>

/** Compares the declared variables of a version with the placeholders of its content. Differences cause only warnings, because the prompt can still be filled in, although probably not as intended. */
export function compareVariables({
  content,
  format,
  variables,
}: Pick<WrittenVersion, 'content' | 'variables'> & { format?: VersionEntry['format'] }): RuleProblem[] {
  if (variables.length === 0) return []
  const used = countPlaceholders(content)
  // In a chat prompt, it stands for the earlier messages.
  if (format === 'chat') used.delete('history')
  const declared = new Set(variables.map(({ name }) => name))
  const unused = variables.flatMap(({ name }, index) =>
    used.has(name)
      ? []
      : [{ rule: 'variables-are-used', key: `variables.${index}`, message: `expected {{${name}}} in the content` }],
  )
  const undeclared = [...used]
    .filter(([name]) => !declared.has(name))
    .map(([name, { offset }]) => ({
      rule: 'placeholders-are-declared',
      key: 'content',
      message: `expected a declaration of the placeholder {{${name}}}`,
      offset,
    }))
  return [...unused, ...undeclared]
}

/** Checks a version that is about to be published. */
export function checkNewVersion({ content, variables, changelog }: WrittenVersion): RuleProblem[] {
  const texts: [key: string, text: string][] = [
    ['content', content],
    ['changelog', changelog],
    ...variables.map(({ description }, index): [string, string] => [`variables.${index}.description`, description]),
  ]
  return texts.flatMap(([key, text]) => checkText(key, text))
}

/** Reports text that is unchanged from the template. @param key the field that contains the text */
export function checkText(key: string, text: string): RuleProblem[] {
  return STARTER_TEXTS.has(text.trim())
    ? [{ rule: 'is-edited', key, message: 'expected your own text, got the text of the template' }]
    : []
}
