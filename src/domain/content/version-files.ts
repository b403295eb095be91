// Judges the files beside a skill's SKILL.md: their number, their sizes, and the secrets in those that are text.
import { LIMITS } from '../limits.ts'
import { lineOf } from '../text/plain-text.ts'
import { printable } from '../text/printable.ts'
import {
  countFileBytes,
  decodeFile,
  type FileEntry,
  findFilePathProblem,
  type VersionFileBytes,
} from '../values/file-entry.ts'
import { findCertainSecret } from './secrets.ts'

/** A problem with one file, or with all files if `path` is undefined. */
export interface FileProblem {
  rule: 'path' | 'files-fit' | 'file-fits' | 'files-need-skill' | 'holds-no-secret'
  path: string | undefined
  message: string
  /** The position in the file, in UTF-16 code units. */
  offset?: number
}

/** Checks the paths and sizes of a version's files, before any of them is read as text. */
function checkFileList(files: readonly Pick<FileEntry, 'path' | 'size_bytes'>[]): FileProblem[] {
  if (files.length > LIMITS.filesPerVersion)
    return [fitProblem(`expected at most ${LIMITS.filesPerVersion} files, got ${files.length}`)]
  const total = countFileBytes(files)
  if (total > LIMITS.filesBytes)
    return [fitProblem(`expected files of at most ${LIMITS.filesBytes} bytes together, got ${total}`)]
  const problems: FileProblem[] = []
  const taken = new Map<string, 'file' | 'folder'>()
  for (const { path, size_bytes } of files) {
    const message = findFilePathProblem(path) ?? findClash(path, taken)
    if (message !== undefined) problems.push({ rule: 'path', path, message })
    else if (size_bytes > LIMITS.fileBytes)
      problems.push({
        rule: 'file-fits',
        path,
        message: `expected at most ${LIMITS.fileBytes} bytes, got ${size_bytes}`,
      })
  }
  return problems
}

const fitProblem = (message: string): FileProblem => ({ rule: 'files-fit', path: undefined, message })

/** Finds a path that another file or folder has on a file system that ignores case. */
function findClash(path: string, taken: Map<string, 'file' | 'folder'>): string | undefined {
  const parts = path.toLowerCase().split('/')
  const folders = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
  const key = parts.join('/')
  const isClash = taken.has(key) || folders.some((folder) => taken.get(folder) === 'file')
  taken.set(key, 'file')
  for (const folder of folders) if (!taken.has(folder)) taken.set(folder, 'folder')
  return isClash ? 'expected a path that differs from all others in more than case' : undefined
}

/** Checks the text of a file. @returns a token with a valid checksum, or a private key */
export function checkFileText(path: string, text: string): FileProblem[] {
  const secret = findCertainSecret(text)
  if (!secret) return []
  const { offset = 0 } = secret
  const message = `line ${lineOf(text, offset)}: ${secret.message}`
  return [{ rule: 'holds-no-secret', path, message, offset }]
}

/** Checks the files of a version: everything that does not need the version itself. */
export function checkFiles(files: readonly Pick<VersionFileBytes, 'path' | 'bytes'>[]): FileProblem[] {
  const problems = checkFileList(files.map(({ path, bytes }) => ({ path, size_bytes: bytes.length })))
  if (problems.length > 0) return problems
  return files.flatMap(({ path, bytes }) => checkFileText(path, decodeFile(bytes) ?? ''))
}

/** What is known about the version that files belong to. */
interface FilesOwner {
  /** Whether the version has a file. */
  isThere: boolean
  /** Undefined if its file cannot be parsed. */
  isSkill: boolean | undefined
}

/** Checks the files of a version together: whether they may be there, their paths and their sizes. */
export function checkBundle(
  { isThere, isSkill }: FilesOwner,
  files: readonly Pick<FileEntry, 'path' | 'size_bytes'>[],
): FileProblem[] {
  const [first] = files
  const rule = 'files-need-skill'
  if (!first) return []
  if (!isThere)
    return [{ rule, path: first.path, message: 'expected the file of the version beside its folder, such as 1.0.0.md' }]
  if (isSkill === false)
    return [{ rule, path: undefined, message: 'expected the key skill, because only a skill has files' }]
  return checkFileList(files)
}

/** Formats a problem for the sender of the files. */
export function nameFileProblem({ path, message }: FileProblem): { key: string; message: string } {
  return path === undefined ? { key: 'files', message } : { key: `files: ${printable(path)}`, message }
}
