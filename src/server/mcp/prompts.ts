// Serves prompts as MCP prompts, with variables as arguments.

import type { Variable } from '../../domain/api/schema.ts'
import { fillMessages, formatFillingProblems, mustBeGiven } from '../../domain/content/filling.ts'
import { isObject } from '../../domain/text/json.ts'
import { countCharacters } from '../../domain/text/plain-text.ts'
import { type ChatMessage, isChatMessage } from '../../domain/values/chat.ts'
import { isName, isOwner, nameOfOriginal } from '../../domain/values/names.ts'
import type { MenuEntry } from '../../search/search.ts'
import type { Hub } from '../hub.ts'
import { findRepository } from '../read/records.ts'
import { invalidParams, type McpResult, readObject, unknownName } from './protocol.ts'

const DESCRIPTION_CHARACTERS = 300
const ARGUMENT_CHARACTERS = 200

/** Handles `prompts/list`. */
export async function listPrompts(hub: Hub): Promise<McpResult> {
  const entries = await hub.search().listMenu()
  const prompts = entries.map(({ owner, name, variables, ...entry }) => ({
    // Clients turn the name into a slash command, so it contains no slashes or spaces. Neither part can contain an underscore, so the name can be split again.
    name: `${owner}__${name}`,
    title: `${owner}/${name}`,
    description: formatMenuEntry(entry),
    arguments: variables.map(describeArgument),
  }))
  return { prompts }
}

/** Joins the title, the original of a fork, and the description in a single line. */
export function formatMenuEntry({
  title,
  description,
  forked_from,
}: Pick<MenuEntry, 'title' | 'description' | 'forked_from'>): string {
  const name = forked_from === null ? title : `${title} (fork of ${nameOfOriginal(forked_from)})`
  return menuText([name, description].filter((part) => part !== '').join(': '), DESCRIPTION_CHARACTERS)
}

function describeArgument(variable: Variable) {
  const usual = variable.default === null ? '' : `(default: ${variable.default})`
  const description = menuText(`${variable.description} ${usual}`, ARGUMENT_CHARACTERS)
  return { name: variable.name, ...(description === '' ? {} : { description }), required: mustBeGiven(variable) }
}

/** Matches control, format, private-use and unassigned characters, and other invisible characters such as variation selectors and fillers. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** Converts a string to a single line without hidden characters. @param maxCharacters maximum length in code points; longer lines are truncated and end with `…` */
function menuText(text: string, maxCharacters: number): string {
  const line = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim()
  if (countCharacters(line) <= maxCharacters) return line
  return `${[...line].slice(0, maxCharacters - 1).join('')}…`
}

/** Finds a prompt's latest version by its name in `prompts/list`. @throws McpFailure if there is none */
export async function findPrompt(given: unknown, hub: Hub) {
  const [owner = '', name = '', rest] = typeof given === 'string' ? given.split('__') : []
  const isWellFormed = rest === undefined && isOwner(owner) && isName(name)
  const repository = isWellFormed ? (await findRepository(owner, name, hub))?.value() : undefined
  if (!repository || repository.content === null)
    throw unknownName('prompt', given, "A prompt's name is owner__name; find both with search_prompts.")
  return { repository, content: repository.content }
}

/** Handles `prompts/get`: returns messages without unfilled placeholders; a text prompt is a single message. docs/contract.md sections 8 and 11 */
export async function getPrompt(params: Record<string, unknown>, hub: Hub): Promise<McpResult> {
  const { repository, content } = await findPrompt(params.name, hub)
  const given = readObject(params.arguments ?? {})
  // Null stands for an argument that was not given.
  const values = isObject(given) ? Object.entries(given).filter(([, value]) => value !== null) : undefined
  if (!values || values.some(([, value]) => typeof value !== 'string')) {
    throw invalidParams('arguments: expected an object of strings, for example {"language": "Go"}.')
  }
  const { variables } = repository
  // Clients may send variables from an older version, so unknown variables are ignored.
  const known = Object.fromEntries(values.filter(([key]) => variables.some(({ name }) => name === key)))
  const parts = repository.messages ?? [{ role: 'user' as const, content }]
  const { value, problems } = fillMessages({ messages: parts, variables }, known, 'strict')
  if (!value) throw invalidParams(`arguments: ${formatFillingProblems(problems)}.`)
  return {
    description: formatMenuEntry(repository),
    messages: withoutSystem(value.messages.filter(isChatMessage)).map(({ role, content: text }) => ({
      role,
      content: { type: 'text', text },
    })),
  }
}

/** Moves system prompts into the first user message, because the protocol has no system role. A user message is added if the prompt starts with an assistant message. */
function withoutSystem(messages: readonly ChatMessage[]): ChatMessage[] {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  const [first, ...others] = messages.filter(({ role }) => role !== 'system')
  if (system.length === 0) return first ? [first, ...others] : []
  const isUser = first?.role === 'user'
  const content = [...system, ...(isUser ? [first.content] : [])].join('\n\n')
  return [{ role: 'user', content }, ...(first && !isUser ? [first] : []), ...others]
}
