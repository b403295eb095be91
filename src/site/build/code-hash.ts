// Hashes the code that makes a site, by which a build knows whether what an earlier one made may be used again.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from './list-files.ts'

/** What decides about the site beside the code itself: which packages are installed, and how code is put together. */
const SETTINGS_FILES = ['package-lock.json', 'astro.config.mjs', 'tsconfig.json']

/**
 * Hashes the code by its bytes, with the version of Node that runs it.
 *
 * @param root the project's folder
 * @returns `data` changes with whatever decides about the data files of a site, `site` with whatever decides about any of its files
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
