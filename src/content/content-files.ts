// Finds the files in the content folder: those to read, those to ignore, and those that are not allowed.
import type { Dirent } from 'node:fs'
import { printable } from '../domain/text/printable.ts'
import type { Problem } from '../domain/text/problems.ts'
import { type Opened, openFolder, type PlainFolder } from '../files/plain-files.ts'

/** The findings other than the files to read. */
export interface ListingProblems {
  problems: Problem[]
  /** Ignored files and folders, with their names as in git. */
  ignored: string[]
}

/** Reads the files of content. */
export interface ContentReader {
  read(path: string, maxBytes: number): Opened<Buffer>
  /** Says which files will be read, in about this order, so that many can be read at once. */
  expect?(paths: Iterable<string>): void
}

/** Hidden files, backups and temporary files: `.DS_Store`, `1.0.0.md~`, `#1.0.0.md#`, `x.tmp`, `.1.0.0.md.swp`. */
const STRAY = /^\.|~$|^#.*#$|\.(?:tmp|swp)$/i

/** Returns whether git would read attributes from a file with this name, even on file systems that ignore case and invisible characters. */
export function isAttributes(name: string): boolean {
  return name.replace(/\p{Cf}/gu, '').toLowerCase() === '.gitattributes'
}

/** Returns whether a file or folder with this name was created by an editor or the operating system and is not content. */
export function isIgnoredName(name: string): boolean {
  return STRAY.test(name)
}

/** Finds the ignored file or folder that a path is in, or is. @returns its path */
export function findIgnored(path: string): string | undefined {
  const names = path.split('/')
  const at = names.findIndex(isIgnoredName)
  return at === -1 ? undefined : names.slice(0, at + 1).join('/')
}

/**
 * Lists every file in a folder and its subfolders, sorted by path bytes as in git. Folders are read synchronously, because a build waits for them anyway and this is several times as fast for many small files.
 *
 * @param dir the content folder
 * @param findings collects all other findings
 * @param below if given, only this subfolder is listed
 * @returns paths with forward slashes, relative to the content folder
 */
export function listContentFiles(dir: string, findings: ListingProblems, below = ''): Generator<string> {
  return listBelow(openFolder(dir), dir, findings, below)
}

function* listBelow(folder: PlainFolder, dir: string, findings: ListingProblems, below: string): Generator<string> {
  const report = (path: string, rule: string, message: string) =>
    findings.problems.push({ file: nameFile(path), rule, key: '', message })
  let entries: Dirent[]
  try {
    entries = folder.list(below)
  } catch (error) {
    const problem = describeUnlisted(error, dir, below)
    if (problem) findings.problems.push(problem)
    return
  }
  const nameInPath = (entry: Dirent) => (entry.isDirectory() ? `${entry.name}/` : entry.name)
  for (const entry of entries.sort((a, b) => comparePaths(nameInPath(a), nameInPath(b)))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (isAttributes(entry.name)) report(path, ATTRIBUTES.rule, ATTRIBUTES.message)
    else if (isIgnoredName(entry.name)) findings.ignored.push(nameFile(path))
    else if (entry.name.includes('\ufffd')) report(path, NOT_UTF8.rule, NOT_UTF8.message)
    else if (entry.isDirectory()) yield* listBelow(folder, dir, findings, path)
    else if (entry.isFile()) yield path
    else
      report(
        path,
        'regular-file',
        `expected a regular file, got ${entry.isSymbolicLink() ? 'a symbolic link' : 'something else'}`,
      )
  }
}

/** Says why a folder cannot be listed. @returns undefined if it disappeared while it was read: only the root must exist */
function describeUnlisted(error: unknown, dir: string, below: string): Problem | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' && below !== '') return undefined
  const link = below === '' ? ROOT_LINK : 'expected a folder, got a symbolic link'
  const message = code === 'ENOENT' ? `not found: ${dir}` : code === 'ELOOP' ? link : 'expected a readable folder'
  const rule = code === 'ENOENT' || code === 'ELOOP' ? 'content-folder' : 'readable'
  return { file: nameFile(below), rule, key: '', message }
}

/** Says why a content folder cannot be read. */
export function checkRoot(dir: string): Problem | undefined {
  try {
    openFolder(dir).check('')
    return undefined
  } catch (error) {
    return describeUnlisted(error, dir, '')
  }
}

/** Attribute files are not allowed, because git applies them and a review of prompts does not show their effect. */
export const ATTRIBUTES = {
  rule: 'no-attributes',
  message: 'expected no .gitattributes below content: git would change the bytes of prompts when it checks them out',
}

/** Git's paths have any bytes. */
export const NOT_UTF8 = { rule: 'readable', message: 'expected a name in UTF-8' }

/** A link named `content` in a repository leads wherever the author of a commit wants. An operator can choose any folder with a setting. */
const ROOT_LINK =
  'expected a folder, got a symbolic link. Set CONTENT_DIR to the folder that it points to, or replace the link with the folder'

/** Compares paths by their UTF-8 bytes, as git does, unlike JavaScript's default order. */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0
  if (OTHER_THAN_ASCII.test(a) || OTHER_THAN_ASCII.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : 1
}

const OTHER_THAN_ASCII = /[^\x00-\x7f]/

/** Returns a file's name for messages: its path under `content/`, regardless of the actual name of the folder. @param path relative to that folder; empty for the folder itself */
export function nameFile(path: string): string {
  return path === '' ? 'content' : `content/${printable(path)}`
}

/** Returns the path below the content folder that a message names. @param file from `nameFile` */
export const pathOf = (file: string): string => file.replace(/^content\//, '')

/** Returns one line that lists the ignored files, or undefined if no files were ignored. */
export function describeIgnored(ignored: readonly string[]): string | undefined {
  if (ignored.length === 0) return undefined
  const named = ignored.slice(0, MAX_NAMED).join(', ')
  const rest = ignored.length > MAX_NAMED ? ` and ${ignored.length - MAX_NAMED} more` : ''
  return `Ignored files left behind by an editor or the operating system: ${named}${rest}.`
}

const MAX_NAMED = 5
