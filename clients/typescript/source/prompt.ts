// A prompt with its metadata, and filling it in.
import type { AnswerSource } from './cache.ts'
import { type ChatMessage, fillChat, splitChat } from './chat.ts'
import { fillContent, findVariables, type Values } from './filling.ts'
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
  source: Source
  /** Time since the hub confirmed it, in milliseconds; 0 when it cannot change. */
  ageMs: number
  /** Undefined until the hub's records have been read. */
  standing: Standing | undefined
}

/** A prompt. */
export interface Prompt<Given extends object = Values> extends PromptFacts {
  /**
   * The text with its variables filled in: one pass, values are inserted literally. A fallback leaves out values that its text has no place for, and reports them as the event `unused_values`.
   *
   * @throws PromptHubError `invalid_values` naming the prompt and every missing, unknown or invalid variable; also for a chat prompt, whose role lines would go to the model as text: use `messages`
   */
  fill(values: Given): string
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
   * @param options `history`: the caller's earlier messages, inserted unchanged at `{{history}}`
   * @throws PromptHubError `invalid_values`, also if the prompt is not a chat prompt, or has no `{{history}}` line for the history
   */
  messages<History extends object = ChatMessage>(
    values: Given,
    options?: { history?: readonly History[] },
  ): (ChatMessage | History)[]
  /** The attributes of a span that say which prompt was used: `gen_ai.prompt.name` and `gen_ai.prompt.version`, as in OpenTelemetry's conventions for generative AI, and `prompt.sha256`. A fallback has only its name. */
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
  return { ...facts, ...fillingOf<Given>(facts, (values) => values), file, results }
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
  const unknown = { version: null, sha256: null, parameters: {}, files: [], standing: undefined }
  const facts: PromptFacts = { name, content, variables, source: 'fallback', ageMs: 0, ...unknown }
  const known = new Set(variables.map((variable) => variable.name))
  const take = (values: Values): Values => {
    const unused = Object.keys(values).filter((name) => !known.has(name))
    if (unused.length > 0) onUnused(unused)
    return Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)))
  }
  return {
    ...facts,
    ...fillingOf<Given>(facts, take),
    file: async (path) => Promise.reject(noFile(facts, path)),
    results: async () => [],
  }
}

/** The functions of a prompt. Their errors name it. */
function fillingOf<Given extends object>(
  { name, version, sha256, content, variables }: PromptFacts,
  take: (values: Values) => Values,
): Pick<Prompt<Given>, 'fill' | 'messages' | 'attributes'> {
  const subject = version === null ? `the fallback of ${name}` : `${name} ${version}`
  return {
    fill: (values) =>
      naming(subject, () => {
        if (splitChat(content).length > 0)
          throw new PromptHubError('invalid_values', 'this is a chat prompt; use messages instead of fill')
        return fillContent(content, variables, take(values as Values))
      }),
    messages: (values, { history } = {}) =>
      naming(subject, () => fillChat(content, variables, take(values as Values), history)),
    attributes: () => ({
      'gen_ai.prompt.name': name,
      ...(version !== null && { 'gen_ai.prompt.version': version }),
      ...(sha256 !== null && { 'prompt.sha256': sha256 }),
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
export function factsOf(record: VersionRecord): Omit<PromptFacts, 'source' | 'ageMs' | 'standing'> {
  const { full_name, version, content, content_sha256, variables, parameters, files, publisher } = record
  return { name: full_name, version, content, sha256: content_sha256, variables, parameters, files, publisher }
}

/** The source of a prompt that was read from two responses: the more distant one. */
export function slower(a: AnswerSource, b: AnswerSource): AnswerSource {
  return (['stale', 'network', 'disk'] as const).find((source) => source === a || source === b) ?? 'memory'
}
