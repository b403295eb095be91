// Composes the version of a publish: finds its source, and assembles it with the versions that it includes. docs/compose.md

import type { Variable } from '../api/schema.ts'
import type { VersionEntry } from '../content/content-tree.ts'
import { findPlaceholders } from '../content/placeholders.ts'
import type { VersionFile, WrittenFile } from '../content/prompt-file.ts'
import type { Parsed } from '../text/problems.ts'
import type { Include } from '../values/include.ts'
import type { Part } from './assemble.ts'
import { cutSource, findIncludeLines, type Reference } from './include-lines.ts'
import type { Resolved, SourceLine } from './resolve.ts'

/** A version that an include line includes, as it is in git. */
export interface WrittenPart extends Resolved {
  /** Undefined if it has no file. */
  file: WrittenFile | undefined
  /** Whether it has files beside its SKILL.md. */
  hasFiles: boolean
}

/** What a publish says about its source. */
interface Composing {
  content: string
  recompose?: boolean | undefined
}

/** A source with its include lines. */
export interface Lines {
  source: string
  lines: SourceLine[]
}

/** Finds the source of a publish that is to be composed, and its include lines. @param latest the latest version, whose source `recompose` uses */
export function findSource(
  { content, recompose }: Composing,
  latest: Pick<VersionFile, 'content' | 'includes'> | undefined,
): Parsed<Lines> {
  if (recompose && !latest?.includes?.length) {
    const message = 'expected a latest version with includes. Publish content with compose: true instead'
    return { problems: [{ key: 'recompose', message }] }
  }
  const source = recompose && latest ? cutSource(latest) : content
  const { value: lines, problems } = findIncludeLines(source)
  if (problems) return { problems }
  if (!recompose) return { value: { source, lines } }
  const heldBy = ({ repository, range }: Reference) =>
    latest?.includes?.find((include) => include.repository === repository && include.range === range)?.version
  return { value: { source, lines: lines.map((line) => ({ ...line, held: heldBy(line) })) } }
}

/** Returns the variables that a version declares itself, without those of its parts. */
export function ownVariables({
  variables,
  includes = [],
}: {
  variables: readonly Variable[]
  includes?: readonly Include[] | undefined
}): Variable[] {
  const fromParts = new Set(includes.flatMap((include) => include.variables))
  return variables.filter(({ name }) => !fromParts.has(name))
}

/** Describes a version to include. @param file its parsed file @param measure computes the digest of content */
export function readPart(
  { repository, version, hasFiles }: Pick<WrittenPart, 'repository' | 'version' | 'hasFiles'>,
  { content, format, variables, includes }: VersionFile,
  measure: (content: string) => Pick<VersionEntry, 'content_sha256'>,
): Part {
  const { content_sha256 } = measure(content)
  return { repository, version, hasFiles, content, format, variables, includes, content_sha256 }
}

/** Lists the placeholders of a source and its parts: those of the assembled text, because none reaches across an edge. */
export function listUsed(source: string, parts: readonly Part[]): Set<string> {
  const contents = new Set([source, ...parts.map(({ content }) => content)])
  return new Set([...contents].flatMap(findPlaceholders))
}
