// Finds what to warn of in a version, its files and its metadata. Used by publishing and reviews. Nothing here rejects content.
import type { Difference, Variable, Warning } from '../api/schema.ts'
import { divideContent, type Piece } from '../compose/include-lines.ts'
import { placeInSource } from '../compose/source-lines.ts'
import { LIMITS } from '../limits.ts'
import { countCharacters, lineOf } from '../text/plain-text.ts'
import { printable } from '../text/printable.ts'
import { findRoleLine } from '../values/chat.ts'
import { decodeFile, type VersionFileBytes } from '../values/file-entry.ts'
import { titleFromName } from '../values/names.ts'
import { nextVersion, stepBetween } from '../values/versions.ts'
import type { VersionEntry } from './content-tree.ts'
import type { Finding } from './finding.ts'
import { findInText, limitFindings, MAX_PER_KIND, toWarnings, warnOfTexts } from './findings.ts'
import { compareVariables, findNearPlaceholders } from './placeholders.ts'
import { beginsWithFrontMatter, type RepositoryFile, type VersionFile } from './prompt-file.ts'

/**
 * Returns the warnings about a version.
 *
 * @param files the files beside its SKILL.md
 * @param isAssembled whether the version was composed, so that its author knows the lines of its source
 * @param breaking the warnings about breaking changes
 */
export function warnOf(
  version: VersionEntry,
  { name, file }: { name: string; file: RepositoryFile },
  files: readonly VersionFileBytes[],
  breaking: readonly Warning[] = [],
  isAssembled = false,
): Warning[] {
  const { content, variables, skill } = version
  const weak: Finding[] = []
  for (const { key, message, offset = -1 } of compareVariables(version))
    weak.push({ code: 'weak_metadata', key, message, offset })
  weak.push(...findWeakMetadata({ ...file, name }, variables))
  const warnings = [
    ...toWarnings(findStoredAsText(version, isAssembled), content),
    ...warnOfTexts(version, file),
    ...(skill ? [...toWarnings(findMissingFiles(content, files), content), ...warnOfFiles(files)] : []),
    ...breaking,
    ...toWarnings(weak, content),
  ]
  return isAssembled ? placeInSource(warnings, version) : warnings
}

