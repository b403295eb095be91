// Owns what a program gets: a prompt with its facts, and how it is filled in.
import type { AnswerSource } from './cache.ts'
import { type ChatMessage, fillChat } from './chat.ts'
import { fillContent, type Values } from './filling.ts'
import type { Advisory, Variable, VersionRecord } from './records.ts'
import { findVariables } from './verify.ts'

/**
 * Where a prompt came from:
 * - `memory`, `disk`: an answer that was kept and is still good.
 * - `network`: the hub, just now.
 * - `stale`: an answer from before, used because the hub was not asked first, or could not be.
 * - `lock`: the vendored file.
 * - `fallback`: the text that the caller gave.
 */
export type Source = AnswerSource | 'lock' | 'fallback'

/** What a prompt's owner says of it now, as far as it is known. */
export interface Standing {
  /** Why it is deprecated, or null. */
  deprecated: string | null
  /** Why this version was yanked, or null. */
  yanked: string | null
  /** Warnings of a maintainer about this version. */
  advisories: Advisory[]
}

/** A prompt's facts. */
export interface PromptFacts {
  /** `owner/name`. */
  name: string
  /** The version, or null for a fallback. */
  version: string | null
  /** The text, byte for byte. */
  content: string
  /** SHA-256 of the text, in hex; null for a fallback. */
  sha256: string | null
  /** What the author declared of each placeholder. */
  variables: readonly Variable[]
  /** Model settings of its author, exactly as published. Nothing here applies them. */
  parameters: Readonly<Record<string, unknown>>
  source: Source
  /** How long ago the hub vouched for it, in milliseconds; 0 when it cannot change. */
  ageMs: number
  /** Undefined while the hub was not asked. */
  standing: Standing | undefined
}

/** A prompt. */
export interface Prompt<Given extends object = Values> extends PromptFacts {
  /**
   * The text with its variables filled in: one pass, values are taken literally.
   *
   * @throws PromptHubError `invalid_values` that names every variable that is missing, unknown or of the wrong kind
   */
  fill(values: Given): string
  /**
   * The messages of a chat prompt with their variables filled in, in the shape that OpenAI's SDK takes; `forAnthropic` and `forGemini` write them
   * for SDKs where the system text stands apart. Each message is filled by itself: no value makes another message.
   *
   * @param options `history`: the caller's earlier messages, put where the prompt has `{{history}}`, as they are
   * @throws PromptHubError `invalid_values`, also for a text that is no chat prompt and for history that has no place
   */
  messages<History extends object = ChatMessage>(
    values: Given,
    options?: { history?: readonly History[] },
  ): (ChatMessage | History)[]
}

/** Makes a prompt of its facts. */
export function makePrompt<Given extends object>(facts: PromptFacts): Prompt<Given> {
  const { content, variables } = facts
  return {
    ...facts,
    fill: (values) => fillContent(content, variables, values as Values),
    messages: (values, { history } = {}) => fillChat(content, variables, values as Values, history),
  }
}

/** The facts that stand in a version's record. */
export function factsOf(record: VersionRecord): Omit<PromptFacts, 'source' | 'ageMs' | 'standing'> {
  const { full_name, version, content, content_sha256, variables, parameters } = record
  return { name: full_name, version, content, sha256: content_sha256, variables, parameters }
}

/** The facts of the text that the caller gave for when the hub cannot be reached. */
export function fallbackFacts(name: string, content: string): PromptFacts {
  const variables = findVariables(content)
  return {
    name,
    version: null,
    content,
    sha256: null,
    variables,
    parameters: {},
    source: 'fallback',
    ageMs: 0,
    standing: undefined,
  }
}

/** The source of a prompt that took two answers: that of the answer which came from farther away. */
export function slower(a: AnswerSource, b: AnswerSource): AnswerSource {
  return (['stale', 'network', 'disk'] as const).find((source) => source === a || source === b) ?? 'memory'
}
