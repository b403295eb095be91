// A prompt with its metadata, and filling it in.
import type { AnswerSource } from './cache.ts'
import { type ChatMessage, fillChat, splitChat } from './chat.ts'
import { fillContent, findVariables, type Values } from './filling.ts'
import { callFor, type ModelCalls } from './model-call.ts'
import type { Publisher } from './publisher.ts'
import type { Advisory, Variable, VersionRecord } from './records.ts'
import type { SuiteResult } from './results.ts'
import type { SkillFile } from './skills.ts'
import { PromptHubError } from './trouble.ts'

/**
 * Where a prompt came from:
 *
 * - `memory`, `disk`: a cached response that is still fresh.
 * - `network`: the hub, just now.
 * - `stale`: an older response, used while it is revalidated, or because the hub could not be reached.
 * - `lock`: the vendored file.
 * - `fallback`: the caller's fallback text.
 */
export type Source = AnswerSource | 'lock' | 'fallback'

/** The current notices about a prompt, as far as known. */
export interface Standing {
  /** Why it is deprecated, or null. */
  deprecated: string | null
  /** Why this version was yanked, or null. */
  yanked: string | null
  /** Advisories for this version. */
  advisories: Advisory[]
}

/** A prompt's metadata. */
export interface PromptFacts {
  /** `owner/name`. */
  name: string
  /** The version, or null for a fallback. */
  version: string | null
  /** The label that it was requested by, or null. */
  label: string | null
  /** Whether it is one text, or messages with roles. */
  format: 'text' | 'chat'
  /** The text, byte for byte. */
  content: string
  /** SHA-256 of the text, in hex; null for a fallback. */
  sha256: string | null
  /** The declared variables. */
  variables: readonly Variable[]
  /** Model settings of its author, exactly as published. They are not applied. */
  parameters: Readonly<Record<string, unknown>>
  /** The files of an Agent Skill, without its SKILL.md; empty for any other prompt. */
  files: readonly SkillFile[]
  /** The workflow that published the version, as the hub or the lock says; undefined for a token or a person. */
  publisher?: Publisher | undefined
  /** The description of an Agent Skill, which a lock does not have: then empty; undefined for any other prompt. */
  skill?: string | undefined
  source: Source
  /** Time since the hub confirmed it, in milliseconds; 0 when it cannot change. */
  ageMs: number
  /** Undefined until the hub's records have been read. */
  standing: Standing | undefined
}

/** Options of filling. */
export interface FillOptions {
  /** `ignore` leaves out values that the prompt has no variable for, such as those that a test runner adds; default `error`. */
  unknown?: 'error' | 'ignore'
}

/** Options of filling the messages of a chat prompt. */
export interface MessagesOptions<History extends object = ChatMessage> extends FillOptions {
  /** The caller's earlier messages, inserted unchanged at `{{history}}`. */
  history?: readonly History[]
}

/** Options of an SDK's call. */
export interface ModelCallOptions extends MessagesOptions {
  /** Leaves out the parameters that the SDK cannot take. */
  drop?: boolean
}

