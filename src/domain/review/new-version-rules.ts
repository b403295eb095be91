// What is judged of a new version alone, wherever it comes from: what refuses it, and what is unwise about its variables. Published versions cannot be changed, so builds do not ask.
import type { VersionEntry } from '../content/content-tree.ts'
import { findVariableNames } from '../content/placeholders.ts'
import type { RuleProblem } from '../text/problems.ts'
import { STARTER_TEXTS } from './starter-texts.ts'

/** A problem with its place in the text of its key, where that is known: in UTF-16 units from the start of it. */
export interface PlacedProblem extends RuleProblem {
  offset?: number
}

/** What a version says that its author wrote. */
type WrittenVersion = Pick<VersionEntry, 'content' | 'variables' | 'changelog'>

/** Compares the variables that a version declares with the placeholders of its content. What differs is a warning: filling works, but hardly as meant. */
export function compareVariables({
  content,
  format,
  variables,
}: Pick<WrittenVersion, 'content' | 'variables'> & { format?: VersionEntry['format'] }): PlacedProblem[] {
  if (variables.length === 0) return []
  const used = findVariableNames({ content, format })
  const declared = new Set(variables.map(({ name }) => name))
  const unused = variables.flatMap(({ name }, index) =>
    used.includes(name)
      ? []
      : [{ rule: 'variables-are-used', key: `variables.${index}`, message: `expected {{${name}}} in the content` }],
  )
  const undeclared = used
    .filter((name) => !declared.has(name))
    .map((name) => ({
      rule: 'placeholders-are-declared',
      key: 'content',
      message: `expected a declaration of the placeholder {{${name}}}`,
      offset: content.search(new RegExp(`\\{\\{ ?${name} ?\\}\\}`)),
    }))
  return [...unused, ...undeclared]
}

/** Judges a version that is about to be published. */
export function checkNewVersion({ content, variables, changelog }: WrittenVersion): PlacedProblem[] {
  const texts: [key: string, text: string][] = [
    ['content', content],
    ['changelog', changelog],
    ...variables.map(({ description }, index): [string, string] => [`variables.${index}.description`, description]),
  ]
  return texts.flatMap(([key, text]) => checkText(key, text))
}

/** Whether a text is still the one that our tools begin it with. @param key of the text */
export function checkText(key: string, text: string): PlacedProblem[] {
  return STARTER_TEXTS.has(text.trim())
    ? [{ rule: 'is-edited', key, message: 'expected your own words, got the text that the file began with' }]
    : []
}
