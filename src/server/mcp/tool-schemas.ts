// Owns what goes into and comes out of each tool, built from the records of domain/api/schema.ts.
import * as z from 'zod'
import { LIMITS } from '../../domain/api/limits.ts'
import { SORTS } from '../../domain/api/routes.ts'
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
import { hasOwnerForm, isName, isVersion } from '../../domain/content/names.ts'
import { countCharacters } from '../../domain/content/text-length.ts'

/** The rule of docs/contract.md section 1 without its look-ahead, which clients that compile patterns with RE2 refuse. */
const WORDS_PATTERN = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
const VERSION_PATTERN = '^(0|[1-9]\\d{0,5})\\.(0|[1-9]\\d{0,5})\\.(0|[1-9]\\d{0,5})$'

const owner = checked(hasOwnerForm, 'expected 1 to 39 of a-z, 0-9 and single hyphens inside, for example "acme"')
  .meta({ pattern: WORDS_PATTERN, maxLength: LIMITS.ownerCharacters })
  .describe('Owner handle: the part before the slash in owner/name.')
const name = checked(isName, 'expected 1 to 64 of a-z, 0-9 and single hyphens inside, for example "code-review"')
  .meta({ pattern: WORDS_PATTERN, maxLength: LIMITS.nameCharacters })
  .describe('Repository name: the part after the slash in owner/name.')
const version = checked(isVersion, 'expected the form x.y.z, for example "1.0.0"')
  .meta({ pattern: VERSION_PATTERN })
  .describe('Version x.y.z. Leave out for the latest.')
const label = shortText(LIMITS.tagCharacters, 'production').describe('A label instead of a version.')
const page = whole(LIMITS.highestPage, 2).describe('Page number, from 1. Default 1.')

/** Most and usual items on a page of each list. */
export const PAGE_SIZES = {
  search_prompts: { most: 50, usual: 10 },
  list_versions: { most: 100, usual: 20 },
  list_tags: { most: 200, usual: 50 },
} as const

/** What each tool takes. Closed: an argument that is not understood must not be ignored. */
export const INPUTS = {
  search_prompts: z.strictObject({
    q: shortText(LIMITS.queryCharacters, 'code review')
      .describe(
        'Words to look for in name, title, tags, description, readme and text. Prompts that hold all of them come first; plain words work best.',
      )
      .optional(),
    tag: shortText(LIMITS.tagCharacters, 'writing').describe('One tag, exactly as list_tags gives it.').optional(),
    sort: z
      .enum(SORTS, `expected one of ${SORTS.join(', ')}, for example "new"`)
      .describe('Order. Default: best match when q is given, else top.')
      .optional(),
    page: page.optional(),
    limit: limit('search_prompts'),
  }),
  get_prompt: z.strictObject({
    owner,
    name,
    version: version.optional(),
    label: label.optional(),
    variables: z
      .record(
        z.string(),
        shortText(LIMITS.toolValueCharacters, 'Go'),
        'expected an object of texts, for example {"language": "Go"}',
      )
      .describe('Values for {{name}} placeholders, for example {"language": "Go"}.')
      .optional(),
  }),
  list_versions: z.strictObject({ owner, name, page: page.optional(), limit: limit('list_versions') }),
  list_tags: z.strictObject({
    q: shortText(LIMITS.tagCharacters, 'writing').describe('Only tags that contain this text.').optional(),
    page: page.optional(),
    limit: limit('list_tags'),
  }),
} as const

const summary = RepositorySummary.pick({
  owner: true,
  name: true,
  title: true,
  description: true,
  tags: true,
  status: true,
  latest_version: true,
  updated_at: true,
  url: true,
  html_url: true,
}).shape

const prompt = {
  ...summary,
  ...RepositorySummary.pick({ license: true, status_message: true }).shape,
  ...VersionRecord.pick({ url: true, version: true }).shape,
  ...VersionSummary.pick({ yanked: true }).shape,
  ...VersionRecord.pick({ content: true, content_sha256: true, size_bytes: true }).shape,
  // Without its id, the variable stands in the schema itself: some clients follow no `$ref`.
  variables: z.array(z.object(Variable.shape)).describe('The version’s placeholders.'),
  ...VersionRecord.pick({ parameters: true, changelog: true, published_at: true, published_by: true, raw_url: true })
    .shape,
  // Sentences, not records: they are for a model to read, and every client loads this schema.
  advisories: z.array(z.string()).describe('What its maintainers warn users of this version of.'),
  warnings: z.array(z.string()).describe('What its texts hold that a reader would not see or expect.'),
  missing_variables: z.array(z.string()).describe('Variables whose placeholder still stands in content.'),
}

const versionRow = VersionSummary.pick({
  version: true,
  changelog: true,
  published_at: true,
  published_by: true,
  yanked: true,
  yank_reason: true,
})

const tagRow = TagRecord.pick({ name: true, count: true })

/** Which fields of a record each tool answers: the others never reach a model. */
export const FIELDS = {
  search_prompts: keysOf(summary),
  get_prompt: keysOf(prompt),
  list_versions: keysOf(versionRow.shape),
  list_tags: keysOf(tagRow.shape),
} as const

/** What each tool answers. Open: fields may be added. */
export const OUTPUTS = {
  search_prompts: inlineSearch(z.object(summary)),
  get_prompt: single(z.object(prompt)),
  list_versions: inline(list(versionRow)),
  list_tags: inline(list(tagRow)),
} as const

/** The name of a tool. */
export type ToolName = keyof typeof INPUTS

/** The names of the tools, in the order in which they are listed. */
export const TOOL_NAMES = Object.keys(INPUTS) as ToolName[]

/** `Meta` has an id as well; see above. */
function inline<Records extends z.ZodObject<{ data: z.ZodType; meta: z.ZodObject }>>({ shape }: Records) {
  return z.object({ data: shape.data, meta: z.object(shape.meta.shape) })
}

/** A page of what a search found, without ids as well. */
function inlineSearch<Record extends z.ZodType>(record: Record) {
  const matched = z
    .object(Matched.shape)
    .optional()
    .describe(SearchMeta.shape.matched.description ?? '')
  return z.object({ data: z.array(record), meta: z.object({ ...SearchMeta.shape, matched }) })
}

function keysOf<Shape extends object>(shape: Shape): (keyof Shape)[] {
  return Object.keys(shape) as (keyof Shape)[]
}

function checked(isRight: (text: string) => boolean, wanted: string) {
  return z.string(wanted).refine(isRight, wanted)
}

/** Lengths count code points, as JSON Schema does. */
function shortText(maxCharacters: number, example: string) {
  const wanted = `expected a text of at most ${maxCharacters} characters, for example "${example}"`
  return checked((text) => countCharacters(text) <= maxCharacters, wanted).meta({ maxLength: maxCharacters })
}

function whole(most: number, example: number) {
  const wanted = `expected a whole number from 1 to ${most}, for example ${example}`
  return z.int(wanted).min(1, wanted).max(most, wanted)
}

function limit(tool: keyof typeof PAGE_SIZES) {
  const { most, usual } = PAGE_SIZES[tool]
  return whole(most, usual).describe(`Items per page, 1 to ${most}. Default ${usual}.`).optional()
}
