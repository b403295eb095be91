// Puts records and lists into an envelope of `data` and `meta`.
import { type Capability, RULES_DATE } from '../inspect/kinds.ts'
import { compareText } from '../text/plain-text.ts'
import type { Dependent, LabelledPrompt, Matched, Meta, SearchMeta } from './schema.ts'

/** A page of records as JSON. */
export interface ListEnvelope<Record> {
  data: Record[]
  meta: Meta
}

/**
 * Builds the envelope for one page.
 *
 * @param records the records of this page
 * @param place `total` is the number of records on all pages, `size` the number per page
 */
export function listEnvelope<Record>(
  records: Record[],
  place: { page: number; size: number; total: number },
): ListEnvelope<Record> {
  return { data: records, meta: { page: place.page, pages: Math.ceil(place.total / place.size), total: place.total } }
}

/** Builds the envelope of a list without pages. @param total the number of records, if `records` lacks some of them */
export function onlyPage<Record>(records: Record[], total = records.length): ListEnvelope<Record> {
  return listEnvelope(records, { page: 1, size: Math.max(1, total), total })
}

/** Builds the envelope of what a version can do. */
export function capabilitiesEnvelope(capabilities: readonly Capability[]) {
  const { data, meta } = onlyPage([...capabilities])
  return { data, meta: { ...meta, rules: RULES_DATE } }
}

/** Maximum number of prompts in the list of an owner's prompts at a label. docs/contract.md section 4 */
const MAX_LABELLED = 1_000

/** Builds the envelope of an owner's prompts at a label, by name. @param total the number of prompts, if `prompts` lacks some of them */
export function labelledEnvelope(
  prompts: readonly LabelledPrompt[],
  total = prompts.length,
): ListEnvelope<LabelledPrompt> {
  const data = prompts.toSorted((a, b) => compareText(a.name, b.name)).slice(0, MAX_LABELLED)
  return onlyPage(data, total)
}

/** Maximum number of prompts in the list of those that include a prompt. docs/contract.md section 4 */
const MAX_DEPENDENTS = 1_000

/** Builds the envelope of the prompts that include a prompt. @param dependents in `top` order */
export function dependentsEnvelope(dependents: readonly Dependent[]): ListEnvelope<Dependent> {
  return onlyPage(dependents.slice(0, MAX_DEPENDENTS), dependents.length)
}

/** A page of search results, without pagination details. */
interface SearchPage<Record> {
  matches: Record[]
  total: number
  isTotalExact: boolean
  /** How the words were interpreted; undefined if the query contains no words. */
  matched: Matched | undefined
}

/** Builds the envelope for a page of search results. docs/contract.md section 4. @param place `size` is the number of records per page */
export function searchEnvelope<Record>(
  { matches, total, isTotalExact, matched }: SearchPage<Record>,
  place: { page: number; size: number },
): { data: Record[]; meta: SearchMeta } {
  const { data, meta } = listEnvelope(matches, { ...place, total })
  return { data, meta: matched === undefined ? meta : { ...meta, total_is_exact: isTotalExact, matched } }
}
