// Writes imported files below the content folder, so that a hub that follows it never reads a partial file, nor a skill without its files.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { parsePath } from '../../../src/domain/content/content-path.ts'
import type { FileEntry } from '../../../src/domain/values/file-entry.ts'
import { describeFiles } from '../../stores/content/prompt-files.ts'
import { filesInto } from '../../stores/content/write-files.ts'
import { openFolder } from '../../stores/files/plain-files.ts'

/** A file below the content folder. */
interface WrittenFile {
  path: string
  text: string
  /** For a version file, the files beside its SKILL.md. */
  files?: readonly FileEntry[]
}

/**
 * Writes a file under a temporary name, which hubs ignore, and then renames it. A version is never replaced; its files are complete before it appears.
 *
 * @param readFile reads one of `files`
 * @throws Error if the version exists, or if its folder has other files
 */
export function writeImported(
  contentDir: string,
  { path, text, files = [] }: WrittenFile,
  readFile: (file: FileEntry) => Uint8Array,
): void {
  const content = openFolder(contentDir)
  const file = content.prepare(path)
  const isVersion = parsePath(path).value?.kind === 'version'
  if (existsSync(file) && isVersion)
    throw new Error(`content/${path}: another program has written it meanwhile. Import again.`)
  const folder = path.replace(/\.md$/, '')
  if (files.length > 0) writeFolder(contentDir, folder, files, readFile)
  else if (isVersion && existsSync(content.prepare(folder))) throw folderThere(folder)
  rmSync(`${file}.tmp`, { force: true })
  writeFileSync(`${file}.tmp`, text, { flag: 'wx' })
  renameSync(`${file}.tmp`, file)
}

function writeFolder(
  contentDir: string,
  path: string,
  files: readonly FileEntry[],
  readFile: (file: FileEntry) => Uint8Array,
): void {
  const folder = openFolder(contentDir).prepare(path)
  // An import that was stopped between the folder and the version file has left the folder, with all its files.
  if (existsSync(folder)) {
    const digests = (list: readonly FileEntry[]) => list.map((one) => `${one.sha256} ${one.path}`).join('\n')
    if (digests(describeFiles(contentDir, path)) === digests(files)) return
    throw folderThere(path)
  }
  rmSync(`${folder}.tmp`, { recursive: true, force: true })
  const write = filesInto(`${folder}.tmp`)
  for (const file of files) write(file.path, readFile(file))
  renameSync(`${folder}.tmp`, folder)
}

/** Nobody knows what such a folder is for, so that it is not replaced. */
function folderThere(path: string): Error {
  return new Error(`content/${path}: expected no folder without its version file. Remove the folder, and import again.`)
}
