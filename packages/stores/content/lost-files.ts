// Finds the files of the checked-out commit that are missing in the content folder, and keeps copies of them: git says what the content is, and a mount that has disappeared removes nothing from it.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePath } from '../../../src/domain/content/content-path.ts'
import type { Problem } from '../../../src/domain/text/problems.ts'
import { openFolder, type PlainFolder } from '../files/plain-files.ts'
import { createGit, type Git } from '../git/git-command.ts'
import { type GitFile, listTree, readObjects } from '../git/git-objects.ts'
import { comparePaths, nameFile } from './content-files.ts'
import { type ContentListing, keptStamp } from './content-listing.ts'

/** The missing files, and the folders of submodules without files, by path. */
export type LostFiles = ReadonlyMap<string, GitFile>

/** Reads the files of content. */
export type ContentReader = Pick<PlainFolder, 'read'>

const FILES_AT_ONCE = 200

/** Finds the files of a commit that a listing of the content folder lacks. Those that a sparse checkout omits are not lost. @param git git, in the content folder @param places where to look: files, or folders with everything below them */
export async function findLost(
  git: Git,
  commit: string,
  { files }: Pick<ContentListing, 'files'>,
  places: readonly string[] = ['.'],
): Promise<LostFiles> {
  const lost = await listTree(git, commit, places)
  for (const { path } of files) lost.delete(path)
  let filled: ReadonlySet<string> | undefined
  /** Git leaves the folder of a submodule empty until `git submodule update --init`. */
  const isEmptySubmodule = (path: string, { mode }: GitFile) => {
    if (mode !== '160000') return false
    filled ??= listFolders(files)
    return !filled.has(path)
  }
  for (const [path, file] of lost) {
    const isLost = isFile(file) ? parsePath(path).value !== undefined : isEmptySubmodule(path, file)
    if (!isLost) lost.delete(path)
  }
  if (lost.size === 0) return lost
  for await (const record of git.records(['ls-files', '-t', '-z', '--', ...places]))
    if (record.startsWith('S ')) lost.delete(record.slice(2))
  return lost
}

const isFile = ({ mode }: GitFile) => mode.startsWith('100')

/** Lists the folders above files. */
function listFolders(files: ContentListing['files']): Set<string> {
  const folders = new Set<string>()
  for (const { path } of files)
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) folders.add(path.slice(0, end))
  return folders
}

/** Adds lost files to a listing. Those of a submodule are in another repository. */
export function addLost(listing: ContentListing, lost: LostFiles): ContentListing {
  if (lost.size === 0) return listing
  const added = [...lost].flatMap(([path, file]) => (isFile(file) ? { path, stamp: keptStamp(file.id), bytes: 0 } : []))
  return { ...listing, files: [...listing.files, ...added].sort((a, b) => comparePaths(a.path, b.path)) }
}

/** Describes lost files for an operator, with one problem for each owner. */
export function describeLost(lost: LostFiles): Problem[] {
  const owners = Map.groupBy(lost.keys(), (path) => path.split('/')[0]!)
  return Array.from(owners, ([name, paths]) => {
    const what =
      paths.length === 1
        ? `expected ${nameFile(paths[0]!)}, which is in the checked-out commit`
        : `expected the files of the checked-out commit, but ${paths.length} are missing, such as ${nameFile(paths[0]!)}`
    const way = lost.get(paths[0]!)?.mode === '160000' ? 'git submodule update --init' : 'git restore'
    const message = `${what}. Mount or restore what is missing (${way}), or commit its removal`
    return { file: nameFile(name), rule: 'files-of-commit', key: '', message }
  })
}

/** Opens a content folder to read a few files, which have the bytes of the checked-out commit if they are lost. @param environment usually `process.env`; used to find git */
export async function openWithLost(
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
  paths: readonly string[],
): Promise<ContentReader> {
  const [folder, git] = [openFolder(contentDir), createGit(contentDir, environment)]
  // Without git or a commit, nothing is known to be lost.
  const lost = await findLost(git, 'HEAD', { files: [] }, paths).catch((): LostFiles => new Map())
  const objects = await readObjects(
    git,
    Array.from(lost.values(), ({ id }) => id),
  ).catch(() => [])
  const copies = new Map(Array.from(lost.keys(), (path, at) => [path, objects[at]?.bytes]))
  return {
    read(path, maxBytes) {
      const opened = folder.read(path, maxBytes)
      const value = opened.refusal === 'missing' ? copies.get(path) : undefined
      if (!value) return opened
      return value.length > maxBytes ? { refusal: 'long' } : { value }
    },
  }
}

/** Keeps copies of the files that are read from git, not from the content folder: those that are lost, and those that somebody changed in a published version. @param dir may be missing */
export function keepCopies(dir: string) {
  let copied: LostFiles = new Map()
  return {
    /** Copies files from git. @throws Error if git cannot read them or the disk is full */
    async keep(git: Git, files: LostFiles): Promise<void> {
      const ids = new Set([...files.values()].flatMap((file) => (isFile(file) ? file.id : [])))
      const kept = existsSync(dir) ? readdirSync(dir) : []
      // What a takedown has removed from the commit must not stay here.
      for (const id of kept) if (!ids.has(id)) rmSync(join(dir, id))
      if (ids.size > 0) mkdirSync(dir, { recursive: true })
      const wanted = [...ids.difference(new Set(kept))]
      for (let from = 0; from < wanted.length; from += FILES_AT_ONCE) {
        const part = wanted.slice(from, from + FILES_AT_ONCE)
        for (const [at, object] of (await readObjects(git, part)).entries()) {
          if (!object) throw new Error(`The git repository of the content lacks the object ${part[at]}.`)
          writeFileSync(join(dir, 'new'), object.bytes)
          renameSync(join(dir, 'new'), join(dir, object.id))
        }
      }
      copied = files
    },
    /** Opens the content folder, with the copies in their places. */
    open(contentDir: string): ContentReader {
      const [folder, copies] = [openFolder(contentDir), openFolder(dir)]
      return {
        read(path, maxBytes) {
          const file = copied.get(path)
          return file ? copies.read(file.id, maxBytes) : folder.read(path, maxBytes)
        },
      }
    },
  }
}
