// Owns rendering pages again and again in one process: Astro bundles them once, and each is then rendered when somebody asks for it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AstroIntegration, type AstroPrerenderer, build } from 'astro'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { ASTRO_OPTIONS } from './astro-options.ts'
import { getCatalogue, withView } from './loaded-catalogue.ts'
import { areFactsUnchanged, type PageFacts, viewForPage } from './page-facts.ts'
import type { MadeGroup, SiteFile, SiteGroup } from './site-writer.ts'

/** Says which page is meant, wherever the pages are bundled. */
export interface PageAddress {
  /** Its source file, as Astro names it: `src/pages/[owner]/[name].astro`. */
  component: string
  /** From the site's root. */
  pathname: string
}

/** The bundled pages. */
export interface PageRenderer {
  /** Every page and every file beside them, of the catalogue that is in place. A page is rendered when its file is asked for. */
  listGroups(): Promise<SiteGroup[]>
  /** Renders a page with a key, of the catalogue that is in place. @returns its file, and what it asked of the catalogue */
  makePage(address: PageAddress): Promise<MadeGroup>
}

/** The prerenderer that Astro brings: it knows every route, and keeps what `getStaticPaths` of a page gave, for a build asks once. */
interface DefaultPrerenderer extends AstroPrerenderer {
  app?: { routeCache?: { clearAll(): void }; manifest: { routes: { routeData: PathOfPage['route'] }[] } }
}

type PathOfPage = Awaited<ReturnType<AstroPrerenderer['getStaticPaths']>>[number]

/**
 * Bundles the pages. A catalogue must be in place.
 *
 * @param root the project's folder
 */
export async function openPages(root: string): Promise<PageRenderer> {
  // Astro renames files out of `.astro` into the folder it builds into, and no rename goes from one disk to another.
  mkdirSync(join(root, '.astro'), { recursive: true })
  const scratchDir = mkdtempSync(join(root, '.astro', 'pages-'))
  try {
    return await bundlePages(root, scratchDir)
  } finally {
    await rm(scratchDir, { recursive: true, force: true })
  }
}

async function bundlePages(root: string, scratchDir: string): Promise<PageRenderer> {
  const [outDir, cacheDir] = [join(scratchDir, 'out'), join(scratchDir, 'cache')]
  let prerenderer: DefaultPrerenderer | undefined
  const keepPrerenderer: AstroIntegration = {
    name: 'prompt-hub-pages',
    hooks: {
      'astro:build:start': ({ setPrerenderer }) =>
        setPrerenderer((given) => {
          prerenderer = given
          return { ...given, name: 'prompt-hub', getStaticPaths: () => loadEveryPage(given) }
        }),
    },
  }
  await build({
    ...ASTRO_OPTIONS,
    ...{ root, configFile: false, logLevel: 'warn', outDir, integrations: [keepPrerenderer] },
    // The project's own folder may be one that cannot be written to.
    ...{ cacheDir, vite: { ...ASTRO_OPTIONS.vite, cacheDir: join(cacheDir, 'vite') } },
  })
  if (!prerenderer?.app) throw new Error('Astro rendered no page.')
  const pages = prerenderer
  const { app } = prerenderer
  const beside = listBeside(outDir)
  const routes = new Map(app.manifest.routes.map(({ routeData }) => [routeData.component, routeData]))
  let shown: Catalogue | undefined
  /** The pages of which Astro knows the paths in the catalogue that is shown. */
  const known = new Set<string>()
  const follow = (catalogue: Catalogue) => {
    if (catalogue === shown) return
    app.routeCache?.clearAll()
    known.clear()
    shown = catalogue
  }
  return {
    async listGroups() {
      follow(getCatalogue())
      const paths = await listPaths(pages)
      for (const { route } of paths) known.add(route.component)
      return [...beside, ...paths.map((path) => groupOf(pages, path))]
    },
    async makePage({ component, pathname }) {
      const route = routes.get(component)
      if (!route) throw new Error(`There is no page ${component}.`)
      follow(getCatalogue())
      // Rendering asks for the paths of its route first, which may depend on all of the catalogue, and keeps them.
      if (!known.has(component)) await render(pages, { pathname, route })
      known.add(component)
      return renderNoting(pages, { pathname, route })
    },
  }
}

/** Astro removes its bundle when the build is done, so that every page must be in memory by then. @returns no path: what is rendered is ours to say */
async function loadEveryPage(pages: AstroPrerenderer): Promise<PathOfPage[]> {
  const first = new Map((await pages.getStaticPaths()).toReversed().map((path) => [path.route.component, path]))
  for (const path of first.values()) await render(pages, path)
  return []
}

/** Styles, scripts, and what is copied as it is. */
function listBeside(dir: string): SiteGroup[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => {
      const path = file.slice(join(dir, '/').length - 1)
      const bytes = readFileSync(file)
      return { id: `file ${path}`, key: undefined, make: () => ({ files: [[path, bytes]] }) }
    })
}

/** Of two routes with the same address, the first counts, as in a build by Astro. */
async function listPaths(pages: AstroPrerenderer): Promise<PathOfPage[]> {
  const paths = new Map<string, PathOfPage>()
  for (const path of await pages.getStaticPaths()) if (!paths.has(fileOf(path))) paths.set(fileOf(path), path)
  return [...paths.values()]
}

function groupOf(pages: AstroPrerenderer, path: PathOfPage): SiteGroup {
  const { cacheKey, pathname, route } = path
  const id = `page ${fileOf(path)}`
  if (cacheKey === undefined) return { id, key: undefined, make: async () => ({ files: [await render(pages, path)] }) }
  const catalogue = getCatalogue()
  const { component } = route
  return {
    ...{ id, key: cacheKey, make: () => renderNoting(pages, path) },
    areUnchanged: (known) => areFactsUnchanged(catalogue, known),
    ...(component.startsWith(REPOSITORY_PAGES) && {
      task: { of: pathname.split('/').slice(1, 3).join('/'), what: { component, pathname } },
    }),
  }
}

/** Where the pages lie that are made of a single repository. */
const REPOSITORY_PAGES = 'src/pages/[owner]/[name]'

/** Renders a page while noting what it asks of the catalogue that is in place. */
async function renderNoting(pages: AstroPrerenderer, path: PathOfPage): Promise<MadeGroup> {
  const facts: PageFacts = {}
  const file = await withView(viewForPage(getCatalogue(), facts), () => render(pages, path))
  return { files: [file], facts }
}

/** Where Astro puts a page. */
function fileOf({ pathname, route }: PathOfPage): string {
  if (route.type === 'endpoint') return pathname
  const bare = pathname.replace(/\/$/, '')
  return bare === '/404' || bare === '/500' ? `${bare}.html` : `${bare}/index.html`
}

async function render(pages: AstroPrerenderer, path: PathOfPage): Promise<SiteFile> {
  const { pathname, route } = path
  const address = route.type === 'endpoint' || pathname.endsWith('/') ? pathname : `${pathname}/`
  // The same address that a build by Astro gives; no page reads its host from there.
  const request = new Request(new URL(address, 'http://localhost:4321'))
  const answer = await pages.render(request, { routeData: route })
  const response = answer instanceof Response ? answer : answer.response
  if (response.status >= 300 && response.status !== 404)
    throw new Error(`The page ${pathname} was rendered with the status ${response.status}.`)
  return [fileOf(path), new Uint8Array(await response.arrayBuffer())]
}
