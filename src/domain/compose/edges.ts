// Finds parts whose first or last line would mean something else in the assembled text than in the part. docs/compose.md
import { type Format, splitChat } from '../values/chat.ts'
import { findUnwritable } from '../values/chat-rules.ts'
import { partText } from './include-lines.ts'

/** What follows a part in the source, up to the next part. */
interface Place {
  after: string
  /** The format of the next part; undefined after the last one. */
  next: Format | undefined
}

/**
 * Finds why a part cannot stand where it is included. A part stands between line ends, so no placeholder and no role line reaches across its edges; what is left is listed here.
 *
 * @returns the end of a sentence about the part
 */
export function findEdgeProblem(
  format: Format,
  part: { content: string; format: Format },
  { after, next }: Place,
): string | undefined {
  const text = partText(part.content)
  if (text.startsWith('\uFEFF')) return 'begins with a byte order mark. Include a version without one'
  if (text.endsWith('\r')) return 'ends with a lone carriage return. Include a version without it'
  if (format === 'text') return undefined
  if (part.format === 'text')
    return findUnwritable(text) === undefined
      ? undefined
      : 'has role lines or {{history}}, but is not a chat prompt. Include a version with format chat, or a text without them'
  const following = after.replace(/^[ \t\r\n]+/, '')
  const isFollowed = following === '' ? next !== 'text' : splitChat(following.split('\n', 1)[0]!).length > 0
  return isFollowed ? undefined : 'is a chat prompt, so a role line must follow it, or the end'
}
