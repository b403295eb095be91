// Defines the schemas of tool results. Only the tool list uses them; results are built from records without validation.
import * as z from 'zod'
import {
  Matched,
  Meta,
  RepositorySummary,
  SearchMeta,
  single,
  TagRecord,
  Variable,
  VersionRecord,
  VersionSummary,
} from '../../domain/api/schema.ts'
import { pick } from '../../domain/text/json.ts'
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

/** The terms of a search, inlined without their ID, as the variables above. */
const matched = z
  .object(Matched.shape)
  .optional()
  .describe(SearchMeta.shape.matched.description ?? '')

/** The result schema of each tool. The schemas are open, so fields can be added later. */
export const OUTPUTS = {
  search_prompts: pageOf(pick(RepositorySummary.shape, FIELDS.search_prompts), { ...SearchMeta.shape, matched }),
  get_prompt: single(z.object(pick(prompt, FIELDS.get_prompt))),
  list_versions: pageOf(pick(VersionSummary.shape, FIELDS.list_versions), Meta.shape),
  list_tags: pageOf(pick(TagRecord.shape, FIELDS.list_tags), Meta.shape),
} as const

function pageOf<Fields extends z.ZodRawShape, Paging extends z.ZodRawShape>(record: Fields, meta: Paging) {
  return z.object({ data: z.array(z.object(record)), meta: z.object(meta) })
}
