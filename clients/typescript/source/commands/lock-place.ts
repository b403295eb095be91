// Finds the lock of the project, also from a folder inside it.
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { complain } from './terminal.ts'

const LOCK = 'prompts.lock'

/**
 * Goes to the folder of the lock above, if this one has none, and names it. A repository is not left.
 *
 * @returns translates a path that the user gave in the folder before
 */
export async function enterProject(): Promise<(path: string) => string> {
  const start = process.cwd()
  let folder = start
  while (!existsSync(join(folder, LOCK))) {
    const above = dirname(folder)
    if (existsSync(join(folder, '.git')) || above === folder) return (path) => path
    folder = above
  }
  if (folder === start) return (path) => path
  complain(`using ${relative(start, join(folder, LOCK)).split(sep).join('/')}`)
  process.chdir(folder)
  return (path) => relative(folder, resolve(start, path)).split(sep).join('/')
}
