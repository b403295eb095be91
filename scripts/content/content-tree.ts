// Finds the git work tree that contains the content folder, for the commands that commit to it.
import { resolve } from 'node:path'
import { createGit, type Git } from '../../src/git/git-command.ts'
import { gitNotOpened, isOwnerRefused } from '../../src/git/git-work-tree.ts'

/** The work tree that contains the content folder. */
export interface ContentTree {
  git: Git
  /** The folder of the work tree. */
  folder: string
  /** The path of the content folder in it, with a slash at its end. */
  prefix: string
}

/** Finds the work tree of the content. @throws Error with the way out */
export async function openContentTree(contentDir: string): Promise<ContentTree> {
  const found = await createGit(resolve(contentDir), process.env)
    .tryRun(['rev-parse', '--show-toplevel', '--show-prefix'])
    .catch(() => undefined)
  if (found && isOwnerRefused(found.stderr)) throw gitNotOpened(found.stderr)
  const [folder, prefix = ''] = found?.code === 0 ? found.stdout.toString().split('\n') : []
  if (!folder)
    throw new Error(`${contentDir} is not in a git repository. Set CONTENT_DIR to the content folder of a clone.`)
  const git = createGit(folder, process.env)
  if ((await git.find(['symbolic-ref', '-q', 'HEAD'])) === undefined)
    throw new Error(`No branch is checked out in ${folder}. Check out the branch that the hub publishes to.`)
  return { git, folder, prefix }
}
