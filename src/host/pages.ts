// Loads the page code bundled by Astro, and its static files.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RenderPage } from '../ports/pages.ts'
import type { SiteFiles } from '../ports/site-files.ts'
import { folderFiles } from '../stores/site/site-files-folder.ts'

/** Files that do not depend on the content. */
export interface Pages {
  render: RenderPage
  /** The static files: styles, scripts, documents and downloads. */
  files: SiteFiles
}

/** Returns whether a file is generated from the content. */
export const isDataPath = (path: string): boolean => path.startsWith('/data/') || path.startsWith('/sitemap')

/**
 * Loads the page code.
 *
 * @param serverDir Astro's server code
 * @param staticDir the static files; data files in it are ignored
 * @param later the path to which that folder may be renamed
 */
export async function loadPages(serverDir: string, staticDir: string, later?: string): Promise<Pages> {
  const { render }: { render: RenderPage } = await import(pathToFileURL(join(serverDir, 'entry.mjs')).href)
  return { render, files: listedFiles(staticDir, later) }
}

/** Opens the static files in a folder. They are listed once, because most requests are for pages and should not look for a file on disk. */
function listedFiles(dir: string, later?: string): SiteFiles {
  const listed = new Set<string>()
  for (const top of readdirSync(dir, { withFileTypes: true })) {
    if (isDataPath(`/${top.name}/`)) continue
    if (!top.isDirectory()) listed.add(`/${top.name}`)
    else
      for (const entry of readdirSync(join(dir, top.name), { recursive: true, withFileTypes: true }))
        if (entry.isFile()) listed.add(join(entry.parentPath, entry.name).slice(dir.length))
  }
  const files = folderFiles(dir, later)
  return {
    read: async (path) => (listed.has(path) ? files.read(path) : undefined),
    openLarge: async (path) => (listed.has(path) ? files.openLarge?.(path) : undefined),
  }
}
