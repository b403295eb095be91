// Extracts what the index stores for a prompt: its terms by field, and its words for the vocabulary.
import type { Repository } from '../../domain/api/schema.ts'
import { isStopWord, tokenize, toTerm } from '../../domain/search/tokens.ts'
import type { Kind } from '../../domain/values/chat.ts'

/** Maximum indexed tokens per field. */
const MAX_TOKENS_PER_FIELD = 4_000
/** Maximum distinct indexed tokens per prompt. Ten thousand words of ordinary text contain about this many distinct tokens; random letters contain more. */
const MAX_DIFFERENT_TOKENS = 2_000

/** The indexed fields with their BM25 weights. */
export const FIELD_WEIGHTS = {
  owner: 4,
  name: 10,
  title: 8,
  tags: 6,
  description: 4,
  readme: 0.5,
  content: 0.5,
} as const
type Field = keyof typeof FIELD_WEIGHTS
export const FIELDS = Object.keys(FIELD_WEIGHTS) as Field[]
const PROSE: readonly Field[] = ['readme', 'content', 'description']

/** The terms of the words in `kindWords`, of which nobody wants another reading. */
export const KIND_TERMS: ReadonlySet<string> = new Set(['agent', 'chat', 'skill'])

/** Returns what a prompt is, in words that people search for. They are found like its tags. */
function kindWords({ skill, format }: Repository): string[] {
  return skill ? ['agent', 'skill'] : format === 'chat' ? ['chat'] : []
}

/** The tokens of each field, in order. */
type Document = Record<Field, string[]>

/** Extracts the tokens of a prompt within the limits above. */
export function readDocument(repository: Repository): Document {
  const different = new Set<string>()
  const read = (field: Field) =>
    tokenize([repository[field], field === 'tags' ? kindWords(repository) : []].flat().join(' '))
      .slice(0, MAX_TOKENS_PER_FIELD)
      .filter((token) => different.has(token) || (different.size < MAX_DIFFERENT_TOKENS && different.add(token)))
  return Object.fromEntries(FIELDS.map((field) => [field, read(field)])) as Document
}

/**
 * Returns the text of each column in the index. Stop words are removed from prose, so that the words around them are adjacent in a phrase.
 *
 * @param filters for the last column
 */
export function listColumns(document: Document, filters: Filters, term = toTerm): string[] {
  const columns = FIELDS.map((field) =>
    document[field].filter((token) => !PROSE.includes(field) || !isStopWord(token)).map(term),
  )
  return [...columns, filterTerms(filters)].map((terms) => terms.join(' '))
}

/** What results can be restricted to. A result has all of it. */
export interface Filters {
  /** Malformed tags match nothing. */
  tags: readonly string[]
  kind?: Kind | undefined
  owner?: string | undefined
  /** An SPDX expression, in any case. */
  license?: string | undefined
}

/** Returns the terms of filters; no token of a text contains `·`, and each kind of filter has another number of them in front. */
export function filterTerms({ tags, kind, owner, license }: Filters): string[] {
  const values = [tags, owner ?? [], kind ?? [], license ?? []]
  return values.flatMap((value, at) => [value].flat().map((one) => '·'.repeat(at + 1) + toFilterTerm(one)))
}

/** Only letters, digits and characters beyond ASCII are one token. https://www.sqlite.org/fts5.html#ascii_tokenizer */
const toFilterTerm = (value: string) => value.toLowerCase().replaceAll(/[^a-z0-9]/g, '·')

/** Returns the distinct words of a prompt; words in fields that describe the prompt appear twice, because they count twice in the vocabulary. */
export function listWords({ readme, content, ...describing }: Document): string[] {
  const words = new Set(Object.values(describing).flat())
  return [...words, ...new Set([...words, ...readme, ...content])]
}
