// Assembles a version from its source and the versions that its include lines name. docs/compose.md

import type { Variable } from '../api/schema.ts'
import { beginsWithFrontMatter, type VersionFile } from '../content/prompt-file.ts'
import { LIMITS } from '../limits.ts'
import { countBytes } from '../text/plain-text.ts'
import type { Parsed, ValueProblem } from '../text/problems.ts'
import { type Format, splitChat } from '../values/chat.ts'
import { findUnwritable } from '../values/chat-rules.ts'
import type { Include } from '../values/include.ts'
import { type IncludeLine, partText } from './include-lines.ts'
import { joinVariables } from './join-variables.ts'

/** A version to include. */
export interface Part extends Pick<VersionFile, 'content' | 'format' | 'variables' | 'includes'> {
  repository: string
  version: string
  content_sha256: string
  /** Whether the version is a skill with files, which would stay behind. */
  hasFiles: boolean
}

/** A source to assemble. */
interface Source {
  /** The full name of the prompt. */
  name: string
  content: string
  format: Format
  /** The variables that the prompt itself declares, and its own placeholders. */
  variables: readonly Variable[]
}

/** An assembled version. */
interface Assembled {
  content: string
  variables: Variable[]
  includes: Include[]
}

/**
 * Assembles a source.
 *
 * @param lines the include lines of the source
 * @param parts the version for each line, in the same order
 * @returns the content, its variables and its includes, or all problems. The caller checks the limits and rules of a version
 */
export function assemble(source: Source, lines: readonly IncludeLine[], parts: readonly Part[]): Parsed<Assembled> {
  const texts: string[] = []
  const positions: Pick<Include, 'start' | 'length'>[] = []
  const problems: ValueProblem[] = []
  let [end, bytes] = [0, 0]
  const add = (text: string) => {
    texts.push(text)
    const start = bytes
    bytes += countBytes(text)
    return { start, length: bytes - start }
  }
  for (const [index, { offset, length }] of lines.entries()) {
    const part = parts[index]!
    const after = source.content.slice(offset + length, lines[index + 1]?.offset)
    const message = findPartProblem(source, part, { after, next: parts[index + 1]?.format })
    if (message) problems.push({ key: 'content', message: `${part.repository}@${part.version} ${message}`, offset })
    add(source.content.slice(end, offset))
    positions.push(add(partText(part.content)))
    end = offset + length
  }
  add(source.content.slice(end))
  if (lines.length > 0 && bytes > LIMITS.contentBytes) {
    const message = `expected at most ${LIMITS.contentBytes} bytes when it is assembled, got ${bytes}. Include fewer or shorter parts`
    return { problems: [...problems, { key: 'content', message }] }
  }
  const content = texts.join('')
  if (lines.length > 0 && beginsWithFrontMatter(content) && !beginsWithFrontMatter(source.content))
    problems.push({
      key: 'content',
      message:
        'expected content that does not begin with front matter when it is assembled. Put text before the include',
    })
  const reached = new Set(parts.flatMap((part) => [part.repository, ...listThrough(part)]))
  if (reached.size > LIMITS.includedThrough) {
    const message = `expected at most ${LIMITS.includedThrough} prompts, with those that its parts include, got ${reached.size}. Include fewer`
    problems.push({ key: 'content', message })
  }
  const joined = joinVariables(
    source.variables,
    parts.map(({ repository, version, variables }) => ({ address: `${repository}@${version}`, variables })),
  )
  problems.push(...(joined.problems ?? []))
  if (!joined.value || problems.length > 0) return { problems }
  const { variables, added } = joined.value
  const includes = lines.map(({ repository, range }, index): Include => {
    const part = parts[index]!
    const { version, content_sha256 } = part
    const rest = { variables: added[index]!, through: listThrough(part) }
    return { repository, range, version, content_sha256, ...positions[index]!, ...rest }
  })
  return { value: { content, variables, includes } }
}

/** Lists the prompts that a part includes, directly or through others, by name. */
function listThrough({ includes = [] }: Pick<Part, 'includes'>): string[] {
  return [...new Set(includes.flatMap(({ repository, through }) => [repository, ...through]))].sort()
}

function findPartProblem(
  { name, format }: Source,
  part: Part,
  place: { after: string; next: Format | undefined },
): string | undefined {
  // Each would grow with every version of the others, and composing them again would never end.
  if (listThrough(part).includes(name))
    return `includes ${name} itself. Include a version that does not, or publish the shared part as a prompt of its own`
  if (part.hasFiles) return 'is a skill with files, which would stay behind. Include a prompt without files'
  if (part.format === 'chat' && format === 'text')
    return 'is a chat prompt, and this is a text. Publish with format chat, or include a text'
  return findEdgeProblem(format, part, place)
}

/** What follows a part in the source, up to the next part. */
interface Place {
  after: string
  /** The format of the next part; undefined after the last one. */
  next: Format | undefined
}

/**
 * Finds why a part cannot stand where it is included. A part stands between line ends, so no placeholder and no role line reaches across its edges; what is left is listed here.
 *
 * @returns the end of a sentence about the part
 */
function findEdgeProblem(
  format: Format,
  part: { content: string; format: Format },
  { after, next }: Place,
): string | undefined {
  const text = partText(part.content)
  if (text.startsWith('\uFEFF')) return 'begins with a byte order mark. Include a version without one'
  if (text.endsWith('\r')) return 'ends with a lone carriage return. Include a version without it'
  if (format === 'text') return undefined
  if (part.format === 'text')
    return findUnwritable(text) === undefined
      ? undefined
      : 'has role lines or {{history}}, but is not a chat prompt. Include a version with format chat, or a text without them'
  const following = after.replace(/^[ \t\r\n]+/, '')
  const isFollowed = following === '' ? next !== 'text' : splitChat(following.split('\n', 1)[0]!).length > 0
  return isFollowed ? undefined : 'is a chat prompt, so a role line must follow it, or the end'
}
