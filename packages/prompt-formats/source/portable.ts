// The intermediate form between the hub and other tools: returned by every reader and accepted by every writer.

import {
  type ConversionProblem,
  EXPORT_FORMATS,
  type ExportFormat,
  listLost,
  type WriteResult,
} from '../../../src/domain/api/export-formats.ts'
import type { Parameters, Variable } from '../../../src/domain/api/schema.ts'
import type { GivenSkill } from '../../../src/domain/content/skill.ts'
import type { PublishInput } from '../../../src/domain/publishing/request.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { type ChatPart, formatChat } from '../../../src/domain/values/chat.ts'
import type { FileEntry } from '../../../src/domain/values/file-entry.ts'
import type { Include } from '../../../src/domain/values/include.ts'
import type { LatestFields } from './write-prompt-file.ts'

/** One message of a chat prompt, or the position of earlier messages. */
export type PortableMessage = ChatPart

/** The content of a prompt: one text, or messages with roles. */
export type PortableBody = { format: 'text'; text: string } | { format: 'chat'; messages: PortableMessage[] }

/** A prompt without anything specific to one tool. */
export interface PortablePrompt {
  /** The name in the source, or a name derived from the file name; not necessarily a valid hub name. */
  name: string
  /** Empty if the source has none. */
  title: string
  /** Empty if the source has none. */
  description: string
  /** The tags, exactly as in the source. */
  tags: string[]
  /** The license in the words of the source, which may not be SPDX; null if the source states none. */
  license: string | null
  /** The version's changelog; empty if the source has none. */
  changelog: string
  /** Its text, with `{{name}}` placeholders. */
  body: PortableBody
  /** The declarations of all placeholders that take a value. */
  variables: Variable[]
  /** Model settings. */
  parameters: Parameters
  /** The Agent Skill metadata; null or omitted if the prompt is not a skill. */
  skill?: GivenSkill | null | undefined
  /** The files beside its SKILL.md, sorted by path; omitted if it has none. */
  files?: readonly FileEntry[]
  /** Its test cases, as a configuration of promptfoo; omitted if the source has none. */
  tests?: string
  /** The names that point at this version; omitted if the source has none. */
  labels?: string[]
  /** Its earlier versions, oldest first; omitted if the source has none. */
  earlier?: PortablePrompt[]
  /** In a file with several prompts, the part that is this one; omitted if the whole file is. */
  part?: string
  /** In a file with several prompts, the places from 1 of what it was read from: one for each version; omitted if the whole file is this one. */
  positions?: readonly number[]
  /** Its version number in the source; omitted if the source has none. */
  number?: string
  /** The names by which other prompts of the source insert this one; omitted if they cannot. */
  knownAs?: string[]
  /** Where its text inserts other prompts of the source; omitted if it does not. */
  references?: PromptReference[]
  /** Its assembled text, if it includes other prompts; `body` is then the text of its source. */
  composed?: ComposedText
  /** What its prompt file says, from which all other fields were read; omitted if the source is in another format. */
  file?: PublishInput
}

/** An assembled text, and what it includes. */
export interface ComposedText {
  content: string
  includes: Include[]
}

/** A place in a prompt where its source inserts another prompt. */
export interface PromptReference {
  /** The text that stands for the other prompt, such as `{{> header}}`. */
  tag: string
  /** The other prompt: one of the names in `knownAs`. */
  to: string
  /** The version number of the source; omitted for its newest version, and with a label. */
  version?: string
  label?: string
  /** Why no prompt can take its place, such as values that it passes. */
  obstacle?: string
}

/** How a file is read. */
export interface ReadOptions {
  /** Whether nothing in its text is a placeholder, so that no character of it changes. */
  keepsText?: boolean
}

/** Reads a file. `name` is the file name without extensions, or the folder name for a skill. */
export type Reader = (source: string, name: string, options?: ReadOptions) => ReadResult

/** The result of reading a file. Prompts with a `refused` finding are not in `prompts`. */
export interface ReadResult {
  prompts: PortablePrompt[]
  findings: ConversionProblem[]
}

/** A version as the input of a writer. */
export interface ExportedVersion extends PortablePrompt {
  /** The version number, such as `1.2.0`. */
  version: string
  /** The full name, such as `acme/code-review`. */
  full_name: string
  /** The content as published, from which `body` was read. */
  content: string
  /** SHA-256 of the content's bytes, in hex. */
  content_sha256: string
  /** The parts of the content that come from other versions; omitted if there are none. Only a prompt file is written with them. */
  includes?: readonly Include[]
  /** What a publish would take from the latest version; undefined if the file is not for a publish to the same repository. */
  latest?: LatestFields
}

