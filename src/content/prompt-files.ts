// Lists and reads the files of prompts, for commands that add versions.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { formatPath, parsePath } from '../domain/content/content-path.ts'
import { LIMITS } from '../domain/limits.ts'
import { formatProblem } from '../domain/text/problems.ts'
import { entriesOf, type FileEntry, sortFiles, type VersionFileBytes } from '../domain/values/file-entry.ts'
import type { RepositoryPlace, VersionPlace } from '../domain/values/names.ts'
import { measureFile } from '../files/measure.ts'
import { describeRefusal, openFolder } from '../files/plain-files.ts'
import { MAX_FILE_BYTES } from './content-file.ts'
import { type ListingProblems, listContentFiles } from './content-files.ts'

/** Lists a prompt's version numbers, in any order. @returns undefined if the prompt has no versions folder @throws Error if the folder cannot be listed, or is reached through a link */
export function listVersions(dir: string, { owner, name }: RepositoryPlace): string[] | undefined {
  const below = `${owner}/${name}/versions`
  try {
    return openFolder(dir)
      .list(below)
      .flatMap((entry) => {
        const place = parsePath(`${below}/${entry.name}`).value
        return place?.kind === 'version' ? [place.version] : []
      })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Reads a version file. @throws Error if it cannot be read */
export function readVersion(dir: string, place: VersionPlace): string {
  const path = formatPath({ kind: 'version', ...place })
  const text = readText(dir, path)
  if (text === undefined) throw new Error(`content/${path}: ${describeRefusal('missing', MAX_FILE_BYTES)}`)
  return text
}

/** Reads the `index.md` of a prompt. @returns undefined if it has none @throws Error if it cannot be read */
export function readIndex(dir: string, { owner, name }: RepositoryPlace): string | undefined {
  return readText(dir, formatPath({ kind: 'repository', owner, name }))
}

/** Reads the test cases of a prompt. @returns undefined if it has none @throws Error if they cannot be read */
export function readTests(dir: string, { owner, name }: RepositoryPlace): string | undefined {
  return readText(dir, formatPath({ kind: 'tests', owner, name }))
}

/** @returns undefined for a missing file */
function readText(dir: string, path: string): string | undefined {
  const { value, refusal } = openFolder(dir).read(path, MAX_FILE_BYTES)
  if (refusal === 'missing') return undefined
  if (refusal) throw new Error(`content/${path}: ${describeRefusal(refusal, MAX_FILE_BYTES)}`)
  return value.toString()
}

/** Describes the files in the folder of a version; none if there is no folder. @param path such as `acme/pdf/versions/1.0.0` @throws Error if one cannot be read */
export function describeFiles(dir: string, path: string): FileEntry[] {
  return entriesOf(readFiles(dir, path))
}

/** Reads the files in the folder of a version; none if there is no folder. @param path such as `acme/pdf/versions/1.0.0` @throws Error if one cannot be read */
export function readFiles(dir: string, path: string): VersionFileBytes[] {
  const folder = openFolder(dir)
  if (!existsSync(join(dir, path))) return []
  const findings: ListingProblems = { problems: [], ignored: [] }
  const files = Array.from(listContentFiles(dir, findings, path), (file) => {
    const { value, refusal } = folder.read(file, LIMITS.fileBytes)
    if (refusal) throw new Error(`content/${file}: ${describeRefusal(refusal, LIMITS.fileBytes)}`)
    return measureFile(file.slice(path.length + 1), value)
  })
  if (findings.problems.length > 0) throw new Error(findings.problems.map(formatProblem).join('\n'))
  return sortFiles(files)
}
