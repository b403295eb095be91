// Reads lists of messages in files of other tools: each has a role, and a text or parts of text.
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { CHAT_ROLES, type ChatMessage, trimLineEnds } from '../../../src/domain/values/chat.ts'
import type { ConversionProblems, KnownKeys, PortableMessage, PortablePrompt } from './portable.ts'
import { textOf } from './source-file.ts'

/** The roles of other tools, in lower case. Newer models of OpenAI call the system `developer`. */
export const ROLES: ReadonlyMap<string, ChatMessage['role']> = new Map([
  ...CHAT_ROLES.map((role) => [role, role] as const),
  ['developer', 'system'],
])

/** The keys of a message. Others, such as the calls of a tool, are lost. */
const MESSAGE: KnownKeys = {
  other: ['role', 'content', 'type', 'id', 'status', 'phase', 'template_format', 'input_variables'],
}

/** The keys of a place of earlier messages, which has no name on a hub. */
const HISTORY: KnownKeys = { other: ['role', 'type', 'name'] }
/** The keys of a part of a message. */
const PART: KnownKeys = { other: ['type', 'text'] }

/** How a list of messages is read. */
interface ListOptions {
  findings: ConversionProblems
  /** The key of the list, and its line. */
  key: string
  line?: number | null
  /** Returns the text of a message; undefined if it is not text. By default, the text is its content. */
  readText?: (message: Record<string, unknown>) => string | undefined
  /** Returns whether a message stands for the caller's earlier messages. */
  isHistory?: (message: Record<string, unknown>) => boolean
  /** What a message must have. */
  expected?: string
}

/** Reads a list of messages. One that is blank is left out; one without a role of the hub, or without text, is refused. */
export function readList(
  list: unknown,
  {
    findings,
    key,
    line,
    readText = readContent,
    isHistory,
    expected = 'expected a role (system, user or assistant) and a text',
  }: ListOptions,
): PortableMessage[] {
  const messages: PortableMessage[] = []
  for (const message of Array.isArray(list) ? list : [undefined]) {
    const given = isObject(message) ? message : {}
    if (isHistory?.(given)) {
      findings.unsupported(given, HISTORY, undefined, 'messages.')
      addHistory(messages, key, findings)
      continue
    }
    const role = ROLES.get(textOf(given.role).toLowerCase())
    const content = role && readText(given)
    if (role === undefined || content === undefined) {
      findings.refused(key, expected, line)
      continue
    }
    findings.unsupported(given, MESSAGE, undefined, 'messages.')
    if (content.trim() !== '') messages.push({ role, content })
  }
  return messages
}

const readContent = ({ content }: Record<string, unknown>) => (typeof content === 'string' ? content : undefined)

/** Reads the content of a message: a text, or a list of parts. @param types the types of parts with text @returns undefined if a part is not text */
export function joinParts(
  content: unknown,
  findings: ConversionProblems,
  types: readonly string[] = ['text'],
): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const isText = (part: unknown) => isObject(part) && types.includes(textOf(part.type)) && typeof part.text === 'string'
  if (!content.every(isText)) return undefined
  for (const part of content) findings.unsupported(part, PART, undefined, 'messages.content.')
  return content.map(({ text }) => text).join('\n')
}

/** A single user message becomes a text prompt. Line breaks around a chat message are not part of it. */
export function readMessages(
  messages: readonly PortableMessage[],
  findings: ConversionProblems,
): PortablePrompt['body'] {
  const [first] = messages
  if (messages.length === 1 && first && 'role' in first && first.role === 'user')
    return { format: 'text', text: first.content }
  const trimmed = messages.map((message) =>
    'role' in message ? { ...message, content: trimLineEnds(message.content) } : message,
  )
  if (messages.length === 0) findings.refused('messages', 'expected a message with some text')
  return { format: 'chat', messages: trimmed }
}

/** Marks the place of earlier messages, of which there is only one. @param key of the list of messages */
export function addHistory(messages: PortableMessage[], key: string, findings: ConversionProblems): void {
  // From the end, so that a list with many such places takes linear time.
  if (messages.findLast((one) => 'type' in one))
    findings.refused(key, 'Prompt Hub supports earlier messages in only one place')
  messages.push({ type: 'history' })
}

/** Collects the placeholders of the texts of one prompt, in order of first appearance. */
export class PlaceholderNames {
  readonly #names = new Set<string>()

  /** Adds the names of a text that was read. @returns the text */
  take({ text, names }: { text: string; names: readonly string[] }): string {
    for (const name of names) this.#names.add(name)
    return text
  }

  /** Returns a declaration of each. */
  get variables(): PortablePrompt['variables'] {
    return [...this.#names].map(undeclaredVariable)
  }
}