/** Returns an empty prompt as the start of a conversion. */
export function emptyPrompt(name: string): PortablePrompt {
  return {
    name,
    title: '',
    description: '',
    tags: [],
    license: null,
    changelog: '',
    body: { format: 'text', text: '' },
    variables: [],
    parameters: {},
  }
}

/** The keys that a reader takes, by the values that it expects. `other` lists keys whose values it checks itself, or does not need. */
export interface KnownKeys {
  text?: readonly string[]
  object?: readonly string[]
  /** A list of texts, or one text. */
  texts?: readonly string[]
  other?: readonly string[]
}

/** Maximum number of findings of one kind: nobody reads more, and finding the line of each takes time. */
export const MAX_FINDINGS = 100

/** Collects findings without duplicates. */
export class ConversionProblems {
  readonly all: ConversionProblem[] = []

  lost(field: string, message: string, line: number | null = null): void {
    this.#add({ kind: 'lost', field, line, message })
  }

  refused(field: string, message: string, line: number | null = null): void {
    this.#add({ kind: 'refused', field, line, message })
  }

  /** Reports the keys of an object that a hub does not support, and values that their reader does not expect. Empty values say nothing. @param prefix of their names */
  unsupported(given: object, known: KnownKeys, lineOf?: (key: string) => number | null, prefix = ''): void {
    const problems = Object.entries(given).flatMap(([key, value]): [string, string][] => {
      const problem = findKeyProblem(key, value, known)
      return problem === undefined ? [] : [[key, problem]]
    })
    // Further keys are not added, and finding the line of each takes time.
    for (const [key, problem] of problems.slice(0, MAX_FINDINGS)) this.lost(`${prefix}${key}`, problem, lineOf?.(key))
  }

  get isRefused(): boolean {
    return this.all.some(({ kind }) => kind === 'refused')
  }

  /** Returns the prompt, unless there is none, or a finding is `refused`. */
  result(prompt?: PortablePrompt): ReadResult {
    return { prompts: this.isRefused || !prompt ? [] : [prompt], findings: this.all }
  }

  #add(finding: ConversionProblem): void {
    const { kind, field, line } = finding
    if (this.all.filter((one) => one.kind === kind).length >= MAX_FINDINGS) return
    if (!this.all.some((one) => one.kind === kind && one.field === field && one.line === line)) this.all.push(finding)
  }
}

/** Returns whether a value says nothing: null, an empty text, or an empty list or object. */
function isEmptyValue(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  )
}

function findKeyProblem(key: string, value: unknown, known: KnownKeys): string | undefined {
  if (known.other?.includes(key) || isEmptyValue(value)) return undefined
  if (known.text?.includes(key))
    return typeof value === 'string' ? undefined : 'expected text; put quotes around a number'
  if (known.object?.includes(key)) return isObject(value) ? undefined : 'expected keys and values'
  if (!known.texts?.includes(key)) return 'Prompt Hub does not support it'
  const list = Array.isArray(value) ? value : [value]
  return list.every((one) => typeof one === 'string' || typeof one === 'number')
    ? undefined
    : 'expected a list of texts'
}

/** Returns all text of a body, for rules that treat all messages alike. */
export function textsOf(body: PortableBody): string[] {
  return body.format === 'text'
    ? [body.text]
    : body.messages.flatMap((message) => ('role' in message ? [message.content] : []))
}

/** Returns the content of a prompt, before it is composed. */
export function contentOf({ file, body }: Pick<PortablePrompt, 'file' | 'body'>): string {
  return file?.content ?? (body.format === 'chat' ? formatChat(body.messages) : body.text)
}

/** Returns a written file, with the fields that it lost. @param more lost fields beyond those in `EXPORT_FORMATS` */
export function writtenFile(
  format: ExportFormat,
  version: ExportedVersion,
  text: string,
  more: readonly string[] = [],
): WriteResult {
  const { file, mediaType } = EXPORT_FORMATS[format]
  return {
    file: { name: file.replace('{name}', version.name), mediaType: `${mediaType}; charset=utf-8`, text },
    lost: [...listLost(format, version), ...more],
  }
}
