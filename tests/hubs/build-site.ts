// Builds a whole site for a test with Astro in a separate process, and reads the result.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { launch } from './processes.ts'

/**
 * Creates a folder for a site, inside the project folder.
 *
 * Astro keeps its bundle next to the site while it builds. If the site is outside the project, Astro uses `.astro/`,
 * where two simultaneous builds would remove each other's files.
 */
export function makeSiteFolder(name: string): string {
  const parent = resolve('.hub/tests')
  mkdirSync(parent, { recursive: true })
  return mkdtempSync(join(parent, `${name}-`))
}

/**
 * Builds a whole site: pages, data files and search index.
 *
 * @param outDir must end in `dist`
 * @param settings environment variables, such as CONTENT_DIR and SITE_URL
 * @throws an error with Astro's output if no site was built
 */
export async function buildSite(outDir: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const build = launch(process.execPath, ['scripts/build.ts', '--out', dirname(outDir)], settings)
  const { code } = await build.closed
  if (code !== 0) throw new Error(`The build failed.\n${build.log()}`)
}

/** Returns every file below a folder with its bytes, as Latin-1, sorted by path. */
export function readTree(dir: string): Map<string, string> {
  return new Map(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file): [string, string] => [file.slice(dir.length), readFileSync(file, 'latin1')])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}
