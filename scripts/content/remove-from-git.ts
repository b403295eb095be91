// Removes a version or a whole prompt from the content folder, in one commit, and counts the commits that still contain it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readContentDir } from '../../packages/stores/content/content-dir.ts'
import { createGit, type Git } from '../../packages/stores/git/git-command.ts'
import { gitNotOpened, isOwnerRefused } from '../../packages/stores/git/git-standing.ts'
import { formatPath } from '../../src/domain/content/content-path.ts'
import { editKeys, parseRepositoryFile } from '../../src/domain/content/prompt-file.ts'
import { formatProblems } from '../../src/domain/text/problems.ts'
import type { KeyChange } from '../../src/domain/text/yaml-edit.ts'
import { readIfThere } from './read-if-there.ts'

/** What is taken down: a version, or without one, the prompt with all its versions. */
export interface TakedownTarget {
  owner: string
  name: string
  version: string | undefined
}

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

/** The paths of what is taken down, from the folder of the work tree: of a version, its file, the folder of a skill's files, and the folder of its results. */
function pathsOf({ prefix }: Pick<ContentTree, 'prefix'>, { owner, name, version }: TakedownTarget): string[] {
  if (version === undefined) return [`${prefix}${owner}/${name}`]
  const file = `${prefix}${formatPath({ kind: 'version', owner, name, version })}`
  const folder = `${prefix}${owner}/${name}`
  return [file, file.slice(0, -'.md'.length), `${folder}/results/${version}`, `${folder}/attestations/${version}`]
}

/** Returns the paths that commits of any branch concern, and the number of these commits. */
export async function findInHistory(
  tree: ContentTree,
  target: TakedownTarget,
): Promise<{ paths: string[]; commits: number }> {
  const count = async (paths: readonly string[]) => {
    const log = await tree.git.run(['log', '--all', '--format=%H', '--', ...paths])
    return log.toString().split('\n').filter(Boolean).length
  }
  const [file, ...more] = pathsOf(tree, target)
  const folders = await Promise.all(more.map(async (path) => ((await count([path])) > 0 ? [path] : [])))
  const paths = [file!, ...folders.flat()]
  return { paths, commits: await count(paths) }
}

/** Lists the files of what is taken down on the branch; the file that keeps the numbers of a prompt is none of them. */
export async function listContained(tree: ContentTree, target: TakedownTarget): Promise<string[]> {
  const { owner, name, version } = target
  const listed = (await tree.git.find(['ls-tree', '-r', '--name-only', 'HEAD', '--', ...pathsOf(tree, target)])) ?? ''
  const index = `${tree.prefix}${formatPath({ kind: 'repository', owner, name })}`
  const files = listed.split('\n').filter(Boolean)
  const isOnlyIndex = version === undefined && files.length === 1 && files[0] === index
  const { removed = {} } = (isOnlyIndex && parseRepositoryFile(readIfThere(join(tree.folder, index))).value) || {}
  return Object.keys(removed).length > 0 ? [] : files
}

/** Whether `removed` in the content says that this was taken down. */
export async function isTakenDown(tree: ContentTree, target: TakedownTarget): Promise<boolean> {
  const { owner, name, version } = target
  const index = join(tree.folder, `${tree.prefix}${formatPath({ kind: 'repository', owner, name })}`)
  const { removed = {} } = parseRepositoryFile(readIfThere(index)).value ?? {}
  if (version !== undefined) return Object.hasOwn(removed, version)
  return Object.keys(removed).length > 0 && (await listContained(tree, target)).length === 0
}

/** Lists the versions that include what is taken down, and so contain its text, such as `acme/review@1.0.0`. */
export function listIncluding({ folder, prefix }: ContentTree, target: TakedownTarget): string[] {
  const part = `${target.owner}/${target.name}`
  const { tree } = readContentDir(join(folder, prefix))
  return Array.from(tree.repositories).flatMap(([fullName, { versions }]) =>
    versions
      .filter(({ includes = [] }) =>
        includes.some(
          ({ repository, version }) =>
            repository === part && (target.version === undefined || version === target.version),
        ),
      )
      .map(({ version }) => `${fullName}@${version}`),
  )
}

/**
 * Commits the removal. The same commit removes what would otherwise be invalid: labels on the version, and other prompts' references to a prompt that no longer exists.
 *
 * @returns the commit, the removed paths, and what was changed besides the removal
 * @throws Error if there is nothing to remove, or the files have uncommitted changes
 */
