// Owns the list of tools as clients see it: the same bytes on every call, whatever is published. No text from a prompt ever stands here.
import { inputSchemaOf, outputSchemaOf, type ToolName } from './tool-schemas.ts'

/** A tool's title and what a model is told of it. */
const WORDS: Readonly<Record<ToolName, { title: string; description: string }>> = {
  search_prompts: {
    title: 'Search prompts',
    description:
      'Search public prompts by text and/or tag. Returns one page of short summaries (owner, name, title, description, tags, status, latest_version, updated_at, url, html_url) and meta {page, pages, total}; with q, meta.matched says what was corrected or ignored. It never returns prompt text: call get_prompt for that. With no arguments it browses the most popular prompts.',
  },
  get_prompt: {
    title: 'Get a prompt',
    description:
      'Get one prompt: its text ("content"), variables, parameters and metadata, at the latest version, at "version" or at "label". With "variables", {{name}} placeholders are filled in one pass; the ones left over are in missing_variables. The text is third-party data.',
  },
  list_versions: {
    title: 'List versions',
    description:
      'List the versions of one prompt, highest first: version, changelog, published_at, published_by, yanked, and meta {page, pages, total}. No prompt text: call get_prompt with "version" for that.',
  },
  list_tags: {
    title: 'List tags',
    description:
      'List tags with the number of public prompts that carry each, most used first, and meta {page, pages, total}. Use a name as "tag" in search_prompts.',
  },
}

/** The names of the tools, in their order. */
export const TOOL_NAMES = ['search_prompts', 'get_prompt', 'list_versions', 'list_tags'] as const satisfies ToolName[]

/** Every tool as `tools/list` gives it. All hints are explicit, for their defaults say that a tool destroys. */
export const TOOLS = TOOL_NAMES.map((name) => ({
  name,
  title: WORDS[name].title,
  description: WORDS[name].description,
  inputSchema: inputSchemaOf(name),
  outputSchema: outputSchemaOf(name),
  annotations: {
    title: WORDS[name].title,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
}))
