// Builds links that add a prompt to an editor with one click.
import type { VersionRecord } from '../../domain/api/schema.ts'
import { fillContent } from '../../domain/content/filling.ts'

/** Cursor opens no longer link. https://cursor.com/docs/reference/deeplinks */
const MAX_LINK_CHARACTERS = 8_000

/**
 * Lists the links that work for a version. Both editors ask before they add anything.
 *
 * @param isForReaders whether only readers may read the hub: VS Code sends no token
 */
export function listEditorLinks(
  { name, format, content, variables, url }: VersionRecord,
  isForReaders: boolean,
): { editor: string; href: string }[] {
  if (format === 'chat') return []
  const { value } = fillContent({ content, variables }, {}, 'strict')
  const command = new URLSearchParams({ name, text: value?.content ?? '' }).toString().replaceAll('+', '%20')
  const cursor = `cursor://anysphere.cursor-deeplink/command?${command}`
  return [
    // No page of its documentation has this form; the lists of Microsoft and GitHub do: https://github.com/github/awesome-copilot
    ...(isForReaders
      ? []
      : [
          {
            editor: 'VS Code',
            href: `vscode:chat-prompt/install?url=${encodeURIComponent(`${url}/export/copilot-prompt`)}`,
          },
        ]),
    // A command has no variables.
    ...(value && cursor.length <= MAX_LINK_CHARACTERS ? [{ editor: 'Cursor', href: cursor }] : []),
  ]
}
