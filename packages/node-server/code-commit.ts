// Finds the commit of the hub's code.
import { createGit } from '../stores/git/git-command.ts'

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
