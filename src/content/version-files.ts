// Reads the files beside the SKILL.md of a version, one version at a time, because all files of all versions may be too much for the memory.

import { hash } from 'node:crypto'
import { formatPath, parsePath } from '../domain/content/content-path.ts'
import type { VersionEntry } from '../domain/content/content-tree.ts'
import { checkBundle, type FileProblem } from '../domain/content/version-files.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Problem } from '../domain/text/problems.ts'
import { sortFiles, type VersionFileBytes } from '../domain/values/file-entry.ts'
import { bundleFiles } from '../files/archive.ts'
import { describeRefusal } from '../files/plain-files.ts'
import { parseContentFile } from './content-file.ts'
import { type ContentReader, isIgnoredName, nameFile } from './content-files.ts'

/** A version of a repository. */
interface VersionPlace {
  owner: string
  name: string
  version: string
}

/** The listed files of one version. */
export interface ListedVersion {
  /** The path of the version file; undefined if there is only a folder. */
  file: string | undefined
  /** The paths of the files beside its SKILL.md. */
  files: string[]
  /** The paths of its attestations. */
  attestations: string[]
}

/** Finds the version that a file belongs to: a path that is not allowed still does, so that the version is not served without it. @returns undefined for `index.md`, results, and what editors and operating systems create */
export function findVersionOf(path: string): { fullName: string; version: string } | undefined {
  const [, fullName, version] =
    /^([^/]+\/[^/]+)\/(?:versions|attestations)\/(\d+\.\d+\.\d+)(?:\.md$|\/)/.exec(path) ?? []
  if (fullName === undefined || version === undefined || path.split('/').some(isIgnoredName)) return undefined
  return { fullName, version }
}

/** Groups items, each about one file of a repository, by version. Items about files of no version are left out. */
export function groupAboutVersions<Item>(items: Iterable<Item>, pathOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const [version, group] of Map.groupBy(items, (item) => findVersionOf(pathOf(item))?.version))
    if (version !== undefined) groups.set(version, group)
  return groups
}

/** Groups the files of a repository by version. @returns undefined for `index.md` and for files that are not allowed */
export function groupByVersion(paths: Iterable<string>): { versions: Map<string, ListedVersion>; others: string[] } {
  const versions = new Map<string, ListedVersion>()
  const others: string[] = []
  for (const path of paths) {
    const version = findVersionOf(path)?.version
    if (version === undefined) {
      others.push(path)
      continue
    }
    const group = versions.get(version) ?? { file: undefined, files: [], attestations: [] }
    versions.set(version, group)
    const kind = parsePath(path).value?.kind
    if (kind === 'version') group.file = path
    else if (kind === 'attestation') group.attestations.push(path)
    else group.files.push(path)
  }
  return { versions, others }
}

/** Reads the files of a version, and adds their digests to it. @param version undefined if its file cannot be parsed or is missing */
export function readBundle(
  folder: ContentReader,
  place: VersionPlace,
  listed: ListedVersion,
  version: VersionEntry | undefined,
): Problem[] {
  if (listed.files.length === 0) return []
  const problems: Problem[] = []
  const files: VersionFileBytes[] = []
  let left = LIMITS.filesBytes
  // More files than a version may have are not read.
  if (listed.files.length <= LIMITS.filesPerVersion)
    for (const path of listed.files) {
      const { parsed, broken } = parseContentFile(path, (maxBytes) => folder.read(path, maxBytes))
      problems.push(...(parsed.problems ?? broken).map((problem) => ({ file: nameFile(path), ...problem })))
      if (parsed.value?.kind !== 'file') continue
      files.push(parsed.value.value)
      left -= parsed.value.value.size_bytes
      if (left < 0) break
    }
  const given =
    files.length + problems.length > 0
      ? files
      : listed.files.map((path) => ({ path: pathInFolder(path), size_bytes: 0 }))
  problems.push(
    ...checkBundle({ isThere: listed.file !== undefined, isSkill: version && Boolean(version.skill) }, given).map(
      (problem) => placeProblem(place, problem),
    ),
  )
  if (problems.length === 0 && version?.skill)
    version.bundle = bundleFiles(place, { ...version, skill: version.skill }, sortFiles(files)).bundle
  return problems
}

const pathInFolder = (path: string) => path.split('/').slice(4).join('/')

/** Names the file of a problem below the content folder; a problem with all files is one of the version file. */
export function placeProblem(place: VersionPlace, { rule, path, message, offset }: FileProblem): Problem {
  const file = formatPath(path === undefined ? { kind: 'version', ...place } : { kind: 'file', ...place, path })
  return { file: nameFile(file), rule, key: '', message, ...(offset !== undefined && { offset }) }
}

/** A file of a skill by its path, or an attestation by its name. */
type WantedFile = ({ path: string } | { attestation: string }) & { sha256: string }

/** Opens the files of versions that were read before. @returns a function that reads one @throws Error if a file has changed since */
export function openBundles(folder: ContentReader): (place: VersionPlace, file: WantedFile) => Uint8Array {
  return (place, { sha256, ...file }) => {
    const where =
      'path' in file
        ? formatPath({ kind: 'file', ...place, path: file.path })
        : formatPath({ kind: 'attestation', ...place, file: file.attestation })
    const { value, refusal } = folder.read(where, LIMITS.fileBytes)
    if (refusal) throw new Error(`content/${where}: ${describeRefusal(refusal, LIMITS.fileBytes)}`)
    if (hash('sha256', value) !== sha256)
      throw new Error(`content/${where}: expected the bytes that were checked, but the file has changed. Build again.`)
    return value
  }
}
