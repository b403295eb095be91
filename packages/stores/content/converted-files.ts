// Finds files in the content folder that git converted on checkout, so that their bytes differ from the published bytes.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parsePath } from '../../../src/domain/content/content-path.ts'
import type { Problem } from '../../../src/domain/text/problems.ts'
import { createGit } from '../git/git-command.ts'
import { listEdited, listIndex } from '../git/git-objects.ts'
import { nameFile } from './content-files.ts'

/** The rule that a converted file breaks, in a review and in a build. */
export const CONVERTED: Omit<Problem, 'file'> = {
  rule: 'bytes-as-in-git',
  key: '',
  message: 'expected the bytes stored in git, got different bytes that git considers unchanged: the file was converted',
}

/**
 * Compares the content folder with git, byte for byte: attributes, line-ending settings and filters change files on checkout, but git still reports the files as unchanged. Files that git reports as edited pass the check, because they contain the user's edits. Takes about 20 µs per file.
 *
 * @param dir the content folder
 * @returns one problem for each of the first converted files, and one that counts the others and explains what to do; empty if git is missing or does not track the folder
 * @throws GitFailure if a file disappears in the meantime
 */
export async function findConverted(
  dir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Problem[]> {
  const git = createGit(dir, environment)
  if ((await git.find(['rev-parse', '--is-inside-work-tree']).catch(() => undefined)) !== 'true') return []
  const [index, edited] = await Promise.all([listIndex(git), listEdited(git)])
  const isOurs = (path: string) => index.get(path)?.mode.startsWith('100') && parsePath(path).value !== undefined
  // Sparse checkout omits files. Git resolves relative paths from the top of its working tree, so all paths are absolute.
  const paths = [...index.keys()].filter((path) => isOurs(path) && !edited.has(path) && existsSync(join(dir, path)))
  const input = paths.map((path) => `${resolve(dir, path)}\n`).join('')
  const here = (await git.run(['hash-object', '--no-filters', '--stdin-paths'], { input })).toString().split('\n')
  const converted = paths.filter((path, at) => here[at] !== index.get(path)?.id)
  const problems = converted.slice(0, MAX_NAMED).map((path) => ({ file: nameFile(path), ...CONVERTED }))
  const others = converted.length - problems.length
  const message = `${others > 0 ? `and ${others} more files; ` : ''}git check-attr -a FILE names the attribute: remove it, or set core.autocrlf to false, then check the files out again`
  return problems.length === 0 ? [] : [...problems, { file: nameFile(''), ...CONVERTED, message }]
}

/** Maximum number of files listed, because one setting can convert all files. */
const MAX_NAMED = 10
