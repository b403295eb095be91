// Where a prompt of another tool inserts another prompt. The readers find these places; an import replaces them by include lines.
import { formatIncludeLine, type Reference } from '../../../src/domain/compose/include-lines.ts'
import type { PortableBody, PortablePrompt, PromptReference } from './portable.ts'

/** Maximum number of different references in a prompt; further ones stay text. */
const MAX_REFERENCES = 100

/** Collects the references in the texts of one prompt. */
export class References {
  readonly #tool: string
  readonly #found = new Map<string, PromptReference>()

  /** @param tool the tool whose names these are, so that no prompt of another tool is meant */
  constructor(tool: string) {
    this.#tool = tool
  }

  /** @param tag the text that stands for the other prompt @param target its name in the source, and which of its versions; without a name, why nothing can take its place */
  add(tag: string, { name, ...which }: { name?: string; version?: string; label?: string; obstacle?: string }): void {
    if (this.#found.size >= MAX_REFERENCES) return
    this.#found.set(tag, { tag, to: name === undefined ? '' : this.#keyOf(name), ...which })
  }

  /** Returns the fields of the prompt. @param names the names by which other prompts of the source insert this one */
  fields(names: readonly string[]): Pick<PortablePrompt, 'references' | 'knownAs'> {
    const knownAs = names.filter((name) => name !== '').map((name) => this.#keyOf(name))
    return {
      ...(this.#found.size > 0 && { references: [...this.#found.values()] }),
      ...(knownAs.length > 0 && { knownAs }),
    }
  }

  #keyOf(name: string): string {
    return `${this.#tool} ${name}`
  }
}

/** What takes the place of a reference, or why nothing does. */
export type ReferenceTarget = (Reference & { reason?: never }) | { reason: string }

/** A prompt whose references were replaced. */
interface PlacedPrompt {
  body: PortableBody
  /** The full names of the prompts that it now includes. */
  parts: string[]
  /** The references that stay text. */
  kept: { tag: string; reason: string }[]
}

/** A line of a text, without its line end, and that line end. */
const LINES = /([^\r\n]*)(\r?\n|\r|$)/g

/** Replaces each reference that stands alone on its line by an include line. All others stay text. */
export function placeReferences(
  { body, references = [] }: Pick<PortablePrompt, 'body' | 'references'>,
  findTarget: (reference: PromptReference) => ReferenceTarget,
): PlacedPrompt {
  const lines = new Map<string, string>()
  const reasons = new Map<string, string>()
  const names = new Map<string, string>()
  for (const reference of references) {
    const target = reference.obstacle === undefined ? findTarget(reference) : { reason: reference.obstacle }
    if (target.reason !== undefined) reasons.set(reference.tag, target.reason)
    else {
      lines.set(reference.tag, formatIncludeLine(target))
      names.set(reference.tag, target.repository)
    }
  }
  const parts = new Set<string>()
  const left = new Set<string>()
  const replace = (text: string) =>
    text.replace(LINES, (whole, line: string, end: string) => {
      const tag = line.trimEnd()
      const include = lines.get(tag)
      if (include === undefined) return whole
      parts.add(names.get(tag)!)
      return include + end
    })
  const placed = mapTexts(body, (text) => {
    const replaced = replace(text)
    for (const { tag } of references) if (replaced.includes(tag)) left.add(tag)
    return replaced
  })
  const kept = Array.from(left, (tag) => ({ tag, reason: reasons.get(tag) ?? 'it is not alone on its line' }))
  return { body: placed, parts: [...parts], kept }
}

function mapTexts(body: PortableBody, map: (text: string) => string): PortableBody {
  if (body.format === 'text') return { format: 'text', text: map(body.text) }
  const messages = body.messages.map((message) =>
    'role' in message ? { ...message, content: map(message.content) } : message,
  )
  return { format: 'chat', messages }
}
