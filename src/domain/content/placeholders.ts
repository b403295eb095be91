// Owns the {{name}} placeholders of a content: finding them and filling them in one literal pass.

/** `{{name}}` or `{{ name }}`; everything else in braces is somebody else's syntax and stays. docs/contract.md section 2. */
const PLACEHOLDER = /\{\{( ?)([A-Za-z_][A-Za-z0-9_]*)\1\}\}/g

/** The names of a content's placeholders, each once, by first appearance. A name over the limit is listed too, for the rules to refuse. */
export function findPlaceholders(content: string): string[] {
  const names = new Set<string>()
  for (const match of content.matchAll(PLACEHOLDER)) names.add(match[2]!)
  return [...names]
}

/**
 * Fills the placeholders of a content.
 *
 * @param values name → text; a Map, so that `{{constructor}}` finds nothing that nobody gave
 * @returns the content with each named placeholder replaced literally, in one pass: a value is never scanned again
 */
export function fillPlaceholders(content: string, values: ReadonlyMap<string, string>): string {
  return content.replace(PLACEHOLDER, (whole, _space, name: string) => values.get(name) ?? whole)
}
