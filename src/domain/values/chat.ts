// Splits a chat prompt's content into messages, validates it, and formats messages as content. docs/contract.md section 2
import { PAGE_LIMITS } from '../page-limits.ts'

/** The author of a message. */
export const CHAT_ROLES = ['system', 'user', 'assistant'] as const
/** The role of a message. */
type ChatRole = (typeof CHAT_ROLES)[number]

/** The formats of a version's content. */
export const FORMATS = ['text', 'chat'] as const
/** `text`, or `chat`: content with role lines. */
export type Format = (typeof FORMATS)[number]

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

/** A problem in a chat prompt's content. */
interface ChatProblem {
  key: 'content'
  message: string
  /** Offset of the line in the content, in UTF-16 code units. */
  offset: number
}

/** Words used in role lines, which are not allowed as variable names in a chat prompt. */
export const CHAT_NAMES: ReadonlySet<string> = new Set(['history', 'role'])

/**
 * A role marker or history marker, alone on its line; a byte order mark may precede the first marker. Lines end with LF or CRLF. The clients use the same pattern; the test cases in tests/fixtures/chat-cases.json keep them equal.
 */
const MARKER_LINE = /(?:^\uFEFF?|(?<=\n))[ \t]*\{\{(?:role "(system|user|assistant)"|history)\}\}[ \t]*\r?(?=\n|$)/g

/** A line that starts like a role line but may continue differently, which is probably a typo. */
const ROLE_LIKE_LINE = /(?:^\uFEFF?|(?<=\n))[ \t]*\{\{[ \t]*role[ \t]+["'][^\n]*/gi

/** `{{history}}`, in any spelling that is a placeholder. */
const HISTORY = /\{\{( ?)history\1\}\}/g

const EXPECTED_LINE = 'expected {{role "system"}}, {{role "user"}} or {{role "assistant"}} alone on its line'

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

/** Returns why a text cannot be written as a message (it would be parsed as something else), or undefined if it can. */
export function findUnwritable(text: string): string | undefined {
  if (trimLineEnds(text).trim() === '') return 'expected some text, got only whitespace'
  // The text as it will appear: between its role line's line feed and another line feed.
  const standing = `\n${text}\n`
  if (locateParts(standing).length > 0 || standing.match(ROLE_LIKE_LINE) || standing.match(HISTORY))
    return 'expected text without role lines and without {{history}}, which would create another message'
  return undefined
}

/**
 * Checks content as a chat prompt. The rules are in docs/contract.md section 2.
 *
 * @returns all problems in line order; empty if it is valid
 */
export function checkChat(content: string): ChatProblem[] {
  const problems: ChatProblem[] = []
  const say = (offset: number, message: string) => problems.push({ key: 'content', message, offset })
  const parts = locateParts(content)
  const markers = new Set(parts.map(({ line }) => line))
  const before = content.slice(0, parts[0]?.line ?? content.length)
  const beforeText = before.search(/[^\s\uFEFF]/)
  for (const { index } of content.matchAll(ROLE_LIKE_LINE)) if (!markers.has(index)) say(index, EXPECTED_LINE)
  const places = new Set(
    parts.flatMap(({ role, line }) => (role === undefined ? [content.indexOf('{{history}}', line)] : [])),
  )
  for (const { index } of content.matchAll(HISTORY))
    if (!places.has(index))
      say(index, 'expected {{history}} alone on its line: in a chat prompt, it stands for the earlier messages')
  for (const { index } of content.matchAll(/\{\{( ?)role\1\}\}/g))
    say(index, 'expected another name: in a chat prompt, no variable can be named role')
  const messages = parts.filter(({ role }) => role !== undefined)
  if (messages.length > PAGE_LIMITS.messagesPerVersion)
    say(messages[PAGE_LIMITS.messagesPerVersion]!.line, `expected at most ${PAGE_LIMITS.messagesPerVersion} messages`)
  if (messages.length === 0) {
    if (problems.length === 0) say(0, `${EXPECTED_LINE}, got none`)
  } else if (beforeText !== -1) say(beforeText, 'expected only whitespace before the first role line')
  let isStart = true
  let hasHistory = false
  for (const { role, line, from, to } of parts) {
    if (role === undefined) {
      if (hasHistory) say(line, 'expected {{history}} only once')
      hasHistory = true
      const text = content.slice(from, to).search(/[^\s\uFEFF]/)
      if (text !== -1) say(from + text, 'expected only whitespace between {{history}} and the next role line')
    } else {
      if (role === 'system' && !isStart) say(line, 'expected system messages before all others')
      if (content.slice(from, to).trim() === '') say(line, `expected some text in this ${role} message`)
    }
    isStart &&= role === 'system'
  }
  return problems.sort((a, b) => a.offset - b.offset)
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

function locateParts(content: string): LocatedPart[] {
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
