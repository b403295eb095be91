// Schemas of tool results, for the list of tools only; results are built from records.
import * as z from 'zod'
import { pick } from '../../domain/api/envelope.ts'
import {
  list,
  Matched,
  RepositorySummary,
  SearchMeta,
  single,
  TagRecord,
  Variable,
  VersionRecord,
  VersionSummary,
} from '../../domain/api/schema.ts'
import { FIELDS } from './tool-answers.ts'

const prompt = {
  ...RepositorySummary.shape,
  ...VersionSummary.shape,
  // Fields of the same name come from the version's record, which is spread last: the address is that of the version.
  ...VersionRecord.shape,
  // Inlined without its ID, because some clients do not resolve `$ref`.
  variables: z.array(z.object(Variable.shape)).describe('The version’s placeholders.'),
  // Sentences rather than records, because a model reads them, and because a smaller schema is cheaper for every client.
  advisories: z.array(z.string()).describe('Warnings from the maintainers about this version.'),
  warnings: z.array(z.string()).describe('Findings in the texts, such as invisible characters.'),
  missing_variables: z.array(z.string()).describe('Variables whose placeholder is still in content.'),
}

/** The result of each tool. Open: fields may be added. */
export const OUTPUTS = {
  search_prompts: inlineSearch(z.object(pick(RepositorySummary.shape, FIELDS.search_prompts))),
  get_prompt: single(z.object(pick(prompt, FIELDS.get_prompt))),
  list_versions: inline(list(z.object(pick(VersionSummary.shape, FIELDS.list_versions)))),
  list_tags: inline(list(z.object(pick(TagRecord.shape, FIELDS.list_tags)))),
} as const

/** Like the variable above, `Meta` is inlined without its ID. */
function inline<Records extends z.ZodObject<{ data: z.ZodType; meta: z.ZodObject }>>({ shape }: Records) {
  return z.object({ data: shape.data, meta: z.object(shape.meta.shape) })
}

/** A page of search results, also without IDs. */
function inlineSearch<Record extends z.ZodType>(record: Record) {
  const matched = z
    .object(Matched.shape)
    .optional()
    .describe(SearchMeta.shape.matched.description ?? '')
  return z.object({ data: z.array(record), meta: z.object({ ...SearchMeta.shape, matched }) })
}
