// Composes an imported prompt: its references become include lines, and these the content of the prompts that came along.
import { assemble, type Part } from '../../../src/domain/compose/assemble.ts'
import { ownVariables, readPart } from '../../../src/domain/compose/compose-version.ts'
import { cutSource, findIncludeLines, type IncludeLine } from '../../../src/domain/compose/include-lines.ts'
import { resolveIncludes } from '../../../src/domain/compose/resolve.ts'
import {
  DEFAULT_REPOSITORY_FILE,
  parseRepositoryFile,
  parseVersionFile,
} from '../../../src/domain/content/prompt-file.ts'
import { type Measure, nameLines } from '../../../src/domain/publishing/request.ts'
import { isSameJson } from '../../../src/domain/text/json.ts'
import type { ValueProblem } from '../../../src/domain/text/problems.ts'
import { splitFullName } from '../../../src/domain/values/names.ts'
import { sortVersions } from '../../../src/domain/values/versions.ts'
import type { ExistingRepository } from './content-files.ts'
import { type ComposedText, contentOf, type PortablePrompt, type PromptReference } from './portable.ts'
import { placeReferences, type ReferenceTarget } from './references.ts'

/** What composing needs from outside. */
interface ComposeTools {
  /** The full name of the prompt. */
  self: string
  /** Says which prompt takes the place of a reference. */
  findTarget: (reference: PromptReference) => ReferenceTarget
  /** Returns whether a prompt of this import comes later, because it includes this one. */
  isLater: (fullName: string) => boolean
  /** Reads a repository as it is after what was imported so far. */
  readRepository: (fullName: string) => ExistingRepository | undefined
  measure: Measure
}

/** A prompt that is ready to be written. */
interface ComposedImport {
  prompt: PortablePrompt
  /** The references that stay text. */
  kept: { tag: string; reason: string }[]
  /** Why the prompt cannot be composed. */
  problems: ValueProblem[]
}

/** Composes a prompt and its earlier versions. A prompt without references stays as it is. */
export function composeImport(prompt: PortablePrompt, tools: ComposeTools): ComposedImport {
  const { earlier } = prompt
  const latest = composeOne(prompt, tools, true)
  if (!earlier) return latest
  const before = earlier.map((one) => composeOne(one, tools, false))
  const all = [...before, latest]
  return {
    prompt: { ...latest.prompt, earlier: before.map((one) => one.prompt) },
    kept: [...new Map(all.flatMap(({ kept }) => kept).map((one) => [one.tag, one])).values()],
    problems: all.flatMap(({ problems }) => problems),
  }
}

function composeOne(prompt: PortablePrompt, tools: ComposeTools, isLatest: boolean): ComposedImport {
  if (prompt.file?.compose) {
    const made = composeSource(prompt, prompt.file.content, tools, isLatest)
    return { ...made, problems: nameLines(made.problems, prompt.file.content) }
  }
  if (!prompt.references) return { prompt, kept: [], problems: [] }
  const { body, parts, kept } = placeReferences(prompt, tools.findTarget)
  if (parts.length === 0) return { prompt, kept, problems: [] }
  const { value: own } = findIncludeLines(contentOf(prompt))
  // Such a line was text in the source, and must stay it.
  if (!own || own.length > 0) {
    const reason = 'the text has a line that looks like an include line'
    return { prompt, kept: prompt.references.map(({ tag }) => ({ tag, reason })), problems: [] }
  }
  return { ...composeSource(prompt, contentOf({ body }), tools, isLatest), kept }
}

/** Replaces the include lines of a source. */
function composeSource(prompt: PortablePrompt, source: string, tools: ComposeTools, isLatest: boolean): ComposedImport {
  const unchanged = { prompt, kept: [], problems: [] }
  const known = findComposed({ source, variables: prompt.variables }, tools.readRepository(tools.self), isLatest)
  if (known) return { ...unchanged, prompt: { ...prompt, composed: known.text, variables: known.variables } }
  const { value: lines, problems } = findIncludeLines(source)
  if (lines?.length === 0) return unchanged
  const included = lines ? readParts(lines, tools) : { problems }
  if (included.problems) return { ...unchanged, problems: included.problems }
  const { format } = prompt.body
  const own = { name: tools.self, content: source, format, variables: prompt.variables }
  const assembled = assemble(own, lines ?? [], included.parts)
  if (assembled.problems) return { ...unchanged, problems: assembled.problems }
  const { content, includes, variables } = assembled.value
  return { ...unchanged, prompt: { ...prompt, composed: { content, includes }, variables } }
}

/** Finds the version that was composed from the same source before, so that a part with a newer version alone changes nothing. Of several, the latest version of a source is the highest one. */
function findComposed(
  { source, variables }: { source: string } & Pick<PortablePrompt, 'variables'>,
  existing: ExistingRepository | undefined,
  isLatest: boolean,
) {
  const highestFirst = sortVersions(existing?.versions ?? [])
  for (const version of isLatest ? highestFirst : highestFirst.reverse()) {
    const { value } = parseVersionFile(existing!.read(version))
    if (!value?.includes || cutSource(value) !== source || !isSameJson(ownVariables(value), variables)) continue
    const text: ComposedText = { content: value.content, includes: value.includes }
    return { text, variables: value.variables }
  }
  return undefined
}

/** Reads the versions that the lines include. */
function readParts(
  lines: readonly IncludeLine[],
  { self, isLater, readRepository, measure }: ComposeTools,
): { parts: Part[]; problems?: never } | { problems: ValueProblem[] } {
  const circular = lines.filter(({ repository }) => isLater(repository) && !readRepository(repository))
  if (circular.length > 0)
    return {
      problems: circular.map(({ repository, offset }) => ({
        key: 'content',
        offset,
        message: `${repository} includes this prompt, directly or through others. Remove one of the include lines`,
      })),
    }
  const repositories = new Map(lines.map(({ repository }) => [repository, readRepository(repository)] as const))
  const known = Array.from(repositories, ([fullName, existing]) => ({
    ...splitFullName(fullName)!,
    versions: existing?.versions ?? [],
    file: parseRepositoryFile(existing?.index ?? '').value ?? DEFAULT_REPOSITORY_FILE,
  }))
  const resolved = resolveIncludes(self, lines, known)
  if (resolved.problems) return { problems: resolved.problems }
  const problems: ValueProblem[] = []
  const parts = resolved.value.flatMap((one): Part[] => {
    const existing = repositories.get(one.repository)!
    const { value } = parseVersionFile(existing.read(one.version))
    const hasFiles = existing.describeFiles(one.version).length > 0
    if (value) return [readPart({ ...one, hasFiles }, value, measure)]
    problems.push({ key: 'content', message: `content/${one.repository}/versions/${one.version}.md is not valid` })
    return []
  })
  return problems.length > 0 ? { problems } : { parts }
}
