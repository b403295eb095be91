// Reads the files given to `npm run import` with the readers of their formats.
import { isUtf8 } from 'node:buffer'
import { basename, dirname, join, relative } from 'node:path'
import type { PromptPlace } from '../../../src/domain/api/export-formats.ts'
import { digestText } from '../../../src/files/measure.ts'
import { describeRefusal } from '../../../src/files/plain-files.ts'
import type { PromptSource, UnnamedPrompt } from '../../prompt-formats/source/assign-names.ts'
import {
  detectFormat,
  hasFormatName,
  type ImportFormat,
  READERS,
  TEXT_FORMATS,
} from '../../prompt-formats/source/formats.ts'
import { nameOfFile } from '../../prompt-formats/source/names.ts'
import { readRoleFiles } from '../../prompt-formats/source/plain.ts'
import {
  ConversionProblems,
  MAX_FINDINGS,
  type PortablePrompt,
  type Reader,
  type ReadResult,
  textsOf,
} from '../../prompt-formats/source/portable.ts'
import { MAX_SOURCE_BYTES } from '../../prompt-formats/source/source-file.ts'
import { folderOf, SKILL_FILE, type Source } from './list-sources.ts'
import { readSkillFolder } from './skill-folder.ts'

/** Maximum size of a CSV or JSON file, which may contain many prompts. */
const MAX_LIST_BYTES = 64 * MAX_SOURCE_BYTES
/** Files that often accompany prompts but are not prompts. */
const NOT_PROMPTS = /^(?:readme|license|licence|changelog|contributing|code_of_conduct|security)\.(?:md|txt)$/i
/** Instructions for one project. */
const PROJECT_FILES = /^(?:agents|claude|gemini|copilot-instructions)\.md$/i

/** A prompt that was read, with what decides on its name. */
export interface SourcedPrompt extends UnnamedPrompt {
  prompt: PortablePrompt
  /** Its place in its file, from 1; null if it is the only one there. */
  position: number | null
  /** What was said about it, if its file has several prompts. */
  findings: ReadResult['findings']
  /** Where it was found. */
  found: Source
}

/** The result of reading a file. */
interface SourceResult {
  /** The path, as given or as found below a given folder, relative to the working directory. */
  path: string
  prompts: SourcedPrompt[]
  /** What was said about the whole file, or about the only prompt in it. */
  findings: ReadResult['findings']
  /** The parts of the file that are no prompts, and what was said about each. */
  refused: { place: PromptPlace; findings: ReadResult['findings'] }[]
  /** Whether it is not a prompt, by its name. */
  isSkipped: boolean
}

/** What a reader made of a file, and what it read. */
interface Read extends ReadResult {
  text: string
  /** The name of a prompt after its file. */
  fileName: string
}

/**
 * Reads files one by one.
 *
 * @param format the format of every file; if undefined, it is detected from the name
 * @param root the working directory
 * @param keepsText whether nothing in the texts is a placeholder
 */
export function* readSources(
  sources: readonly Source[],
  format: ImportFormat | undefined,
  { root, keepsText }: { root: string; keepsText: boolean },
): Generator<SourceResult> {
  const seen = new Set<string>()
  const readsRoles = format === undefined || format === 'markdown'
  const pathOf = (shown: string) => relative(root, shown).replaceAll('\\', '/') || '.'
  for (const source of sources) {
    const roles = readsRoles && ROLE_FILE.test(basename(source.path)) ? listRoleFiles(source) : []
    if (roles.length > 0) {
      const folder = dirname(source.shown)
      if (!seen.has(folder)) yield finish(pathOf(folder), source, readRoleFolder(source, roles), keepsText)
      seen.add(folder)
      continue
    }
    yield finish(pathOf(source.shown), source, readSource(source, format, keepsText), keepsText)
  }
}

function finish(path: string, source: Source, read: Read | undefined, keepsText: boolean): SourceResult {
  if (!read) return { path, prompts: [], findings: [], refused: [], isSkipped: true }
  const said = Map.groupBy(read.findings, ({ prompt }) => prompt?.position)
  const named = Map.groupBy(read.prompts, partName)
  const taken = new Set<number | undefined>([undefined])
  const prompts = read.prompts.map((given): SourcedPrompt => {
    const { positions = [], ...prompt } = given
    const { name, title, body } = prompt
    for (const position of positions) taken.add(position)
    const part = prompt.part ?? (read.prompts.length > 1 ? JSON.stringify(prompt) : undefined)
    const text = textsOf(body).join('\n')
    const sha256 = digestText(part ?? read.text)
    const own = partName(prompt)
    // A name that the file states is part of its address: the file may hold another prompt next time.
    const isNamed = part !== undefined || name !== read.fileName
    const place = isNamed ? `#${own}${named.get(own)!.length === 1 ? '' : `~${sha256.slice(0, 8)}`}` : ''
    const from: PromptSource = { path: path + place, sha256 }
    return {
      prompt: keepsText ? { ...prompt, variables: [] } : prompt,
      position: positions.at(-1) ?? null,
      findings: positions.flatMap((position) => said.get(position) ?? []),
      found: source,
      name,
      title,
      text,
      source: from,
      folder: isNamed ? '' : ownFolder(source),
    }
  })
  const refused = [...said.values()].flatMap((findings) => {
    const place = findings[0]?.prompt
    return place && !taken.has(place.position) ? [{ place, findings }] : []
  })
  return { path, prompts, findings: said.get(undefined) ?? [], refused, isSkipped: false }
}

