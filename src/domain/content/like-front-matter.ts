// Finds content that begins with front matter. A module of its own, because it needs the YAML parsers, which MCP does not load.
import type { Finding } from './finding.ts'
import { beginsWithFrontMatter, type VersionFile } from './prompt-file.ts'

/** Finds the front matter of a prompt file at the beginning of content: it is stored as content. */
export function findLikeFrontMatter({ content }: Pick<VersionFile, 'content'>): Finding[] {
  if (!beginsWithFrontMatter(content)) return []
  const message =
    'begins with front matter, which is part of the content. To use its fields, publish the file with "Content-Type: text/markdown", and with a first line that is exactly ---'
  return [{ code: 'looks_like_front_matter', key: 'content', message, offset: 0 }]
}
