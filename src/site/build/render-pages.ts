// Owns rendering pages again and again in one process: their bundle is loaded once, and each is then rendered when somebody asks for it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AstroPrerenderer } from 'astro'
import { StaticPaths } from 'astro/runtime/prerender/static-paths.js'
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import { lookAround } from './around.ts'
import { BESIDE_DIR, type BundlePlace, bundlePages, SERVER_DIR } from './bundle-pages.ts'
import { FRAMES_PAGE, isFramed, type MakeFramed, openFrames } from './framed-pages.ts'
import { listFiles } from './list-files.ts'
import { eachWithView, getCatalogue, withView } from './loaded-catalogue.ts'
import { areFactsUnchanged, type PageFacts, viewForPage } from './page-facts.ts'
import type { MadeGroup, SiteGroup } from './site-writer.ts'

/** The bundled pages. */
export interface PageRenderer {
  /** The folder that they were loaded from. */
  bundle: string
  /** Every page without a frame, of the catalogue that is in place, and every file beside the pages. A page is rendered when its file is asked for. */
  listGroups(): Promise<SiteGroup[]>
  /** Makes every page with a frame that a prompt of the catalogue in place has. @returns their files, and what they asked of the catalogue */
  makePages(entry: CatalogueEntry): Promise<MadeGroup>
}

type PathOfPage = Awaited<ReturnType<AstroPrerenderer['getStaticPaths']>>[number]
type PagePath = Pick<PathOfPage, 'pathname' | 'route'>
type Route = PathOfPage['route']

/** What a bundle of pages exports: Astro's app, which renders them. */
interface PagesApp {
  manifest: { routes: { routeData: Route }[] }
  logger: { options: { destination: unknown } }
  /** Astro keeps what `getStaticPaths` of a page gave, because a build asks only once; for another catalogue that must be cleared. */
  routeCache: { clearAll(): void }
  getComponentByRoute(route: Route): Promise<unknown>
  render(request: Request, options: { routeData: Route }): Promise<Response>
  /** Takes what the build knows of styles that pages import. There are none, because our pages link to their styles by address. */
  setInternals(internals: { pagesByKeys: Map<string, never> }): void
  setOptions(options: { settings: { scripts: [] }; logger: { options: { destination: unknown } } }): void
}

/** Opens the pages of the code, which are bundled when they were not yet. @throws Error when they cannot be */
export async function openPages(place: BundlePlace): Promise<PageRenderer> {
  return loadPages(await bundlePages(place))
}

/**
 * Loads a bundle of pages, all of it at once, so that its folder may be removed. A catalogue must be in place when a page is asked for.
 *
 * @param dir what `bundlePages` gave
 */
export async function loadPages(dir: string): Promise<PageRenderer> {
  const app = await loadApp(join(dir, SERVER_DIR))
  const routes = app.manifest.routes.map(({ routeData }) => routeData)
  const frames = routes.find(({ component }) => component === FRAMES_PAGE)!
  const others = routes.filter(({ component }) => !isFramed(component))
  const beside = listBeside(join(dir, BESIDE_DIR))
  let makeFramed: MakeFramed | undefined
  const renderFrame = async (frame: string) => {
    const [, bytes] = await render(app, { pathname: `/assets/frames/${frame}`, route: frames })
    return new TextDecoder().decode(bytes)
  }
  return {
    bundle: dir,
    async listGroups() {
      app.routeCache.clearAll()
      return [...beside, ...(await listPaths(app, others)).map((path) => groupOf(app, path))]
    },
    async makePages(entry) {
      makeFramed ??= await openFrames(renderFrame)
      const catalogue = getCatalogue()
      const facts: PageFacts = {}
      const files = makeFramed(entry, lookAround(catalogue, entry))
      return { files: eachWithView(viewForPage(catalogue, facts), files), facts }
    },
  }
}

async function loadApp(dir: string): Promise<PagesApp> {
  const entry = listFiles(dir).find((name) => /^prerender-entry\.[^/]+\.mjs$/.test(name))
  if (entry === undefined) throw new Error('The bundle of the pages has no entry.')
  const { app }: { app: PagesApp } = await import(pathToFileURL(join(dir, entry)).href)
  app.setInternals({ pagesByKeys: new Map<string, never>() })
  app.setOptions({ settings: { scripts: [] }, logger: { options: { destination: app.logger.options.destination } } })
  for (const { routeData } of app.manifest.routes) await app.getComponentByRoute(routeData)
  return app
}

/** Styles, scripts, and what is copied as it is. */
function listBeside(dir: string): SiteGroup[] {
  return listFiles(dir).map((name) => {
    const path = `/${name}`
    const bytes = readFileSync(join(dir, name))
    return { id: `file ${path}`, key: undefined, make: () => ({ files: [[path, bytes]] }) }
  })
}

/** Of two routes with the same address, the first counts, as in a build by Astro. */
async function listPaths(app: PagesApp, routes: readonly Route[]): Promise<PathOfPage[]> {
  const paths = new Map<string, PathOfPage>()
  const some = {
    manifest: { ...app.manifest, routes: routes.map((routeData) => ({ routeData })) },
    routeCache: app.routeCache,
    getComponentByRoute: (route: Route) => app.getComponentByRoute(route),
  }
  for (const path of await new StaticPaths(some as never).getAll())
    if (!paths.has(fileOf(path))) paths.set(fileOf(path), path)
  return [...paths.values()]
}

function groupOf(app: PagesApp, path: PathOfPage): SiteGroup {
  const { cacheKey } = path
  const id = `page ${fileOf(path)}`
  if (cacheKey === undefined) return { id, key: undefined, make: async () => ({ files: [await render(app, path)] }) }
  const catalogue = getCatalogue()
  return {
    ...{ id, key: cacheKey, make: () => renderNoting(app, path) },
    areUnchanged: (known) => areFactsUnchanged(catalogue, known),
  }
}

/** Renders a page while noting what it asks of the catalogue that is in place. */
async function renderNoting(app: PagesApp, path: PathOfPage): Promise<MadeGroup> {
  const facts: PageFacts = {}
  return { files: [await withView(viewForPage(getCatalogue(), facts), () => render(app, path))], facts }
}

/** Where Astro puts a page. */
function fileOf({ pathname, route }: PagePath): string {
  if (route.type === 'endpoint') return pathname
  const bare = pathname.replace(/\/$/, '')
  return bare === '/404' || bare === '/500' ? `${bare}.html` : `${bare}/index.html`
}

async function render(app: PagesApp, path: PagePath): Promise<[path: string, bytes: Uint8Array]> {
  const { pathname, route } = path
  const address = route.type === 'endpoint' || pathname.endsWith('/') ? pathname : `${pathname}/`
  // The same address that a build by Astro gives; no page reads its host from there.
  const request = new Request(new URL(address, 'http://localhost:4321'))
  const response = await app.render(request, { routeData: route })
  if (response.status >= 300 && response.status !== 404)
    throw new Error(`The page ${pathname} was rendered with the status ${response.status}.`)
  return [fileOf(path), new Uint8Array(await response.arrayBuffer())]
}
