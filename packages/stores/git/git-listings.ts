// Reads git's lists of files: of a commit, of the index, and of the edited files. Paths are relative to the folder of `git`.
import type { Git } from './git-command.ts'

/** A file in a commit or in the index. */
export interface GitFile {
  /** The git mode, such as `100644`. */
  mode: string
  id: string
}

interface IndexFile extends GitFile {
  /** Whether the file has a merge conflict; if so, the ID is that of one side. */
  isInMerge: boolean
}

/** Lists the files of a commit or a tree, by path. @param paths files, or folders with everything below them */
export async function listTree(
  git: Git,
  commit: string,
  paths: readonly string[] = ['.'],
  signal?: AbortSignal,
): Promise<Map<string, GitFile>> {
  const files = new Map<string, GitFile>()
  for await (const record of git.records(['ls-tree', '-r', '-z', commit, '--', ...paths], signal && { signal })) {
    const [, mode, id, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(record) ?? []
    if (mode !== undefined && id !== undefined && path !== undefined) files.set(path, { mode, id })
  }
  return files
}

/** Lists the files in the index, by path. @param paths as for `listTree` */
export async function listIndex(git: Git, paths: readonly string[] = ['.']): Promise<Map<string, IndexFile>> {
  const files = new Map<string, IndexFile>()
  for await (const record of git.records(['ls-files', '--stage', '-z', '--', ...paths])) {
    const [, mode, id, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.+)$/s.exec(record) ?? []
    if (mode !== undefined && id !== undefined && path !== undefined)
      files.set(path, { mode, id, isInMerge: stage !== '0' })
  }
  return files
}

/** Lists the files that differ from the index, by path, with git's status: `M`, `D`, `T` or `U`. */
export async function listEdited(git: Git): Promise<Map<string, string>> {
  const edited = new Map<string, string>()
  const command = ['diff', '--name-status', '--no-ext-diff', '--ignore-submodules=none', '--no-renames', '--relative']
  let status: string | undefined
  for await (const record of git.records([...command, '-z', '--', '.'])) {
    if (status === undefined) status = record
    else {
      edited.set(record, status)
      status = undefined
    }
  }
  return edited
}
