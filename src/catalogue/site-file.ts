// Parses `site.yml`, which defines a hub's name and look.
import * as z from 'zod'
import { DEFAULT_LOOK } from '../domain/content/look.ts'
import { LIMITS } from '../domain/limits.ts'
import { type Parsed, parseWithSchema } from '../domain/text/problems.ts'
import { parseYaml } from '../domain/text/yaml.ts'
import { line, ReportAddress, WebAddress } from '../domain/values/values.ts'

const MAX_LINKS = 10
const MAX_QUESTIONS = 12

const words = (characters: number) => line(characters).min(1, 'expected some text')
const Address = z.union(
  [WebAddress, z.string().regex(/^\/(?!\/)[^\s\\]*$/)],
  'expected a URL that starts with https:// or http://, or a path that starts with /',
)

/** The schema for `site.yml`. Every key is optional. */
const SiteFileSchema = z.strictObject({
  name: words(40).default(DEFAULT_LOOK.name).describe('The name of the hub.'),
  tagline: words(80).default(DEFAULT_LOOK.tagline).describe('The heading on the front page.'),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, 'expected a language tag such as en or pt-BR')
    .default(DEFAULT_LOOK.language)
    .describe('The language of the name, tagline and tasks, as a BCP 47 tag.'),
  logo: z
    .enum(['logo.svg', 'logo.png'], 'expected logo.svg or logo.png, a file next to site.yml')
    .optional()
    .describe('The logo, a file next to `site.yml`, at most 64 KiB.'),
  accent: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'expected a colour such as "#0b6e4f"')
    .optional()
    .describe('The colour of links and buttons, as #rrggbb. It is made darker or lighter where needed for contrast.'),
  footer: z
    .array(z.strictObject({ text: words(60), url: Address }))
    .max(MAX_LINKS, `expected at most ${MAX_LINKS} links`)
    .default([])
    .describe('Links in the footer.'),
  examples: z
    .array(words(LIMITS.queryCharacters))
    .max(MAX_QUESTIONS, `expected at most ${MAX_QUESTIONS} questions`)
    .default([])
    .describe('Example questions below the search box.'),
  report_url: ReportAddress.optional().describe(
    'Where readers report a prompt; `{prompt}` in it stands for the version. Without it, there is no link.',
  ),
  security_contact: ReportAddress.optional().describe(
    'Where to report a weakness of the hub, for `/.well-known/security.txt`. Without it, there is no such file.',
  ),
  tasks: z
    .array(z.strictObject({ text: words(60), query: words(LIMITS.queryCharacters) }))
    .max(MAX_QUESTIONS, `expected at most ${MAX_QUESTIONS} tasks`)
    .default([])
    .describe('Tasks on the front page, each with its search; the most used tags by default.'),
})

/** The name and look of a hub. */
export type SiteFile = z.infer<typeof SiteFileSchema>

/** Parses `site.yml`. */
export function parseSiteFile(text: string): Parsed<SiteFile> {
  const { value, problems } = parseYaml(text, 1)
  return problems ? { problems } : parseWithSchema(SiteFileSchema, value)
}
