// Commits what a command changes in the content, or leaves everything as it was.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ContentTree } from './content-tree.ts'

/** A change to commit. Paths are relative to the work tree. */
interface Change {
  message: string
  /** Everything that it changes. */
  paths: readonly string[]
  /** What it makes, which is removed again if the commit fails. */
  made: readonly string[]
  /** Changes the files. */
  write: () => void
}

/** @returns the ID of the commit, abbreviated @throws Error if there are uncommitted changes of these paths, or of git */
export async function commitChange(
  { git, folder }: ContentTree,
  { message, paths, made, write }: Change,
): Promise<string> {
  const dirty = (await git.run(['status', '--porcelain', '--', ...paths])).toString()
  if (dirty !== '') throw new Error(`There are uncommitted changes. Commit or discard them first:\n${dirty.trimEnd()}`)
  try {
    write()
    await git.run(['add', '--all', '--', ...paths])
    await git.run(['-c', 'commit.gpgSign=false', 'commit', '--quiet', '--only', '-m', message, '--', ...paths])
  } catch (error) {
    await git.tryRun(['reset', '--quiet', '--', ...paths])
    for (const path of made) rmSync(join(folder, path), { recursive: true, force: true })
    // One by one, because the commit may not have the file of an edit.
    for (const path of paths) await git.tryRun(['checkout', '--quiet', 'HEAD', '--', path])
    throw error
  }
  return (await git.run(['rev-parse', '--short=12', 'HEAD'])).toString().trim()
}
