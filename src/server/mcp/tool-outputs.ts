// Defines the schemas of tool results. Only the tool list uses them; results are built from records without validation.
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
  // The version's record is spread last, so fields that exist in both records, such as `url`, are the version's.
  ...VersionRecord.shape,
  // The schema is inlined without its ID, because some clients do not resolve `$ref`.
  variables: z.array(z.object(Variable.shape)).describe('The version’s placeholders.'),
  // The lists below contain sentences rather than records, because a model reads them and a smaller schema uses fewer tokens in every client.
  advisories: z.array(z.string()).describe('Warnings from the maintainers about this version.'),
  warnings: z.array(z.string()).describe('Findings in the text fields, such as invisible characters.'),
  missing_variables: z.array(z.string()).describe('Variables whose placeholder is still in content.'),
}

/** The result schema of each tool. The schemas are open, so fields can be added later. */
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

/** Inlines the schema for a page of search results, including the variant without IDs. */
function inlineSearch<Record extends z.ZodType>(record: Record) {
  const matched = z
    .object(Matched.shape)
    .optional()
    .describe(SearchMeta.shape.matched.description ?? '')
  return z.object({ data: z.array(record), meta: z.object({ ...SearchMeta.shape, matched }) })
}