/** The name of a prompt that its file states, on one line. */
const partName = ({ name }: PortablePrompt) =>
  name
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, 200)
    .toWellFormed()

/** Reads a file. @returns undefined if its name says that it is not a prompt */
function readSource(source: Source, format: ImportFormat | undefined, keepsText: boolean): Read | undefined {
  const { folder, path, shown, isGiven, beside } = source
  const file = basename(shown)
  if (!isGiven && (NOT_PROMPTS.test(file) || (format !== undefined && !hasFormatName(file, format)))) return undefined
  if (!isGiven && PROJECT_FILES.test(file))
    return refuse(`${file} instructs agents in one project. To import it all the same, name the file itself`)
  // Only the content of a JSON file shows its format.
  const peeked = format === undefined && path.endsWith('.json') ? readText(folder, path, MAX_LIST_BYTES) : undefined
  const known = format ?? detectFormat(shown.replaceAll('\\', '/'), peeked?.text ?? '')
  if (known === undefined) return isGiven ? refuse('its format is unknown; choose one with --from') : undefined
  // The path is written into `index.md`, on one line.
  if (/\p{Cc}/u.test(shown)) return refuse('expected a path without control characters. Rename it')
  if (keepsText && !TEXT_FORMATS.has(known))
    return refuse(`${known} files are templates. To keep the text as it is, name the file itself with --from markdown`)
  const { text, message } = hasList(known)
    ? (peeked ?? readText(folder, path, MAX_LIST_BYTES))
    : readText(folder, path, MAX_SOURCE_BYTES)
  if (text === undefined) return refuse(message)
  const fileName = nameOfFile(join(source.root, path), known)
  const reader: Reader = READERS[known]
  const { prompts, findings } = reader(text, fileName, { keepsText })
  if (!beside) return { prompts, findings, text, fileName }
  if (known !== (SKILL_FILE.test(file) ? 'skill' : 'markdown')) {
    const more = new ConversionProblems()
    if (beside.files.length > 0) more.lost('files', describeOthers(beside.files, known))
    return { prompts, findings: [...findings, ...more.all], text, fileName }
  }
  const { files, findings: more } = readSkillFolder(folder, path, text, beside)
  // Without its files, a skill is broken, not smaller.
  if (files.length > 0 && prompts.some(({ skill }) => !skill))
    more.refused('files', `only a skill has files. Change in ${file} what is named above`)
  const all = [...findings, ...more.all]
  if (more.isRefused) return { prompts: [], findings: all, text, fileName }
  const whole = files.length === 0 ? text : JSON.stringify([text, files.map((file) => [file.path, file.sha256])])
  return { prompts: prompts.map((prompt) => ({ ...prompt, files })), findings: all, text: whole, fileName }
}

const hasList = (format: ImportFormat) => format === 'csv' || format === 'langfuse'

function describeOthers(files: readonly string[], format: ImportFormat): string {
  const named = files.slice(0, MAX_FINDINGS).join(', ')
  return `${files.length} other ${files.length === 1 ? 'file' : 'files'} of the skill not imported, because --from ${format} reads one file: ${named}`
}

const ROLE_FILE = /^(system|user|assistant)\.(?:md|txt)$/

/** `system.md` and `user.md` form one chat prompt together. @returns the names of the files; empty if they do not form one prompt */
function listRoleFiles({ folder, path }: Source): string[] {
  const names = folder.list(folderOf(path)).flatMap(({ name }) => (ROLE_FILE.test(name) ? [name] : []))
  return names.length > 1 && names.some((name) => name.startsWith('system.')) ? names : []
}

function readRoleFolder({ folder, root, path }: Source, names: readonly string[]): Read {
  const texts = new Map<'system' | 'user' | 'assistant', string>()
  for (const name of names) {
    const role = (['system', 'user', 'assistant'] as const).find((one) => one === ROLE_FILE.exec(name)?.[1])
    if (!role) continue
    const { text, message } = readText(folder, join(folderOf(path), name), MAX_SOURCE_BYTES)
    if (text === undefined) return refuse(`${name}: ${message}`)
    texts.set(role, text)
  }
  const fileName = nameOfFile(join(root, path), 'markdown')
  return { ...readRoleFiles(texts, fileName), text: JSON.stringify([...texts]), fileName }
}

/** Returns the name of the folder that tells a file apart from others with its name. */
const ownFolder = ({ root, path }: Source) => basename(dirname(join(root, path)))

/** Reads a text. @returns the text, or why it was not read */
function readText(
  folder: Source['folder'],
  path: string,
  maxBytes: number,
): { text: string; message?: never } | { text?: never; message: string } {
  const { value, refusal } = folder.read(path, maxBytes)
  if (refusal) return { message: describeRefusal(refusal, maxBytes) }
  return isUtf8(value) ? { text: value.toString() } : { message: 'expected UTF-8' }
}

function refuse(message: string): Read {
  return { prompts: [], findings: [{ kind: 'refused', field: 'file', line: null, message }], text: '', fileName: '' }
}