/** A prompt. Its functions are not enumerable: `structuredClone`, `JSON.stringify` and a spread copy its metadata. */
export interface Prompt<Given extends object = Values> extends PromptFacts {
  /**
   * The text with its variables filled in: one pass, values are inserted literally. A fallback leaves out values that its text has no place for, and reports them as the event `unused_values`.
   *
   * @throws PromptHubError `invalid_values` naming the prompt and every missing, unknown or invalid variable; also for a chat prompt, whose role lines would go to the model as text: use `messages`
   */
  fill(values: Given, options?: FillOptions): string
  /** The same, without an error for values that the prompt has no variable for. */
  fill<More extends Given>(values: More, options: FillOptions & { unknown: 'ignore' }): string
  /**
   * Reads one of the files, verified: the one in the project if the prompt was read under a lock and the file is there, otherwise that of the hub, which is asked on each call.
   *
   * @param path one of those in `files`
   * @throws PromptHubError `not_found` for a file that the version does not have, `integrity` for other bytes, and the errors of a request
   */
  file(path: string): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Reads the results of test suites for this version, newest first; none for a fallback. Asks the hub on each call, also under a lock, because results can change. A result for other bytes is left out.
   *
   * @throws PromptHubError like a request
   */
  results(): Promise<SuiteResult[]>
  /**
   * The messages of a chat prompt with their variables filled in, in the format of OpenAI's SDK; `forAnthropic` and `forGemini` convert them for SDKs with a separate system text. Messages are filled separately: a value never creates a message.
   *
   * @throws PromptHubError `invalid_values`, also if the prompt is not a chat prompt, or has no `{{history}}` line for the history
   */
  messages<History extends object = ChatMessage>(
    values: Given,
    options?: MessagesOptions<History>,
  ): (ChatMessage | History)[]
  /** The same, without an error for values that the prompt has no variable for. */
  messages<More extends Given, History extends object = ChatMessage>(
    values: More,
    options: MessagesOptions<History> & { unknown: 'ignore' },
  ): (ChatMessage | History)[]
  /**
   * The object to pass to a model SDK: the messages (of a text prompt: one, of the user), and the prompt's `parameters` under the names that the SDK has for them. `model` is absent if the prompt names none, and always for the AI SDK: `{ model: '…', ...prompt.for('openai-chat', values) }`.
   *
   * @throws PromptHubError `invalid_values` like `messages`; `invalid_request` naming every parameter that the SDK cannot take
   */
  for<Target extends keyof ModelCalls>(target: Target, values: Given, options?: ModelCallOptions): ModelCalls[Target]
  /** The same, without an error for values that the prompt has no variable for. */
  for<Target extends keyof ModelCalls, More extends Given>(
    target: Target,
    values: More,
    options: ModelCallOptions & { unknown: 'ignore' },
  ): ModelCalls[Target]
  /** The attributes of a span that say which prompt was used: `gen_ai.prompt.name` and `gen_ai.prompt.version`, as in OpenTelemetry's conventions for generative AI, `prompt.sha256` and, if it was requested by a label, `prompt.label`. A fallback has only its name. An Agent Skill also has `gen_ai.skill.name` and, unless it was read under a lock, `gen_ai.skill.description`. */
  attributes(): Record<string, string>
}

/** Creates a prompt from its metadata. @param readFile reads one of its files @param results reads its results */
export function makePrompt<Given extends object>(
  facts: PromptFacts,
  readFile: (file: SkillFile) => Promise<Uint8Array<ArrayBuffer>>,
  results: () => Promise<SuiteResult[]>,
): Prompt<Given> {
  const file = async (path: string) => {
    const found = facts.files.find((each) => each.path === path)
    if (!found) throw noFile(facts, path)
    return readFile(found)
  }
  return withFunctions<Given>(facts, { ...fillingOf(facts, (values) => values), file, results })
}

/** Adds the functions of a prompt, which `structuredClone` would refuse to copy if they were enumerable. */
function withFunctions<Given extends object>(facts: PromptFacts, functions: Record<string, unknown>): Prompt<Given> {
  const prompt = { ...facts }
  for (const [name, value] of Object.entries(functions)) Object.defineProperty(prompt, name, { value })
  return prompt as Prompt<Given>
}

function noFile({ name, version, files }: PromptFacts, path: string): PromptHubError {
  const has = files.slice(0, 10).map((each) => each.path)
  return new PromptHubError(
    'not_found',
    `${name} ${version} has no file ${path.slice(0, 200)}; it has: ${has.join(', ') || 'none'}`,
  )
}

/**
 * Creates a prompt from the caller's fallback text. Values that the text has no place for are left out, because they are those of the hub's prompt.
 *
 * @param onUnused called with the names of values that were left out
 */
