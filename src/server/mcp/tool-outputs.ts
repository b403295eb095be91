// Defines the schemas of tool results, which only the tool list uses; results are built from records.
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
  // Fields with the same name come from the version's record, which is spread last, so the URL is the version's.
  ...VersionRecord.shape,
  // Inlined without its ID, because some clients do not resolve `$ref`.
  variables: z.array(z.object(Variable.shape)).describe('The version’s placeholders.'),
  // These are sentences rather than records, because a model reads them and a smaller schema is cheaper for every client.
  advisories: z.array(z.string()).describe('Warnings from the maintainers about this version.'),
  warnings: z.array(z.string()).describe('Findings in the text fields, such as invisible characters.'),
  missing_variables: z.array(z.string()).describe('Variables whose placeholder is still in content.'),
}

/** The result of each tool. The schemas are open: fields may be added. */
export const OUTPUTS = {
  search_prompts: inlineSearch(z.object(pick(RepositorySummary.shape, FIELDS.search_prompts))),
  get_prompt: single(z.object(pick(prompt, FIELDS.get_prompt))),
  list_versions: inline(list(z.object(pick(VersionSummary.shape, FIELDS.list_versions)))),
  list_tags: inline(list(z.object(pick(TagRecord.shape, FIELDS.list_tags)))),
} as const

/** Inlines `Meta` without its ID, as for the variables above. */
function inline<Records extends z.ZodObject<{ data: z.ZodType; meta: z.ZodObject }>>({ shape }: Records) {
  return z.object({ data: shape.data, meta: z.object(shape.meta.shape) })
}

/** Inlines a page of search results, also without IDs. */
function inlineSearch<Record extends z.ZodType>(record: Record) {
  const matched = z
    .object(Matched.shape)
    .optional()
    .describe(SearchMeta.shape.matched.description ?? '')
  return z.object({ data: z.array(record), meta: z.object({ ...SearchMeta.shape, matched }) })
}
