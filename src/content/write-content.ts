// Writes files below the content folder, so that a hub that follows it never reads a partial file, nor a skill without its files.
import { existsSync, renameSync, rmSync } from 'node:fs'
import { parsePath } from '../domain/content/content-path.ts'
import { areSameFiles, type FileEntry } from '../domain/values/file-entry.ts'
import { openFolder } from '../files/plain-files.ts'
import { describeFiles } from './prompt-files.ts'
import { filesInto, replaceFile } from './write-files.ts'

/** A file beside the SKILL.md of a version. */
type VersionFile = FileEntry & { read: () => Uint8Array }

/** A file below the content folder. */
interface WrittenFile {
  path: string
  text: string
  /** For a version file, the files beside its SKILL.md. */
  files?: readonly VersionFile[]
}

/**
 * Writes a file. A version is never replaced; its files are complete before it appears.
 *
 * @throws Error if the version exists, or if its folder has other files
 */
export function writeContent(contentDir: string, { path, text, files = [] }: WrittenFile): void {
  const content = openFolder(contentDir)
  const file = content.prepare(path)
  const isVersion = parsePath(path).value?.kind === 'version'
  if (existsSync(file) && isVersion)
    throw new Error(`content/${path}: another program has written it meanwhile. Try again.`)
  const folder = path.replace(/\.md$/, '')
  if (files.length > 0) writeFolder(contentDir, folder, files)
  else if (isVersion && existsSync(content.prepare(folder))) throw folderThere(folder)
  replaceFile(file, text)
}

function writeFolder(contentDir: string, path: string, files: readonly VersionFile[]): void {
  const folder = openFolder(contentDir).prepare(path)
  // A command that was stopped between the folder and the version file has left the folder, with all its files.
  if (existsSync(folder)) {
    if (areSameFiles(describeFiles(contentDir, path), files)) return
    throw folderThere(path)
  }
  rmSync(`${folder}.tmp`, { recursive: true, force: true })
  const write = filesInto(`${folder}.tmp`)
  for (const file of files) write(file.path, file.read())
  renameSync(`${folder}.tmp`, folder)
}

/** Nobody knows what such a folder is for, so that it is not replaced. */
function folderThere(path: string): Error {
  return new Error(`content/${path}: expected no folder without its version file. Remove the folder, and try again.`)
}