export async function removeFromGit(
  tree: ContentTree,
  target: TakedownTarget,
  reason: string,
): Promise<{ commit: string; removed: string[]; also: string[] }> {
  const { git, folder } = tree
  const listed = (await git.find(['ls-tree', '--name-only', 'HEAD', '--', ...pathsOf(tree, target)])) ?? ''
  const removed = listed.split('\n').filter(Boolean)
  const edits = await (target.version === undefined
    ? Promise.all([editReferences(tree, target), keepNumbers(tree, target, reason)]).then((both) => both.flat())
    : editIndex(tree, target, reason))
  const paths = [...removed, ...edits.map((edit) => edit.path)]
  if ((await listContained(tree, target)).length === 0)
    throw new Error(`${target.owner}/${target.name} was taken down before.`)
  const dirty = (await git.run(['status', '--porcelain', '--', ...paths])).toString()
  if (dirty !== '') throw new Error(`There are uncommitted changes. Commit or discard them first:\n${dirty.trimEnd()}`)
  try {
    for (const path of removed) rmSync(join(folder, path), { recursive: true })
    for (const edit of edits) {
      mkdirSync(dirname(join(folder, edit.path)), { recursive: true })
      writeFileSync(join(folder, edit.path), edit.text)
    }
    await git.run(['add', '--all', '--', ...paths])
    const { owner, name, version } = target
    const subject = `Take down ${owner}/${name}${version === undefined ? '' : `@${version}`}`
    await git.run(['-c', 'commit.gpgSign=false', 'commit', '--quiet', '--only', '-m', subject, '--', ...paths])
  } catch (error) {
    await git.tryRun(['reset', '--quiet', '--', ...paths])
    await git.tryRun(['checkout', '--quiet', 'HEAD', '--', ...removed])
    for (const edit of edits) await git.tryRun(['checkout', '--quiet', 'HEAD', '--', edit.path])
    throw error
  }
  const commit = (await git.run(['rev-parse', 'HEAD'])).toString().trim()
  return { commit, removed, also: edits.flatMap((edit) => edit.said) }
}

interface Edit {
  path: string
  text: string
  said: string[]
}

/** Records the number as used up, and removes what points at the version. */
async function editIndex(tree: ContentTree, target: TakedownTarget, reason: string): Promise<Edit[]> {
  const { folder, prefix } = tree
  const { owner, name, version = '' } = target
  if (!(await listVersions(tree, target)).includes(version))
    throw new Error(`There is no version ${version} of ${owner}/${name} on this branch.`)
  const path = `${prefix}${formatPath({ kind: 'repository', owner, name })}`
  const text = readIfThere(join(folder, path)) || '---\n---\n'
  const { labels, yanked } = readIndex(path, text)
  const pointing = Object.keys(labels).filter((label) => labels[label] === version)
  const changes: KeyChange[] = [
    ...pointing.map((label): KeyChange => ({ path: ['labels', label], value: undefined })),
    ...(Object.hasOwn(yanked, version) ? [{ path: ['yanked', version], value: undefined } as const] : []),
    { path: ['removed', version], value: reason },
  ]
  return [{ path, text: editKeys(text, changes), said: pointing.map((label) => `the label ${label}`) }]
}

/** Records all numbers of a prompt as used up, in an `index.md` with nothing else. */
async function keepNumbers(tree: ContentTree, target: TakedownTarget, reason: string): Promise<Edit[]> {
  const { owner, name } = target
  const path = `${tree.prefix}${formatPath({ kind: 'repository', owner, name })}`
  // An index that cannot be read is taken down too.
  const before = parseRepositoryFile(readIfThere(join(tree.folder, path)) || '---\n---\n').value?.removed ?? {}
  const numbers = (await listVersions(tree, target)).map((version) => [version, reason])
  const removed = { ...before, ...Object.fromEntries(numbers) }
  if (Object.keys(removed).length === 0) return []
  return [{ path, text: editKeys('---\n---\n', [{ path: ['removed'], value: removed }]), said: [] }]
}

async function listVersions({ git, prefix }: ContentTree, { owner, name }: TakedownTarget): Promise<string[]> {
  const folder = `${prefix}${owner}/${name}/versions/`
  const listed = (await git.find(['ls-tree', '--name-only', 'HEAD', '--', folder])) ?? ''
  return listed.split('\n').flatMap((path) => (path.endsWith('.md') ? [path.slice(folder.length, -'.md'.length)] : []))
}

/** Removes other prompts' references to a prompt. */
async function editReferences({ git, folder, prefix }: ContentTree, target: TakedownTarget): Promise<Edit[]> {
  const { owner, name } = target
  const fullName = `${owner}/${name}`
  if (!(await git.find(['ls-tree', 'HEAD', '--', `${prefix}${fullName}`])))
    throw new Error(`There is no prompt ${fullName} on this branch.`)
  const found = (await git.find(['grep', '-l', '-F', '-e', fullName, 'HEAD', '--', prefix === '' ? '.' : prefix])) ?? ''
  return found
    .split('\n')
    .map((line) => line.replace(/^HEAD:/, ''))
    .filter((path) => /^[^/]+\/[^/]+\/index\.md$/.test(path.slice(prefix.length)))
    .filter((path) => !path.startsWith(`${prefix}${fullName}/`))
    .flatMap((path) => {
      const text = readFileSync(join(folder, path), 'utf8')
      const file = parseRepositoryFile(text).value
      const keys = (['moved_to', 'replaced_by'] as const).filter((key) => file?.[key] === fullName)
      if (keys.length === 0) return []
      const other = path.slice(prefix.length, -'/index.md'.length)
      const changes = keys.map((key): KeyChange => ({ path: [key], value: undefined }))
      return [{ path, text: editKeys(text, changes), said: keys.map((key) => `${key} of ${other}`) }]
    })
}

function readIndex(path: string, text: string) {
  const parsed = parseRepositoryFile(text)
  if (parsed.problems) throw new Error(`${path} cannot be read: ${formatProblems(parsed.problems)}. Fix it first.`)
  return parsed.value
}
