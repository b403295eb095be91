// Reads the files and folders given to `npm run import`, sorted by path, within limits.
import { isUtf8 } from 'node:buffer'
import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { detectFormat, type ImportFormat, READERS } from '../../domain/formats/formats.ts'
import { readRoleFiles } from '../../domain/formats/plain.ts'
import type { ReadResult } from '../../domain/formats/portable.ts'
import { MAX_SOURCE_BYTES } from '../../domain/formats/source-file.ts'
import { compareText } from '../../domain/text/compare-text.ts'
import { describeRefusal, openFolder, type PlainFolder } from '../files/plain-files.ts'

/** Maximum number of files and of nested folders in an import. */
const MAX_FILES = 50_000
const MAX_DEPTH = 16
/** Maximum size of a CSV file, which may contain many prompts. */
const MAX_CSV_BYTES = 64 * MAX_SOURCE_BYTES
const LEFT_OUT = new Set(['node_modules', '.git', '.hub', 'dist'])
/** Files that often accompany prompts but are not prompts. */
const NOT_PROMPTS =
  /^(?:readme|license|licence|changelog|contributing|code_of_conduct|security|agents|claude)\.(?:md|txt)$/i

/** A file to import. */
interface Source {
  /** The given folder, or the folder of a given file. */
  folder: PlainFolder
  /** The file's path in that folder. */
  path: string
  /** The file's path as given, or as found below a given folder. */
  shown: string
}

interface SourceResult extends ReadResult {
  /** The path, as given or as found below a given folder. */
  path: string
}

/** Lists the files below the paths. A given path may be a link, because its owner chose it; links below it are skipped, because a stranger may have made them. @throws Error for a missing path, and for too many files */
export function listSources(paths: readonly string[]): Source[] {
  const sources: Source[] = []
  const add = (source: Source) => {
    sources.push(source)
    if (sources.length > MAX_FILES) throw new Error(`expected at most ${MAX_FILES} files; import one folder at a time`)
  }
  const addFolder = (folder: PlainFolder, path: string, shown: string, depth: number) => {
    if (depth > MAX_DEPTH) throw new Error(`${shown}: expected at most ${MAX_DEPTH} levels of folders`)
    const entries = folder.list(path).sort((a, b) => compareText(a.name, b.name))
    for (const entry of entries.filter(({ name }) => !LEFT_OUT.has(name))) {
      const below = { folder, path: path === '' ? entry.name : `${path}/${entry.name}`, shown: join(shown, entry.name) }
      if (entry.isDirectory()) addFolder(folder, below.path, below.shown, depth + 1)
      else if (entry.isFile()) add(below)
    }
  }
  for (const given of paths) {
    const real = realpathSync(given)
    const stats = lstatSync(real)
    if (stats.isDirectory()) addFolder(openFolder(real), '', given, 0)
    else if (stats.isFile()) add({ folder: openFolder(dirname(real)), path: basename(real), shown: given })
    else throw new Error(`${given}: expected a file or a folder`)
  }
  return sources
}

/**
 * Reads files one by one.
 *
 * @param format the format of every file; if undefined, it is detected from the name, and files that are not prompts are skipped
 */
export function* readSources(
  sources: readonly Source[],
  format: ImportFormat | undefined,
  { root }: { root: string },
): Generator<SourceResult> {
  const seen = new Set<string>()
  const readsRoles = format === undefined || format === 'markdown'
  for (const source of sources) {
    const shown = relative(root, source.shown).startsWith('..') ? source.shown : relative(root, source.shown)
    const roles = readsRoles && ROLE_FILE.test(basename(source.path)) ? listRoleFiles(source) : []
    if (roles.length > 0) {
      const folder = dirname(source.shown)
      if (!seen.has(folder)) yield { path: dirname(shown), ...readRoleFolder(source, roles) }
      seen.add(folder)
      continue
    }
    const result = readSource(source, format)
    if (result) yield { path: shown, ...result }
  }
}

/** Reads a file. @returns undefined if it is not a prompt */
function readSource({ folder, path, shown }: Source, format: ImportFormat | undefined): ReadResult | undefined {
  if (format === undefined && NOT_PROMPTS.test(basename(path))) return undefined
  // Only the content of a JSON file shows its format.
  const peeked = format === undefined && path.endsWith('.json') ? readText(folder, path, MAX_CSV_BYTES) : undefined
  const known = format ?? detectFormat(shown.replaceAll('\\', '/'), peeked?.text ?? '')
  if (known === undefined) return undefined
  const { text, message } = readText(
    folder,
    path,
    known === 'csv' || known === 'langfuse' ? MAX_CSV_BYTES : MAX_SOURCE_BYTES,
  )
  return text === undefined ? refuse(message) : READERS[known](text, nameOf(shown, known))
}

const ROLE_FILE = /^(system|user|assistant)\.(?:md|txt)$/

/** `system.md` and `user.md` form one chat prompt together. @returns the names of the files; empty if they do not form one prompt */
function listRoleFiles({ folder, path }: Source): string[] {
  const names = folder.list(folderOf(path)).flatMap(({ name }) => (ROLE_FILE.test(name) ? [name] : []))
  return names.length > 1 && names.some((name) => name.startsWith('system.')) ? names : []
}

function readRoleFolder({ folder, path, shown }: Source, names: readonly string[]): ReadResult {
  const texts = new Map<'system' | 'user' | 'assistant', string>()
  for (const name of names) {
    const role = (['system', 'user', 'assistant'] as const).find((one) => one === ROLE_FILE.exec(name)?.[1])
    if (!role) continue
    const { text, message } = readText(folder, join(folderOf(path), name), MAX_SOURCE_BYTES)
    if (text === undefined) return refuse(`${name}: ${message}`)
    texts.set(role, text)
  }
  return readRoleFiles(texts, basename(dirname(shown)))
}

/** Returns the folder of a path; an empty path for the given folder itself. */
const folderOf = (path: string) => (path.includes('/') ? dirname(path) : '')

/** Reads a text. @returns the text, or why it was not read */
function readText(
  folder: PlainFolder,
  path: string,
  maxBytes: number,
): { text: string; message?: never } | { text?: never; message: string } {
  const { value, refusal } = folder.read(path, maxBytes)
  if (refusal) return { message: describeRefusal(refusal, maxBytes) }
  return isUtf8(value) ? { text: value.toString() } : { message: 'expected UTF-8' }
}

function refuse(message: string): ReadResult {
  return { prompts: [], findings: [{ kind: 'refused', field: 'file', line: null, message }] }
}

function nameOf(path: string, format: ImportFormat): string {
  if (format === 'skill') return basename(dirname(path))
  return basename(path)
    .replace(/\.[^.]+$/, '')
    .replace(/\.prompt$/, '')
}