export function makeFallback<Given extends object>(
  name: string,
  content: string,
  onUnused: (names: string[]) => void,
): Prompt<Given> {
  const variables = findVariables(content)
  const unknown = { version: null, label: null, sha256: null, parameters: {}, files: [], standing: undefined }
  const format = formatOf(content)
  const facts: PromptFacts = { name, format, content, variables, source: 'fallback', ageMs: 0, ...unknown }
  const known = new Set(variables.map((variable) => variable.name))
  const take = (values: Values): Values => {
    const unused = Object.keys(values).filter((name) => !known.has(name))
    if (unused.length > 0) onUnused(unused)
    return onlyKnown(values, variables)
  }
  const file = async (path: string) => Promise.reject(noFile(facts, path))
  return withFunctions<Given>(facts, { ...fillingOf(facts, take), file, results: async () => [] })
}

/** The values of the variables, without others. */
function onlyKnown(values: Values, variables: readonly Variable[]): Values {
  return Object.fromEntries(
    variables.flatMap(({ name }) => (Object.hasOwn(values, name) ? [[name, values[name]]] : [])),
  )
}

/** The functions of a prompt that need no hub. Their errors name it. @param take the values that the text has a place for */
function fillingOf(
  { name, version, label, format, sha256, content, variables, parameters, skill }: PromptFacts,
  take: (values: Values) => Values,
): Pick<Prompt, 'fill' | 'messages' | 'for' | 'attributes'> {
  const subject = version === null ? `the fallback of ${name}` : `${name} ${version}`
  const accept = (values: Values, { unknown }: FillOptions) =>
    take(unknown === 'ignore' ? onlyKnown(values, variables) : values)
  const fill = (values: Values, options: FillOptions = {}) => {
    if (format === 'chat')
      throw new PromptHubError('invalid_values', 'this is a chat prompt; use messages instead of fill')
    return fillContent(content, variables, accept(values, options))
  }
  const messages = <History extends object>(values: Values, options: MessagesOptions<History> = {}) =>
    fillChat(content, variables, accept(values, options), options.history)
  const listMessages = (values: Values, options: ModelCallOptions): ChatMessage[] => {
    if (format === 'chat') return messages(values, options)
    if (options.history && options.history.length > 0)
      throw new PromptHubError('invalid_values', 'history: this prompt has no {{history}} line')
    return [{ role: 'user', content: fill(values, options) }]
  }
  return {
    fill: (values: Values, options?: FillOptions) => naming(subject, () => fill(values, options)),
    messages: <History extends object>(values: Values, options?: MessagesOptions<History>) =>
      naming(subject, () => messages(values, options)),
    for: <Target extends keyof ModelCalls>(target: Target, values: Values, options: ModelCallOptions = {}) =>
      naming(subject, () => callFor(target, listMessages(values, options), parameters, options.drop ?? false)),
    attributes: () => ({
      'gen_ai.prompt.name': name,
      ...(version !== null && { 'gen_ai.prompt.version': version }),
      ...(sha256 !== null && { 'prompt.sha256': sha256 }),
      ...(label !== null && { 'prompt.label': label }),
      ...(skill !== undefined && { 'gen_ai.skill.name': name.split('/').at(-1)! }),
      ...(skill !== undefined && skill !== '' && { 'gen_ai.skill.description': skill }),
    }),
  }
}

/** Names the prompt in an error about its values. */
function naming<Result>(subject: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof PromptHubError)) throw error
    throw new PromptHubError(error.code, `${subject}: ${error.message}`, { problems: error.problems })
  }
}

/** The metadata from a version's record. */
export function factsOf(record: VersionRecord): Omit<PromptFacts, 'label' | 'source' | 'ageMs' | 'standing'> {
  const { full_name: name, version, content, content_sha256: sha256 } = record
  const { variables, parameters, files, publisher, skill } = record
  const format = record.format ?? formatOf(content)
  return { name, version, format, content, sha256, variables, parameters, files, publisher, skill }
}

/** The format of a text without a record. */
export function formatOf(content: string): PromptFacts['format'] {
  return splitChat(content).length > 0 ? 'chat' : 'text'
}

/** The source of a prompt that was read from two responses: the more distant one. */
export function slower(a: AnswerSource, b: AnswerSource): AnswerSource {
  return (['stale', 'network', 'disk'] as const).find((source) => source === a || source === b) ?? 'memory'
}
