// The form in which prompts travel between the hub and other tools: what every reader returns and every writer takes.
import type { Parameters, Variable } from '../api/schema.ts'
import type { ChatPart } from '../content/chat.ts'

/** One message of a chat prompt, or the place where earlier messages go. */
export type PortableMessage = ChatPart

/** The text of a prompt: one text, or messages with roles. */
export type PortableBody = { format: 'text'; text: string } | { format: 'chat'; messages: PortableMessage[] }

/** A prompt without anything that only one tool knows. */
export interface PortablePrompt {
  /** The name its source gives it, or one made from the file's name; not yet a hub name. */
  name: string
  /** Empty where the source has none. */
  title: string
  /** Empty where the source has none. */
  description: string
  /** As the source spells them. */
  tags: string[]
  /** An SPDX expression, or null where the source has none. */
  license: string | null
  /** What changed in this version; empty where the source has none. */
  changelog: string
  /** Its text, with `{{name}}` placeholders. */
  body: PortableBody
  /** Every placeholder that takes a value, declared. */
  variables: Variable[]
  /** Model settings. */
  parameters: Parameters
  /** What makes it an Agent Skill; null or left out when it is none. */
  skill?: { description: string; license: string | null } | null | undefined
}

/** What a conversion could not carry over. */
export interface Finding {
  /** `lost`: dropped, the rest works. `refused`: the prompt is not converted. */
  kind: 'lost' | 'refused'
  /** The field or kind of syntax, such as `model.tools` or `template`. */
  field: string
  /** Line of the source from 1, or null where no line is known. */
  line: number | null
  /** What it is and why it is not carried over. */
  message: string
}

/** What reading a file gives. A prompt of which a finding says `refused` is not among `prompts`. */
export interface ReadResult {
  prompts: PortablePrompt[]
  findings: Finding[]
}

/** A version as a writer takes it. */
export interface ExportedVersion extends PortablePrompt {
  /** Such as `1.2.0`. */
  version: string
  /** Such as `acme/code-review`. */
  full_name: string
  /** SHA-256 of the content's bytes, in hex. */
  content_sha256: string
}

/** What writing a version gives: a file, or why it cannot be one. */
export type WriteResult =
  | { file: { name: string; mediaType: string; text: string }; lost: string[]; refused?: undefined }
  | { refused: Finding[]; file?: undefined }

/** An empty prompt to begin a conversion with. */
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

/** Collects findings, each once. */
export class Findings {
  readonly all: Finding[] = []

  lost(field: string, message: string, line: number | null = null): void {
    this.#add({ kind: 'lost', field, line, message })
  }

  refused(field: string, message: string, line: number | null = null): void {
    this.#add({ kind: 'refused', field, line, message })
  }

  get isRefused(): boolean {
    return this.all.some(({ kind }) => kind === 'refused')
  }

  /** The prompt, unless something of it is refused. */
  result(prompt: PortablePrompt): ReadResult {
    return { prompts: this.isRefused ? [] : [prompt], findings: this.all }
  }

  #add(finding: Finding): void {
    const { kind, field, line } = finding
    if (!this.all.some((one) => one.kind === kind && one.field === field && one.line === line)) this.all.push(finding)
  }
}

/** The line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** All text of a body, for rules that look at every message alike. */
export function textsOf(body: PortableBody): string[] {
  return body.format === 'text'
    ? [body.text]
    : body.messages.flatMap((message) => ('role' in message ? [message.content] : []))
}
