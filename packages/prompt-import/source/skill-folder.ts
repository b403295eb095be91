// Lists and reads the files beside the main file of a skill that is imported: a SKILL.md, or a prompt file. A folder is listed only as far as a version may have files, and no file is read before its size is known.
import { basename, posix } from 'node:path'
import {
  checkBundle,
  checkFiles,
  type FileProblem,
  nameFileProblem,
} from '../../../src/domain/content/version-files.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { compareText } from '../../../src/domain/text/plain-text.ts'
import { printable } from '../../../src/domain/text/printable.ts'
import { entriesOf, type FileEntry, isJunk, sortFiles } from '../../../src/domain/values/file-entry.ts'
import { measureFile } from '../../../src/files/measure.ts'
import { describeRefusal, type Opened, type PlainFolder } from '../../../src/files/plain-files.ts'
import { ConversionProblems } from '../../prompt-formats/source/portable.ts'

/** Maximum number of files and folders that are looked at in the folder of a skill. */
const MAX_ENTRIES = 1_000
/** Maximum number of files and folders that are named as left out. */
const MAX_NAMED = 50

/** What is in the folder of a skill, beside its main file. Paths are relative to that folder. */
export interface SkillFolder {
  /** The files, at most one more than a version may have. */
  files: string[]
  /** What is not imported. */
  leftOut: { path: string; reason: string }[]
  /** Why the folder was not listed to its end. */
  problem?: string
}

/** The files of a skill, as a version has them, and what was left out. */
interface SkillFiles {
  files: FileEntry[]
  findings: ConversionProblems
}

/** Lists the folder of a skill. @param main the path of its main file in `folder` */
export function listSkillFolder(folder: PlainFolder, main: string): SkillFolder {
  const root = posix.dirname(main)
  const found: SkillFolder = { files: [], leftOut: [] }
  let count = 0
  const visit = (below: string): boolean => {
    for (const entry of folder.list(posix.join(root, below)).sort((a, b) => compareText(a.name, b.name))) {
      const path = posix.join(below, entry.name)
      if (path === basename(main)) continue
      if (++count > MAX_ENTRIES) {
        found.problem = `expected at most ${MAX_ENTRIES} files and folders. Remove what the skill does not need, or import its parts as skills of their own`
        return false
      }
      const reason = findReason(entry)
      if (reason !== undefined) found.leftOut.push({ path: entry.isDirectory() ? `${path}/` : path, reason })
      else if (!entry.isDirectory()) found.files.push(path)
      else if (path.split('/').length >= LIMITS.fileSegments) {
        found.problem = `${printable(path)}/: expected at most ${LIMITS.fileSegments} parts between slashes. Move its files up`
        return false
      } else if (!visit(path)) return false
      if (found.files.length > LIMITS.filesPerVersion) {
        found.problem = `expected at most ${LIMITS.filesPerVersion} files beside ${basename(main)}; the next one is ${printable(path)}. Remove what the skill does not need, or put several files into one`
        return false
      }
    }
    return true
  }
  visit('')
  return found
}

/** Returns why a file or a folder of a skill is not imported. */
function findReason(entry: { name: string; isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }) {
  if (isJunk(entry.name)) return 'systems and programs leave this in a folder'
  if (entry.name.startsWith('.')) return 'its name begins with a dot'
  if (entry.isSymbolicLink()) return 'it is a link'
  if (!entry.isFile() && !entry.isDirectory()) return 'it is not an ordinary file'
  return undefined
}

/**
 * Reads the files of a skill, and judges them by the limits of a version.
 *
 * @param main the path of its main file in `folder`
 * @param text the text of that file, which may name files
 */
export function readSkillFolder(folder: PlainFolder, main: string, text: string, beside: SkillFolder): SkillFiles {
  const findings = new ConversionProblems()
  const file = basename(main)
  for (const { path, reason } of beside.leftOut.slice(0, MAX_NAMED)) {
    const isNamed = text.includes(path)
    const more = isNamed ? `. ${file} names it: replace it with an ordinary file, or correct ${file}` : ''
    findings.lost(`files: ${printable(path)}`, `left out, because ${reason}${more}`)
  }
  const rest = beside.leftOut.length - MAX_NAMED
  if (rest > 0) findings.lost('files', `${rest} more left out`)
  if (beside.problem !== undefined) {
    findings.refused('files', beside.problem)
    return { files: [], findings }
  }
  const pathOf = (path: string) => posix.join(posix.dirname(main), path)
  const refuse = ({ path, message }: { path: string; message: string }) =>
    findings.refused(`files: ${printable(path)}`, message)
  const take = <Value>(path: string, { value, refusal }: Opened<Value>): Value[] => {
    if (refusal) refuse({ path, message: describeRefusal(refusal, LIMITS.fileBytes) })
    return refusal ? [] : [value]
  }
  const sized = beside.files.flatMap((path) =>
    take(
      path,
      folder.open(pathOf(path), ({ stats }) => ({ path, size_bytes: stats.size })),
    ),
  )
  const judge = (problems: readonly FileProblem[]) => {
    for (const problem of problems) {
      const { key, message } = nameFileProblem(problem)
      findings.refused(key, `${message}. ${wayOut(problem, sized, file)}`)
    }
  }
  judge(checkBundle({ isThere: true, isSkill: true }, sized))
  if (findings.isRefused) return { files: [], findings }
  const read = beside.files.flatMap((path) =>
    take(path, folder.read(pathOf(path), LIMITS.fileBytes)).map((bytes) => measureFile(path, bytes)),
  )
  // Judged again, because a file may have changed since its size was read.
  judge(checkFiles(read))
  return { files: findings.isRefused ? [] : entriesOf(sortFiles(read)), findings }
}

/** Says what the author of a skill can do about a problem. */
function wayOut({ rule, path }: FileProblem, files: readonly { path: string; size_bytes: number }[], main: string) {
  if (rule === 'holds-no-secret') return 'Remove it'
  if (rule === 'file-fits') return `Make it smaller, or let ${main} say where to download it`
  if (rule === 'files-fit') {
    const [largest] = files.toSorted((a, b) => b.size_bytes - a.size_bytes)
    const named = largest ? `The largest is ${printable(largest.path)} with ${largest.size_bytes} bytes. ` : ''
    return `${named}Remove what the skill does not need, or let ${main} say where to download it`
  }
  return path !== undefined && /(?:^|\/)skill\.md$/i.test(path)
    ? 'Rename it, or remove its folder and import that folder by itself'
    : 'Rename it'
}

/** Reads a file again that `readSkillFolder` read. @throws Error if it has changed since */
export function readAgain(folder: PlainFolder, main: string, { path, sha256 }: FileEntry): Uint8Array<ArrayBuffer> {
  const { value } = folder.read(posix.join(posix.dirname(main), path), LIMITS.fileBytes)
  if (!value || measureFile(path, value).sha256 !== sha256)
    throw new Error(`${path}: the file has changed while it was imported. Import it again.`)
  return value
}
