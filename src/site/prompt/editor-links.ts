// Builds links that add a prompt to an editor, or open it there, with one click.
import type { VersionRecord } from '../../domain/api/schema.ts'
import { EDITOR_VALUE } from '../../domain/content/editor-values.ts'
import { fillContent } from '../../domain/content/filling.ts'
import { listInterpolations } from '../../domain/content/skill.ts'

/** Cursor opens no longer link. https://cursor.com/docs/reference/deeplinks */
const MAX_LINK_CHARACTERS = 8_000

/** Claude Code takes no longer text. https://code.claude.com/docs/en/deep-links */
const MAX_CLAUDE_CHARACTERS = 5_000

/**
 * Lists the links that work for a version, and that carry what its exports for these editors do not refuse. Each editor asks before it adds or sends anything.
 *
 * @param isForReaders whether only readers may read the hub: VS Code sends no token
 */
export function listEditorLinks(
  { name, format, content, variables, url }: VersionRecord,
  isForReaders: boolean,
): { words: string; href: string }[] {
  if (format === 'chat') return []
  // No page of its documentation has this form; the lists of Microsoft and GitHub do: https://github.com/github/awesome-copilot
  const vsCode = `vscode:chat-prompt/install?url=${encodeURIComponent(`${url}/export/copilot-prompt`)}`
  const isFilledByCopilot = content.search(EDITOR_VALUE) >= 0
  return [
    ...(isForReaders || isFilledByCopilot ? [] : [{ words: 'Add to VS Code', href: vsCode }]),
    ...listWithText(name, { content, variables }),
  ]
}

/** Lists the links that contain the text, which has no variables there. */
function listWithText(name: string, version: Pick<VersionRecord, 'content' | 'variables'>) {
  const text = fillContent(version, {}, 'strict').value?.content
  // Both programs would put in the file that a text names with @.
  if (text === undefined || listInterpolations(text).length > 0) return []
  const query = new URLSearchParams({ name, text }).toString().replaceAll('+', '%20')
  const cursor = (kind: 'command' | 'rule') => `cursor://anysphere.cursor-deeplink/${kind}?${query}`
  const links = [
    { words: 'Add to Cursor', href: cursor('command') },
    { words: 'Add to Cursor as a rule', href: cursor('rule') },
  ].filter(({ href }) => href.length <= MAX_LINK_CHARACTERS)
  const claude = {
    words: 'Open in Claude Code',
    href: `claude-cli://open?q=${encodeURIComponent(text.toWellFormed())}`,
  }
  return text.length <= MAX_CLAUDE_CHARACTERS ? [...links, claude] : links
}
