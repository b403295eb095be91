// Loads the page code bundled by Astro, and its static files.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fixedPages } from '../../build/fixed-pages.ts'
import type { ServedLook } from '../../build/hub-look.ts'
import { listFiles } from '../../build/list-files.ts'
import type { SiteFiles } from '../../built/site-files.ts'
import { folderFiles } from '../../built/site-files-folder.ts'
import type { HubProfile, RenderPage } from '../../site/rendering.ts'

/** The pages of a hub. */
export interface Pages {
  render: RenderPage
  profile: HubProfile
  /** The files that do not depend on the content: styles, scripts and documents. */
  files: SiteFiles
}

/** The folders of bundled page code. */
export interface Bundle {
  /** Astro's server code. */
  server: string
  /** The styles and scripts. */
  client: string
}

/** The paths of files that are generated from the content. */
export const DATA_PATH = /^\/(?:data\/|sitemap)/

/** Loads the function that renders pages. @param server the folder with Astro's server code */
export async function loadRender(server: string): Promise<RenderPage> {
  const { render }: { render: RenderPage } = await import(pathToFileURL(join(server, 'entry.mjs')).href)
  return render
}

/** Opens a bundle for a hub. */
export async function openBundle(
  { server, client }: Bundle,
  profile: HubProfile,
  lookFiles: ServedLook['files'],
): Promise<Pages> {
  const render = await loadRender(server)
  const fixed = fixedPages(render, profile)
  const bundled = folderFiles(client)
  // Listed once, because most requests are for pages and should not look for a file on disk.
  const paths = listFiles(client).map((path) => `/${path}`)
  const listed = new Set(paths.filter((path) => !DATA_PATH.test(path)))
  return {
    render,
    profile,
    files: {
      read: async (path) => lookFiles.get(path) ?? (listed.has(path) ? bundled.read(path) : fixed.read(path)),
    },
  }
}
