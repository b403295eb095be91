// The code of the pages as Astro bundled it, with the static files that belong to it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RenderPage } from '../ports/pages.ts'
import type { SiteFiles } from '../ports/site-files.ts'
import { folderFiles } from '../stores/site/site-files-folder.ts'

/** What is the same for every state of the content. */
export interface Pages {
  render: RenderPage
  /** Styles, scripts, documents, downloads. */
  files: SiteFiles
}

/** Whether a file is made of the content. */
export const isDataPath = (path: string): boolean => path.startsWith('/data/') || path.startsWith('/sitemap')

/**
 * Loads the code of the pages.
 *
 * @param serverDir Astro's server code, with its entry
 * @param staticDir the static files; data files may lie there too, and are passed over
 * @param later where that folder may be renamed to
 */
export async function loadPages(serverDir: string, staticDir: string, later?: string): Promise<Pages> {
  const { render }: { render: RenderPage } = await import(pathToFileURL(join(serverDir, 'entry.mjs')).href)
  return { render, files: listedFiles(staticDir, later) }
}

/** The static files of a folder. They are listed once, because most addresses are pages, and no disk should be asked for a file that is not there. */
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
