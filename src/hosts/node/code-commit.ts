// Finds the commit of the hub's code, and where it comes from.

import { createGit } from '../../git/git-command.ts'
import type { CodeSource } from '../../site/rendering.ts'

/** Returns the commit that is checked out in a folder; undefined if this folder is not the root of a git repository, as in an image. @param environment used to find git */
export async function findCommit(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const git = createGit(root, environment)
  try {
    // Above the folder, there may be an unrelated repository.
    if ((await git.find(['rev-parse', '--show-prefix'])) !== '') return undefined
    return await git.find(['rev-parse', '--verify', 'HEAD'])
  } catch {
    // Without git, the commit is not known.
    return undefined
  }
}

/** An address of a repository on GitHub, with or without credentials, which are in no group. */
const ON_GITHUB =
  /^(?:(?:https|ssh|git):\/\/(?:[^/@\s]*@)?github\.com\/|git@github\.com:)([A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}?)(?:\.git)?\/?$/

/** Returns the commit that is checked out in a folder and the repository on GitHub that it was cloned from; undefined if either is not known. */
export async function findCode(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<CodeSource | undefined> {
  const commit = await findCommit(root, environment)
  if (commit === undefined) return undefined
  const origin = await createGit(root, environment).find(['config', '--get', 'remote.origin.url'])
  const [, repository] = ON_GITHUB.exec(origin ?? '') ?? []
  return repository === undefined ? undefined : { repository, commit }
}
