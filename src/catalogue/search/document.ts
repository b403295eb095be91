// Extracts what the index stores for a prompt: its terms by field, and its words for the vocabulary.
import type { Repository } from '../../domain/api/schema.ts'
import { isStopWord, tokenize, toTerm } from '../../domain/search/tokens.ts'

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
 * @param tags whole tags, for the last column
 */
export function listColumns(document: Document, tags: readonly string[], term = toTerm): string[] {
  const columns = FIELDS.map((field) =>
    document[field].filter((token) => !PROSE.includes(field) || !isStopWord(token)).map(term),
  )
  return [...columns, tags.map(tagTerm)].map((terms) => terms.join(' '))
}

/** Returns the term of a whole tag; no token contains `·`. */
export function tagTerm(tag: string): string {
  return `·${tag.replaceAll('-', '·')}`
}

/** Returns the distinct words of a prompt; words in fields that describe the prompt appear twice, because they count twice in the vocabulary. */
export function listWords({ readme, content, ...describing }: Document): string[] {
  const words = new Set(Object.values(describing).flat())
  return [...words, ...new Set([...words, ...readme, ...content])]
}
