// Warns about content that begins with front matter. A module of its own, because it needs the YAML parsers, which MCP does not load.
import type { Warning } from '../api/schema.ts'
import { beginsWithFrontMatter, type VersionFile } from './prompt-file.ts'

/** Warns about content that begins with the front matter of a prompt file: it is stored as content. */
export function warnOfFrontMatter({ content }: Pick<VersionFile, 'content'>): Warning[] {
  if (!beginsWithFrontMatter(content)) return []
  const message =
    'content: begins with front matter, which is part of the content. To use its fields, publish the file with "Content-Type: text/markdown", and with a first line that is exactly ---'
  return [{ code: 'looks_like_front_matter', message, line: 1 }]
}
