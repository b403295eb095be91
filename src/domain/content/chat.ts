// Splits the content of a chat prompt into messages, checks it, and prints messages as content. docs/contract.md section 2
import { LIMITS } from '../api/limits.ts'

/** Who speaks in a message. */
export const CHAT_ROLES = ['system', 'user', 'assistant'] as const
/** One of the roles. */
type ChatRole = (typeof CHAT_ROLES)[number]

/** The formats of a version's content. */
export const FORMATS = ['text', 'chat'] as const
/** `text`, or `chat`: text with role lines. */
export type Format = (typeof FORMATS)[number]

/** One message; its content has no line ends at its beginning and end. */
export interface ChatMessage {
  role: ChatRole
  content: string
}

/** The place where a caller's earlier messages go. */
interface ChatHistory {
  type: 'history'
}

/** What a chat prompt consists of, in order. */
export type ChatPart = ChatMessage | ChatHistory

/** A problem of a chat prompt's content. */
interface ChatProblem {
  key: 'content'
  message: string
  /** Where the line begins, in UTF-16 units from the start of the content. */
  offset: number
}

/** Words of the role lines: no variable of a chat prompt may have one as its name. */
export const CHAT_NAMES: ReadonlySet<string> = new Set(['history', 'role'])

/**
 * A role line or a history line, alone on its line; a byte order mark may stand before the first one. Only LF ends a line, and a CR may stand before it.
 * The clients have the same pattern: tests/fixtures/chat-cases.json holds them together.
 */
const MARKER_LINE = /(?:^\uFEFF?|(?<=\n))[ \t]*\{\{(?:role "(system|user|assistant)"|history)\}\}[ \t]*\r?(?=\n|$)/g

/** A line that begins as a role line does, whatever follows: most likely a typing error. */
const ROLE_LIKE_LINE = /(?:^\uFEFF?|(?<=\n))[ \t]*\{\{[ \t]*role[ \t]+["'][^\n]*/gi

/** `{{history}}` in any form that a placeholder may have. */
const HISTORY = /\{\{( ?)history\1\}\}/g

const EXPECTED_LINE = 'expected {{role "system"}}, {{role "user"}} or {{role "assistant"}} alone on its line'

/** Whether a part is a message, and not the place of the history. */
export function isChatMessage(part: ChatPart): part is ChatMessage {
  return 'role' in part
}

/**
 * Splits a content at its role lines, whatever it holds; text before the first one is left out.
 *
 * @returns the parts in order; none when the content has no role line. A content that `checkChat` accepts loses nothing but line ends and white space
 */
export function splitChat(content: string): ChatPart[] {
  return locateParts(content).map(({ role, from, to }) =>
    role === undefined ? { type: 'history' } : { role, content: trimLineEnds(content.slice(from, to)) },
  )
}

/**
 * Writes parts as content: role line, line feed, text; an empty line between parts and a line feed at the end.
 * Reading it back gives the same parts, as long as `findUnwritable` finds nothing and no text begins or ends with a line end.
 */
export function formatChat(parts: readonly ChatPart[]): string {
  const texts = parts.map((part) =>
    isChatMessage(part) ? `{{role "${part.role}"}}\n${part.content}\n` : '{{history}}\n',
  )
  return texts.join('\n')
}

/** Why a text cannot be written as a message: it would be read as something else. Undefined when it can. */
export function findUnwritable(text: string): string | undefined {
  if (trimLineEnds(text).trim() === '') return 'expected some text, got nothing but white space'
  // As it will stand: after the line feed of its role line, and before another.
  const standing = `\n${text}\n`
  if (locateParts(standing).length > 0 || standing.match(ROLE_LIKE_LINE) || standing.match(HISTORY))
    return 'expected text without role lines and without {{history}}, which would make another message'
  return undefined
}

/**
 * Everything that is wrong with a content as a chat prompt, in the order of its lines.
 *
 * @returns empty when it is one; the contract's rules are in docs/contract.md section 2
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
      say(index, 'expected {{history}} alone on its line: in a chat prompt it stands for the earlier messages')
  for (const { index } of content.matchAll(/\{\{( ?)role\1\}\}/g))
    say(index, 'expected another name: in a chat prompt no variable is called role')
  const messages = parts.filter(({ role }) => role !== undefined)
  if (messages.length > LIMITS.messagesPerVersion)
    say(messages[LIMITS.messagesPerVersion]!.line, `expected at most ${LIMITS.messagesPerVersion} messages`)
  if (messages.length === 0) {
    if (problems.length === 0) say(0, `${EXPECTED_LINE}, got none`)
  } else if (beforeText !== -1) say(beforeText, 'expected nothing but white space before the first role line')
  let isStart = true
  let hasHistory = false
  for (const { role, line, from, to } of parts) {
    if (role === undefined) {
      if (hasHistory) say(line, 'expected {{history}} once')
      hasHistory = true
    } else {
      if (role === 'system' && !isStart) say(line, 'expected system messages before all others')
      if (content.slice(from, to).trim() === '') say(line, `expected some text in this ${role} message`)
    }
    isStart &&= role === 'system'
  }
  return problems.sort((a, b) => a.offset - b.offset)
}

/** Where the first role line of a content begins, in UTF-16 units, or undefined. A history line alone does not count. */
export function findRoleLine(content: string): number | undefined {
  return locateParts(content).find(({ role }) => role !== undefined)?.line
}

/** Where a part lies, in UTF-16 units from the start of the content. */
interface LocatedPart {
  /** Undefined for the place of the history. */
  role: ChatRole | undefined
  /** Where its role line begins. */
  line: number
  /** Where the text after that line begins and ends. */
  from: number
  to: number
}

function locateParts(content: string): LocatedPart[] {
  // Most texts have no role line, and a plain search tells so much sooner.
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
 * Removes line ends around a text. A lone CR at its beginning stays: what stands behind it could become a role line.
 *
 * By hand: a pattern would need time by the square of the number of line ends.
 */
function trimLineEnds(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && (text[from] === '\n' || text.startsWith('\r\n', from))) from += text[from] === '\n' ? 1 : 2
  while (to > from && (text[to - 1] === '\n' || text[to - 1] === '\r')) to--
  return text.slice(from, to)
}
