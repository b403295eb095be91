// Hashes the code that generates a site, so that a build can determine whether earlier results can be reused.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from './list-files.ts'

/** Other files that affect the site: the list of installed packages and the build configuration. */
const SETTINGS_FILES = ['package-lock.json', 'astro.config.mjs', 'tsconfig.json']

/**
 * Hashes the bytes of the code, together with the Node version.
 *
 * @param root the project's folder
 * @returns `data`, which changes with anything that affects a site's data files, and `site`, which changes with anything that affects any of its files
 */
export function hashCode(root: string): { data: string; site: string } {
  const settings = SETTINGS_FILES.map((name) => join(root, name))
  const content = ['domain', 'ports', 'stores', 'site/build'].flatMap((room) => listSources(join(root, 'src', room)))
  return {
    data: hashFiles([...settings, ...content]),
    site: hashFiles([...settings, ...listSources(join(root, 'src'))]),
  }
}

function listSources(dir: string): string[] {
  return listFiles(dir)
    .map((path) => join(dir, path))
    .sort()
}

function hashFiles(files: readonly string[]): string {
  const digest = createHash('sha256').update(process.version)
  for (const file of files) digest.update(`\0${file}\0`).update(readFileSync(file))
  return digest.digest('hex')
}
