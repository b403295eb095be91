// Extracts the content of a pull request from git objects into a folder, without running programs, following links or converting files.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createGit, GIT_USAGE, type Git } from '../git/git-command.ts'

/** The content of a pull request, as it would be after the merge. */
export interface PullTree {
  /** The folder to review: a git working tree, so that it can be compared with the base. */
  contentDir: string
  /** The paths that it adds, changes or deletes, relative to the content folder. */
  changed: string[]
  /** The number of files outside the content folder that it changes; these files are not extracted. */
  outside: number
  /** Whether it has merge conflicts; if so, the folder contains only the pull request's side. */
  isConflict: boolean
  /** Returns the content of a file in the content folder, at the base or in the pull request; undefined if there is nothing at the path. @throws Error if there is something other than a file, or git cannot read it */
  readAt(side: 'base' | 'merged', path: string): Promise<string | undefined>
}

/** Attributes could convert bytes when a file or a diff is written. They cannot start a program, because none is configured. */
const NO_ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding -merge -diff\n'

/**
 * Opens a pull request.
 *
 * @param repository the clone with both commits
 * @param folder an empty or missing folder; the caller removes it
 * @throws Error if a commit is missing, or if `content` is not a folder in it
 */
export async function openPullTree(
  { repository, base, head }: { repository: string; base: string; head: string },
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<PullTree> {
  const source = createGit(repository, environment)
  const objects = resolve(repository, (await source.run(['rev-parse', '--git-path', 'objects'])).toString().trim())
  mkdirSync(folder, { recursive: true })
  const git = createGit(folder, environment)
  await git.run(['init', '--quiet', '--template=', '.'])
  for (const dir of ['objects/info', 'info']) mkdirSync(join(folder, '.git', dir), { recursive: true })
  writeFileSync(join(folder, '.git/objects/info/alternates'), `${objects}\n`)
  writeFileSync(join(folder, '.git/info/attributes'), NO_ATTRIBUTES)
  for (const commit of [base, head])
    if ((await git.tryRun(['cat-file', '-e', `${commit}^{commit}`])).code !== 0)
      throw new Error(`expected a commit in this clone, got ${commit}`)

  const merging = await git.tryRun(['merge-tree', '--write-tree', '--no-messages', base, head])
  if (merging.code === GIT_USAGE) throw new Error('The review needs git 2.38 or newer.')
  const isConflict = merging.code !== 0
  const tree = isConflict ? `${head}^{tree}` : merging.stdout.toString().trim()
  const commit = (await git.run(['commit-tree', '-p', base, '-p', head, '-m', 'merged', tree])).toString().trim()
  const [mode] = (await git.run(['ls-tree', commit, '--', 'content'])).toString().split(' ')
  if (mode !== '040000') throw new Error('content: expected a folder in the pull request')
  await git.run(['update-ref', '--no-deref', 'HEAD', commit])
  await git.run(['read-tree', commit])
  await writeContent(git, folder)
  const touched = await listTouched(git, base, commit)
  const changed = touched.flatMap((path) => (path.startsWith('content/') ? [path.slice('content/'.length)] : []))
  return {
    contentDir: join(folder, 'content'),
    changed,
    outside: touched.length - changed.length,
    isConflict,
    async readAt(side, path) {
      const name = `${side === 'base' ? base : commit}:content/${path}`
      if ((await git.tryRun(['rev-parse', '--verify', '--quiet', '--end-of-options', name])).code !== 0)
        return undefined
      return (await git.run(['cat-file', 'blob', name])).toString()
    },
  }
}

/** A symbolic link becomes a file that contains its target as text, so that no link is ever followed; the review rejects it because of its mode. */
async function writeContent(git: Git, folder: string): Promise<void> {
  const files = (await git.run(['ls-files', '-z', '--', 'content'])).toString()
  const plain = ['-c', 'core.symlinks=false', '-c', 'core.autocrlf=false']
  await git.run([...plain, 'checkout-index', '--quiet', '--index', '-z', '--stdin'], { input: files })
  if (!existsSync(join(folder, 'content'))) mkdirSync(join(folder, 'content'))
}

async function listTouched(git: Git, base: string, commit: string): Promise<string[]> {
  const out = (await git.run(['diff', '--name-only', '--no-renames', '-z', base, commit])).toString()
  return out.split('\0').filter((path) => path !== '')
}
