// Finds warnings for authors and readers. Used by publishing, the build and reviews. Nothing here rejects content.
import type { Difference, Variable, VersionRecord, Warning } from '../api/schema.ts'
import { countCharacters, lineCounter, lineOf } from '../text/plain-text.ts'
import { printable } from '../text/printable.ts'
import { findRoleLine } from '../values/chat.ts'
import { decodeFile, type VersionFileBytes } from '../values/file-entry.ts'
import { titleFromName } from '../values/names.ts'
import { nextVersion, stepBetween } from '../values/versions.ts'
import type { Finding } from './finding.ts'
import { findHiddenCharacters } from './hidden-characters.ts'
import { compareVariables, findNearPlaceholders } from './placeholders.ts'
import type { RepositoryFile, VersionFile } from './prompt-file.ts'
import { findSecrets } from './secrets.ts'

/** The text fields of a version. */
type VersionTexts = Pick<VersionRecord, 'content' | 'changelog' | 'variables' | 'parameters'> & {
  skill?: { description: string } | null | undefined
}

/** Returns all warnings about one text field; warnings of the same kind are sorted by position. */
export function findInText(text: string): Finding[] {
  return [...findHiddenCharacters(text), ...findLookAlikes(text), ...findSecrets(text)]
}

/** Maximum number of findings listed for each kind and text field; the others are only counted, because a text may cause a quarter of a million findings. */
const MAX_PER_KIND = 5

/** Returns the warnings about the text fields of a version and of its repository. `line` is the 1-based line of the content; findings in other fields name the field instead. */
export function warnOfTexts(
  { content, changelog, skill, variables, parameters }: VersionTexts,
  { title, description, readme }: Partial<Pick<RepositoryFile, 'title' | 'description' | 'readme'>> = {},
): Warning[] {
  const warnings = toWarnings(limitFindings(findInText(content)), content)
  const fields = {
    changelog,
    title,
    description,
    readme,
    skill: skill?.description,
    variables: variables.length > 0 ? JSON.stringify(variables) : undefined,
    parameters: JSON.stringify(parameters),
  }
  for (const [field, text] of Object.entries(fields)) {
    if (!text) continue
    const findings = limitFindings(findInText(text)).map((one) => ({ ...one, key: field, offset: -1 }))
    warnings.push(...toWarnings(findings))
  }
  return warnings
}

/** Makes warnings of findings: with the key of each before its message, and its line in the content. */
export function toWarnings(findings: readonly Finding[], content = ''): Warning[] {
  if (findings.length === 0) return []
  const lineAt = lineCounter(content, 1)
  return findings.map(({ code, key, message, offset }) => ({
    code,
    message: key === undefined ? message : `${key}: ${message}`,
    line: offset < 0 ? null : lineAt(offset),
  }))
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
export function warnOfFiles(files: readonly VersionFileBytes[]): Warning[] {
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

/** Finds unused variables and undeclared placeholders. */
export function findWeakVariables(version: Pick<VersionFile, 'content' | 'format' | 'variables'>): Finding[] {
  return compareVariables(version).map(({ key, message, offset = -1 }) => ({
    code: 'weak_metadata',
    key,
    message,
    offset,
  }))
}

/** Finds role lines in content that is not a chat prompt: without `format: chat`, they are plain text. */
export function findLikeChat({ content, format }: Pick<VersionFile, 'content' | 'format'>): Finding[] {
  const offset = format === 'text' && content.includes('{{role "') ? findRoleLine(content) : undefined
  if (offset === undefined) return []
  const message = 'has role lines, but format is text. Publish it with format chat to get messages'
  return [{ code: 'looks_like_chat', key: 'content', message, offset }]
}

/** Finds text that was probably meant as a placeholder; it stays as it is when the prompt is filled in. */
export function findNear({ content, variables }: Pick<VersionFile, 'content' | 'variables'>): Finding[] {
  const names = variables.map(({ name }) => name)
  const findings = findNearPlaceholders(content, names).map(({ text, offset, meant }) => {
    const wayOut =
      meant === undefined
        ? 'The name of a variable has only the letters A to Z, digits and underscores, as in {{name}}'
        : `If it should be one, write {{${meant}}}`
    const message = `${printable(text)} is not a placeholder. ${wayOut}`
    return { code: 'near_placeholder' as const, key: 'content', message, offset }
  })
  return limitFindings(findings)
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
  const undescribed = variables.filter((variable) => variable.description.trim() === '').map(({ name }) => name)
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

/** Keeps the first few findings of each kind, and counts the rest. */
export function limitFindings(findings: readonly Finding[]): Finding[] {
  if (findings.length <= MAX_PER_KIND) return [...findings]
  return [...Map.groupBy(findings, ({ code }) => code)].flatMap(([, all]) =>
    all.length <= MAX_PER_KIND
      ? all
      : [
          ...all.slice(0, MAX_PER_KIND),
          { ...all[0]!, message: `and ${all.length - MAX_PER_KIND} more of this kind`, offset: -1 },
        ],
  )
}

/** Cyrillic, Greek and related letters that look like Latin letters. @see https://www.unicode.org/reports/tr39/#Confusable_Detection */
const DRAWN_AS_LATIN = /[асеорхуіјѕһԁԛԝӏАВЕЅЗІЈКМНОРСТХУԌԚԜοανρικΑΒΕΖΗΙΚΜΝΟΡΤΥΧցօսհⅼⅰⅴⅹ]/u
/** A sequence of letters that mixes Latin and another script. The length is bounded, so a longer sequence is checked in parts. */
const MIXED_WORD = /[\p{L}\p{M}\p{Nl}]{2,64}/gu

/** Finds words that mix Latin letters with look-alikes, which users read as one word and programs as another. */
function findLookAlikes(text: string): Finding[] {
  if (!DRAWN_AS_LATIN.test(text)) return []
  const findings: Finding[] = []
  for (const { 0: word, index } of text.matchAll(MIXED_WORD)) {
    const letter = DRAWN_AS_LATIN.exec(word)
    // Requires at least two Latin letters, because Δx and µm legitimately mix scripts.
    if (!letter || !/\p{sc=Latin}.*\p{sc=Latin}/u.test(word)) continue
    const name = `U+${letter[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
    const message = `contains a word that mixes alphabets: ${JSON.stringify(word)} has ${name}, which looks like a Latin letter`
    findings.push({ code: 'look_alikes', message, offset: index + letter.index })
  }
  return findings
}
