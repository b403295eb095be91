// Validates a chat prompt's content. docs/content.md
import { PAGE_LIMITS } from '../page-limits.ts'
import { locateParts, trimLineEnds } from './chat.ts'

/** A problem in a chat prompt's content. */
interface ChatProblem {
  key: 'content'
  message: string
  /** Offset of the line in the content, in UTF-16 code units. */
  offset: number
}

/** A line that starts like a role line but may continue differently, which is probably a typo. */
const ROLE_LIKE_LINE = /(?:^\uFEFF?|(?<=\n))[ \t]*\{\{[ \t]*role[ \t]+["'][^\n]*/gi

/** `{{history}}`, in any spelling that is a placeholder. */
const HISTORY = /\{\{( ?)history\1\}\}/g

const EXPECTED_LINE = 'expected {{role "system"}}, {{role "user"}} or {{role "assistant"}} alone on its line'

/** Returns why a text cannot be written as a message (it would be parsed as something else), or undefined if it can. */
export function findUnwritable(text: string): string | undefined {
  if (trimLineEnds(text).trim() === '') return 'expected some text'
  // The text as it will appear: between its role line's line feed and another line feed.
  const standing = `\n${text}\n`
  if (locateParts(standing).length > 0 || standing.match(ROLE_LIKE_LINE) || standing.match(HISTORY))
    return 'expected text without role lines and without {{history}}, which would create another message'
  return undefined
}

/**
 * Checks content as a chat prompt. The rules are in docs/content.md.
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
