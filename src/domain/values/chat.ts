// Splits a chat prompt's content into messages, and formats messages as content. Scripts of prompt pages load this module; the rules are in chat-rules.ts. docs/content.md

/** The author of a message. */
export const CHAT_ROLES = ['system', 'user', 'assistant'] as const
/** The role of a message. */
type ChatRole = (typeof CHAT_ROLES)[number]

/** The formats of a version's content. */
export const FORMATS = ['text', 'chat'] as const
/** `text`, or `chat`: content with role lines. */
export type Format = (typeof FORMATS)[number]

/** What a prompt can be used as. */
export const KINDS = [...FORMATS, 'skill'] as const
export type Kind = (typeof KINDS)[number]

/** Returns what a version is. */
export const kindOf = ({ format, skill }: { format: Format; skill?: unknown }): Kind => (skill ? 'skill' : format)

/** One message; its content neither starts nor ends with a line break. */
export interface ChatMessage {
  role: ChatRole
  content: string
}

/** Marks where the caller's earlier messages are inserted. */
interface ChatHistory {
  type: 'history'
}

/** The parts of a chat prompt, in order. */
export type ChatPart = ChatMessage | ChatHistory

/** Words used in role lines, which are not allowed as variable names in a chat prompt. */
export const CHAT_NAMES: ReadonlySet<string> = new Set(['history', 'role'])

/**
 * A role marker or history marker, alone on its line; a byte order mark may precede the first marker. Lines end with LF or CRLF. The clients use the same pattern; the test cases in tests/fixtures/chat-cases.json keep them equal.
 */
const MARKER_LINE = /(?:^\uFEFF?|(?<=\n))[ \t]*\{\{(?:role "(system|user|assistant)"|history)\}\}[ \t]*\r?(?=\n|$)/g

/** Returns whether a part is a message rather than the history. */
export function isChatMessage(part: ChatPart): part is ChatMessage {
  return 'role' in part
}

/**
 * Splits any content at its role lines and discards any text before the first role line.
 *
 * @returns the parts in order; empty if the content has no role line. Content that `checkChat` accepts loses only line breaks and whitespace
 */
export function splitChat(content: string): ChatPart[] {
  return locateParts(content).map(({ role, from, to }) =>
    role === undefined ? { type: 'history' } : { role, content: trimLineEnds(content.slice(from, to)) },
  )
}

/**
 * Formats parts as content: each part is a role line and its text; an empty line separates parts, and a line feed ends the content. Parsing it returns the same parts, provided `findUnwritable` finds nothing and no text starts or ends with a line break.
 */
export function formatChat(parts: readonly ChatPart[]): string {
  const texts = parts.map((part) =>
    isChatMessage(part) ? `{{role "${part.role}"}}\n${part.content}\n` : '{{history}}\n',
  )
  return texts.join('\n')
}

/** Returns the offset of the first role line in the content, in UTF-16 code units, or undefined. History lines do not count. */
export function findRoleLine(content: string): number | undefined {
  return locateParts(content).find(({ role }) => role !== undefined)?.line
}

/** The position of a part in the content, in UTF-16 code units. */
interface LocatedPart {
  /** Undefined for the history. */
  role: ChatRole | undefined
  /** The start of its role line. */
  line: number
  /** The start and end of the text after that line. */
  from: number
  to: number
}

/** Finds the role lines and history lines of a content, each with the text after it. */
export function locateParts(content: string): LocatedPart[] {
  // Most content has no role line, and a plain search is faster.
  if (!content.includes('{{role "') && !content.includes('{{history}}')) return []
  const lines = [...content.matchAll(MARKER_LINE)]
  return lines.map((match, index) => ({
    role: match[1] as ChatRole | undefined,
    line: match.index,
    from: match.index + match[0].length,
    to: lines[index + 1]?.index ?? content.length,
  }))
}

/**
 * Trims line breaks around a text. A lone CR at its start stays, because the text after it could become a role line. A regular expression would take quadratic time in the number of line breaks.
 */
export function trimLineEnds(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && (text[from] === '\n' || text.startsWith('\r\n', from))) from += text[from] === '\n' ? 1 : 2
  while (to > from && (text[to - 1] === '\n' || text[to - 1] === '\r')) to--
  return text.slice(from, to)
}
