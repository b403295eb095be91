// Lists and renders the pages that do not depend on the content: the docs and the 404 page of static hosts. A build writes them as files; the Node server renders each when it is first requested.

import type { Bytes, SiteFiles } from '../built/site-files.ts'
import { GUIDE_PATHS } from '../site/docs/guides.ts'
import type { HubProfile, RenderPage } from '../site/rendering.ts'

/** The only page that a hub may be without. */
const SECURITY: readonly string[] = ['/.well-known/security.txt', '/security.txt']

/** The address of each page, by the path of its file. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ['/404.html', '/404'],
  ['/robots.txt', '/robots.txt'],
  ['/manifest.webmanifest', '/manifest.webmanifest'],
  ...SECURITY.map((path) => [path, '/security.txt'] as const),
  ['/.well-known/ai-catalog.json', '/ai-catalog.json'],
  ['/docs/mcp/server.json', '/docs/mcp/server.json'],
  ['/docs/renovate.json', '/docs/renovate.json'],
  ['/docs/index.html', '/docs'],
  ...GUIDE_PATHS.flatMap((path) => [[`${path}/index.html`, path] as const, [`${path}.md`, `${path}.md`] as const]),
])

/** Returns the pages as files, each rendered on its first read. */
export function fixedPages(render: RenderPage, profile: HubProfile): SiteFiles {
  const rendered = new Map<string, Promise<Bytes | undefined>>()
  const draw = async (file: string, path: string) => {
    const response = await render(path, { profile, path })
    if (SECURITY.includes(file) && response.status === 404) return undefined
    const isMissing = response.status !== 200 && path !== '/404'
    if (isMissing) throw new Error(`${path} was rendered with status ${response.status}.`)
    return new Uint8Array(await response.arrayBuffer())
  }
  return {
    async read(file) {
      const path = PAGES.get(file)
      if (path === undefined) return undefined
      const page = rendered.get(file) ?? draw(file, path)
      rendered.set(file, page)
      page.catch(() => rendered.delete(file))
      return page
    },
  }
}

/** Renders all pages. @returns their bytes, by the path of the file */
export async function renderFixedPages(render: RenderPage, profile: HubProfile): Promise<[string, Bytes][]> {
  const files = fixedPages(render, profile)
  const pages = await Promise.all(Array.from(PAGES.keys(), async (file) => [file, await files.read(file)] as const))
  return pages.flatMap(([file, bytes]) => (bytes ? [[file, bytes] as [string, Bytes]] : []))
}