/** Text that looks like an include line, whether or not it is alone on its line. */
const LOOKS_LIKE_INCLUDE = /\{\{\{?[ \t]{0,8}include[ \t]{1,8}["'][^\n]{0,160}/gi

/** Finds text that looks like what the hub reads, such as a placeholder or an include line, but that is stored as text. @param isComposed whether include lines have been replaced */
export function findStoredAsText(
  version: Pick<VersionFile, 'content' | 'format' | 'variables' | 'includes'>,
  isComposed: boolean,
): Finding[] {
  const { content, format, variables, includes } = version
  const found: Finding[] = []
  const say = (code: Warning['code'], message: string, offset: number) =>
    found.push({ code, key: 'content', message, offset })
  const role = format === 'text' && content.includes('{{role "') ? findRoleLine(content) : undefined
  if (role !== undefined)
    say('looks_like_chat', 'has role lines, but format is text. Publish it with format chat to get messages', role)
  if (beginsWithFrontMatter(content))
    say(
      'looks_like_front_matter',
      'begins with front matter, which is part of the content. To use its fields, publish the file with "Content-Type: text/markdown", and with a first line that is exactly ---',
      0,
    )
  const declared = variables.map(({ name }) => name)
  for (const { text, offset, meant } of findNearPlaceholders(content, declared)) {
    const wayOut =
      meant === undefined
        ? 'The name of a variable has only the letters A to Z, digits and underscores, as in {{name}}'
        : `If it should be one, write {{${meant}}}`
    say('near_placeholder', `${printable(text)} is not a placeholder. ${wayOut}`, offset)
  }
  const pieces: Piece[] = includes ? divideContent(version) : [{ text: content }]
  return [...limitFindings(found), ...findIncludeLike(pieces, isComposed)]
}

function findIncludeLike(pieces: readonly Piece[], isComposed: boolean): Finding[] {
  const wayOut = isComposed
    ? 'If it should be an include, write {{include "owner/name@range"}} alone on its line, without spaces around it'
    : 'To include the other prompt, publish with compose: true'
  const found: Finding[] = []
  let start = 0
  for (const { text, include } of pieces) {
    if (!include)
      for (const { 0: like, index } of text.matchAll(LOOKS_LIKE_INCLUDE)) {
        if (found.length === MAX_PER_KIND) return found
        const message = `${printable(like)} is stored as text. ${wayOut}`
        found.push({ code: 'looks_like_include', key: 'content', message, offset: start + index })
      }
    start += text.length
  }
  return found
}

/** Maximum length of a path that a text names. */
const NAMED_PATH =
  /(?:^|[\s`'"(<])((?:\.\/)?(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\/){1,7}[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.[A-Za-z0-9]{1,8})(?=[\s`'")>,;:]|\.?$|\.\s)/gm
/** Folders in which skills have files. https://agentskills.io/specification */
const SKILL_FOLDERS = new Set(['scripts', 'references', 'reference', 'assets', 'templates', 'examples'])

/** Finds the files that the content of a skill names and that are not there. Only paths in the usual folders of a skill count: others may be files of the reader's project. */
export function findMissingFiles(content: string, files: readonly { path: string }[]): Finding[] {
  const paths = new Set(files.map(({ path }) => path))
  const folders = new Set([...SKILL_FOLDERS, ...files.map(({ path }) => path.split('/')[0]!)])
  const missing = new Map<string, number>()
  for (const { 1: named = '', index } of content.matchAll(NAMED_PATH)) {
    const path = named.replace(/^\.\//, '')
    if (folders.has(path.split('/')[0]!) && !paths.has(path) && !missing.has(path)) missing.set(path, index)
  }
  const findings = [...missing].map(([path, offset]) => ({
    code: 'missing_file' as const,
    key: 'content',
    message: `names ${path}, but the skill has no such file. Add it, or correct the path`,
    offset,
  }))
  return limitFindings(findings)
}

/** Warns about the texts of the files of a skill. */
function warnOfFiles(files: readonly VersionFileBytes[]): Warning[] {
  const findings = files.flatMap(({ path, media_type, bytes }) => {
    const text = media_type === 'text/plain' ? (decodeFile(bytes) ?? '') : ''
    return limitFindings(findInText(text)).map(({ code, message, offset }) => ({
      code,
      offset: -1,
      message: `files: ${path}: ${offset < 0 ? '' : `line ${lineOf(text, offset)}: `}${message}`,
    }))
  })
  return toWarnings(limitFindings(findings))
}

/** Names what systems and programs left in the folder that was sent. */
export function warnOfLeftOut(paths: readonly string[]): Warning[] {
  const rest = paths.length - LIMITS.problemsNamed
  const named = paths.slice(0, LIMITS.problemsNamed).map((path) => `files: ${printable(path)}: left out`)
  return [...named, ...(rest > 0 ? [`files: ${rest} more left out`] : [])].map((message) => ({
    code: 'left_out',
    message: `${message}, because systems and programs leave this in a folder`,
    line: null,
  }))
}

/** Minimum length of a useful description; the quality score requires twice as much. docs/contract.md section 5 */
const SHORT_DESCRIPTION = 20

/** Minimum length of a useful title. */
const SHORT_TITLE = 3

/** The metadata of a repository. */
interface Metadata {
  name: string
  title?: string | undefined
  description: string
  tags: readonly string[]
  license: string | null
}

/** Finds information that readers need and that is missing. */
export function findWeakMetadata(
  { name, title = '', description, tags, license }: Metadata,
  variables: readonly Variable[],
): (Finding & { key: string })[] {
  const weak: (Finding & { key: string })[] = []
  const say = (key: string, message: string) => weak.push({ code: 'weak_metadata', key, message, offset: -1 })
  if (title === '')
    say('title', `derived from the name, “${titleFromName(name)}”; add one that says what the prompt does`)
  else if (title.trim().length < SHORT_TITLE || title === name) say('title', 'add a title of a few words')
  if (countCharacters(description.trim()) < SHORT_DESCRIPTION)
    say('description', 'describe the purpose of the prompt in one or two sentences')
  if (tags.length === 0) say('tags', 'add tags, so that people find the prompt')
  if (license === null) say('license', 'add a license, so that people know how they may use the prompt')
  const undescribed: string[] = []
  for (const { name, description } of variables) if (description.trim() === '') undescribed.push(name)
  if (undescribed.length > 0) say('variables', `add a description for ${undescribed.join(', ')}`)
  return weak
}

/** Warns about a breaking change without a major version. */
export function warnOfDifference({ breaking, from, to, reasons }: Difference): Warning[] {
  const step = stepBetween(from, to)
  if (!breaking || step === undefined || step === 'major') return []
  // Below a major step, the first part of the number is the same.
  const wanted = nextVersion([to], 'major')
  const message = `breaking change since ${from}, published as ${step}: ${reasons.join(', ')}. Publish it as ${wanted} (major)`
  return [{ code: 'breaking_change', message, line: null }]
}
