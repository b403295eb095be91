// Writes which version a command fetches. The server writes the pinned one into each command; a browser replaces it when the reader chooses another. Imports nothing, because every prompt page loads it.

/** A version by its number, or the one that a label points to; undefined for the latest. */
export type VersionChoice = { parameter: 'version' | 'label'; value: string } | undefined

/** How a tool takes the version: as a query, an option, after the name, in JSON, or as part of a page's address. */
export type Selector = 'query' | 'option' | 'at' | 'json' | 'page'

/** Returns the part of a command that chooses the version; empty for the latest. */
export function formatSelected(selector: Selector, choice: VersionChoice): string {
  if (choice === undefined) return ''
  const { parameter, value } = choice
  if (selector === 'query') return `?${parameter}=${value}`
  if (selector === 'option') return ` --${parameter} ${value}`
  if (selector === 'at') return `@${value}`
  if (selector === 'json') return `,"${parameter}":"${value}"`
  return parameter === 'version' ? `/v/${value}` : ''
}

/** Returns the value of an option in the menu of versions; `parseChoice` reads it. */
export const formatChoice = (choice: VersionChoice): string => (choice ? `${choice.parameter}=${choice.value}` : '')

export function parseChoice(text: string): VersionChoice {
  const [parameter, value = ''] = text.split('=')
  return parameter === 'version' || parameter === 'label' ? { parameter, value } : undefined
}
