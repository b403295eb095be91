// Lists the keys of a prompt file. This file imports nothing, so that the browser loads no schemas for it.

/** The keys of a prompt file's front matter, which are fields of a publish. docs/contract.md section 7 */
export const PROMPT_FILE_KEYS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'tags', 'license', 'format', 'variables', 'parameters', 'skill', 'compose'],
])
