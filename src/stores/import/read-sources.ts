// Reads the files and folders given to `npm run import`, sorted by path, within limits.
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { detectFormat, type ImportFormat, READERS } from '../../domain/formats/formats.ts'
import { readRoleFiles } from '../../domain/formats/plain.ts'
import type { Finding, ReadResult } from '../../domain/formats/portable.ts'
import { MAX_SOURCE_BYTES } from '../../domain/formats/source-file.ts'

/** Maximum number of files and of nested folders in an import. */
const MAX_FILES = 50_000
const MAX_DEPTH = 16
/** Maximum size of a CSV file, which may contain many prompts. */
const MAX_CSV_BYTES = 64 * MAX_SOURCE_BYTES
const LEFT_OUT = new Set(['node_modules', '.git', '.hub', 'dist'])
/** Files that often accompany prompts but are not prompts. */
const NOT_PROMPTS =
  /^(?:readme|license|licence|changelog|contributing|code_of_conduct|security|agents|claude)\.(?:md|txt)$/i

interface SourceResult extends ReadResult {
  /** The path, as given or as found below a given folder. */
  path: string
}

/** Lists the files below the paths. @throws Error for a missing path, and for too many files */
export function listSources(paths: readonly string[]): string[] {
  const files: string[] = []
  const add = (path: string, depth: number) => {
    const entry = lstatSync(path)
    // Links are skipped, because they could lead out of the folder or form a cycle.
    if (entry.isSymbolicLink() && depth > 0) return
    if (!entry.isDirectory()) {
      if (entry.isFile() || entry.isSymbolicLink()) files.push(path)
    } else if (depth > MAX_DEPTH) throw new Error(`${path}: expected at most ${MAX_DEPTH} levels of folders`)
    else for (const name of readdirSync(path).sort()) if (!LEFT_OUT.has(name)) add(join(path, name), depth + 1)
    if (files.length > MAX_FILES) throw new Error(`expected at most ${MAX_FILES} files; import one folder at a time`)
  }
  for (const path of paths) add(path, 0)
  return files
}

/**
 * Reads files one by one.
 *
 * @param format the format of every file; if undefined, it is detected from the name, and files that are not prompts are skipped
 */
export function* readSources(
  files: readonly string[],
  format: ImportFormat | undefined,
  { root }: { root: string },
): Generator<SourceResult> {
  const roleFolders = new Set<string>()
  for (const path of files) {
    const shown = relative(root, path).startsWith('..') ? path : relative(root, path)
    const role = format === undefined || format === 'markdown' ? roleOf(path, files) : undefined
    if (role) {
      const folder = dirname(path)
      if (roleFolders.has(folder)) continue
      roleFolders.add(folder)
      yield { path: dirname(shown), ...readRoleFolder(folder) }
      continue
    }
    const known =
      format ?? (NOT_PROMPTS.test(basename(path)) ? undefined : detectFormat(path.replaceAll('\\', '/'), peek(path)))
    if (known === undefined) continue
    const problem = findFileProblem(path, known)
    yield { path: shown, ...(problem ? refuse(problem) : READERS[known](decode(path), nameOf(path, known))) }
  }
}

const ROLE_FILE = /^(system|user|assistant)\.(?:md|txt)$/

/** `system.md` and `user.md` form one chat prompt together. */
function roleOf(path: string, files: readonly string[]): boolean {
  if (!ROLE_FILE.test(basename(path))) return false
  const folder = dirname(path)
  return (
    files.some((file) => dirname(file) === folder && /^system\.(?:md|txt)$/.test(basename(file))) &&
    readdirSync(folder).filter((name) => ROLE_FILE.test(name)).length > 1
  )
}

function readRoleFolder(folder: string): ReadResult {
  const texts = new Map<'system' | 'user' | 'assistant', string>()
  for (const name of readdirSync(folder)) {
    const role = (['system', 'user', 'assistant'] as const).find((one) => one === ROLE_FILE.exec(name)?.[1])
    if (!role) continue
    const problem = findFileProblem(join(folder, name), 'markdown')
    if (problem) return refuse(problem)
    texts.set(role, decode(join(folder, name)))
  }
  return readRoleFiles(texts, basename(folder))
}

function findFileProblem(path: string, format: ImportFormat): Finding | undefined {
  const most = format === 'csv' || format === 'langfuse' ? MAX_CSV_BYTES : MAX_SOURCE_BYTES
  const refused = (message: string): Finding => ({ kind: 'refused', field: 'file', line: null, message })
  if (lstatSync(path).size > most) return refused(`expected at most ${most} bytes`)
  return decode(path).includes('\ufffd') ? refused('expected UTF-8') : undefined
}

function refuse(finding: Finding): ReadResult {
  return { prompts: [], findings: [finding] }
}

const decode = (path: string) => readFileSync(path, 'utf8')
const peek = (path: string) => (path.endsWith('.json') && lstatSync(path).size <= MAX_CSV_BYTES ? decode(path) : '')

function nameOf(path: string, format: ImportFormat): string {
  if (format === 'skill') return basename(dirname(path))
  return basename(path)
    .replace(/\.[^.]+$/, '')
    .replace(/\.prompt$/, '')
}
