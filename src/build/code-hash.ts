// Hashes the code that generates a site, so that a build can determine whether earlier results can be reused.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from './list-files.ts'

/** Other files that affect the site: the list of installed packages and the build configuration. */
const SETTINGS_FILES = ['package-lock.json', 'astro.config.mjs', 'tsconfig.json']

/** The source files that affect a site's data files. `.dependency-cruiser.mjs` checks that all code of the data build does. */
export const DATA_CODE =
  /^src\/(?:(?:build|built|catalogue|concurrency|content|domain|files|git|search|skills|state|site\/docs)\/|site\/(?:links|rendering)\.ts$|log\.ts$)/

/**
 * Hashes the bytes of the code. The hashes are the same wherever the code is.
 *
 * @param root the project's folder
 * @returns `data`, which changes with anything that affects a site's data files, including the Node version, and `pages`, which changes with anything that affects the page code
 */
export function hashCode(root: string): { data: string; pages: string } {
  const sources = ['packages/prompt-formats/source', 'src']
    .flatMap((room) =>
      listFiles(join(root, room))
        .filter((path) => !path.endsWith('.test.ts'))
        .map((path) => `${room}/${path}`),
    )
    .sort()
  const [data, pages] = [createHash('sha256').update(process.version), createHash('sha256')]
  for (const path of [...SETTINGS_FILES, ...sources]) {
    const bytes = readFileSync(join(root, path))
    for (const digest of SETTINGS_FILES.includes(path) || DATA_CODE.test(path) ? [data, pages] : [pages])
      digest.update(`\0${path}\0`).update(bytes)
  }
  return { data: data.digest('hex'), pages: pages.digest('hex') }
}
