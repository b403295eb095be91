// Chat prompts: splits a text with role lines into messages, and writes them in the shapes that the SDKs take.
import { type FillableVariable, fillTexts, type Values } from './filling.ts'
import { PromptHubError } from './trouble.ts'

/** One message, in the shape that OpenAI's SDK and LangChain take. A type and no interface: LangChain takes any key, and interfaces promise none. */
export type ChatMessage = {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** A message, or the place where the caller's earlier messages go. */
export type ChatPart = ChatMessage | { type: 'history' }

/**
 * A role line or a history line. Only LF ends a line, and a CR may stand before it; a byte order mark may stand before the first one.
 * The hub has the same pattern, and one table of cases holds them together.
 */
const MARKER_LINE = /(?:^\uFEFF?|(?<=\n))[ \t]*\{\{(?:role "(system|user|assistant)"|history)\}\}[ \t]*\r?(?=\n|$)/g

/** Splits a text at its role lines; none when it has no role line before all other text. */
export function splitChat(content: string): ChatPart[] {
  const lines = [...content.matchAll(MARKER_LINE)]
  if (!lines[0] || content.slice(0, lines[0].index).trim() !== '') return []
  return lines.map((match, index) =>
    match[1] === undefined
      ? { type: 'history' }
      : {
          role: match[1] as ChatMessage['role'],
          content: trimLineEnds(content.slice(match.index + match[0].length, lines[index + 1]?.index)),
        },
  )
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

/**
 * The messages of a chat prompt with their variables filled in, each message by itself: no value makes another message.
 *
 * @param history put where the prompt has `{{history}}`, as it is
 * @throws PromptHubError `invalid_values`, also for a text that is no chat prompt and for history that has no place
 */
export function fillChat<History extends object = never>(
  content: string,
  variables: readonly FillableVariable[],
  values: Values,
  history: readonly History[] = [],
): (ChatMessage | History)[] {
  const parts = splitChat(content)
  if (!parts.some((part) => 'role' in part))
    throw new PromptHubError('invalid_values', 'this prompt is a text without roles; use fill')
  if (history.length > 0 && parts.every((part) => 'role' in part))
    throw new PromptHubError('invalid_values', 'history: this prompt has no place for it, which is {{history}}')
  const texts = parts.flatMap((part) => ('role' in part ? [part.content] : []))
  // A text whose record is not at hand has a variable for each placeholder; this one is none.
  const known = variables.filter(({ name }) => name !== 'history')
  const filled = fillTexts(texts, known, values).values()
  return parts.flatMap((part): (ChatMessage | History)[] =>
    'role' in part ? [{ role: part.role, content: filled.next().value as string }] : [...history],
  )
}

/** What Anthropic's `messages.create` takes beside a model: there, the system text stands apart. */
export interface AnthropicChat {
  /** All system messages, with an empty line between them; absent without any. */
  system?: string
  messages: { role: 'user' | 'assistant'; content: string }[]
}

/** Messages in the shape of Anthropic's SDK: `client.messages.create({ model, max_tokens, ...forAnthropic(messages) })`. */
export function forAnthropic(messages: readonly ChatMessage[]): AnthropicChat {
  const { system, turns } = takeSystem(messages)
  return { ...(system === undefined ? {} : { system }), messages: turns }
}

/** What Gemini's `generateContent` takes. */
export interface GeminiChat {
  /** All system messages, with an empty line between them; absent without any. In `@google/genai` it stands in `config`. */
  systemInstruction?: { parts: { text: string }[] }
  contents: { role: 'user' | 'model'; parts: { text: string }[] }[]
}

/** Messages in the shape of Gemini's API, where the assistant is called model. */
export function forGemini(messages: readonly ChatMessage[]): GeminiChat {
  const { system, turns } = takeSystem(messages)
  return {
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: turns.map(({ role, content }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: [{ text: content }],
    })),
  }
}

function takeSystem(messages: readonly ChatMessage[]) {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  const turns = messages.flatMap(({ role, content }) => (role === 'system' ? [] : [{ role, content }]))
  return { system: system.length === 0 ? undefined : system.join('\n\n'), turns }
}
