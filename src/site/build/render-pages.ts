// Owns rendering pages again and again in one process: their bundle is loaded once, and each is then rendered when somebody asks for it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AstroPrerenderer } from 'astro'
import { StaticPaths } from 'astro/runtime/prerender/static-paths.js'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { BESIDE_DIR, type BundlePlace, bundlePages, SERVER_DIR } from './bundle-pages.ts'
import { FRAMES_PAGE, isFramed, type MakeFramed, openFrames } from './framed-pages.ts'
import { listFiles } from './list-files.ts'
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
  /** The folder that they were loaded from. */
  bundle: string
  /** Every page and every file beside them, of the catalogue that is in place. A page is rendered when its file is asked for. */
  listGroups(): Promise<SiteGroup[]>
  /** Renders a page with a key, of the catalogue that is in place. @returns its file, and what it asked of the catalogue */
  makePage(address: PageAddress): Promise<MadeGroup>
}

type PathOfPage = Awaited<ReturnType<AstroPrerenderer['getStaticPaths']>>[number]
type Route = PathOfPage['route']

/** A page as its source file gives it: its paths, each with what it shows. */
interface PageModule {
  getStaticPaths?: () => { params: Record<string, string>; props: object; cacheKey?: string }[]
}

/** What a bundle of pages exports: Astro's app, which renders them. */
interface PagesApp {
  manifest: { routes: { routeData: Route }[] }
  logger: { options: { destination: unknown } }
  /** Astro keeps what `getStaticPaths` of a page gave, because a build asks only once; for another catalogue that must be cleared. */
  routeCache: { clearAll(): void }
  getComponentByRoute(route: Route): Promise<PageModule>
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
  const { app, modules } = await loadApp(join(dir, SERVER_DIR))
  const routes = new Map(app.manifest.routes.map(({ routeData }) => [routeData.component, routeData]))
  const framed = [...routes.values()].filter(({ component }) => isFramed(component))
  const others = [...routes.values()].filter(({ component }) => !isFramed(component))
  const beside = listBeside(join(dir, BESIDE_DIR))
  let shown: Catalogue | undefined
  let makeFramed: MakeFramed | undefined
  /** The props of pages with a frame, by source file and then by path, as the catalogue that is shown gives them. */
  const propsOf = new Map<string, Map<string, object>>()
  const follow = (catalogue: Catalogue) => {
    if (catalogue === shown) return
    app.routeCache.clearAll()
    propsOf.clear()
    shown = catalogue
  }
  const listFramed = (route: Route) => {
    const paths = modules.get(route.component)!.getStaticPaths!().map((path) => ({
      ...path,
      pathname: route.route.replace(/\[(\w+)\]/g, (_, name) => path.params[name]!),
    }))
    propsOf.set(route.component, new Map(paths.map(({ pathname, props }) => [pathname, props])))
    return paths
  }
  const renderFrame = async (frame: string) => {
    const [, bytes] = await render(app, { pathname: `/assets/frames/${frame}`, route: routes.get(FRAMES_PAGE)! })
    return new TextDecoder().decode(bytes)
  }
  const makePage = async ({ component, pathname }: PageAddress): Promise<MadeGroup> => {
    const route = routes.get(component)
    if (!route) throw new Error(`There is no page ${component}.`)
    follow(getCatalogue())
    makeFramed ??= await openFrames(renderFrame)
    const make = makeFramed
    if (!propsOf.has(component)) listFramed(route)
    const props = propsOf.get(component)?.get(pathname)
    if (!props) throw new Error(`There is no page at ${pathname}.`)
    return makeNoting(async () => [fileOf({ pathname, route }), make(component, props)])
  }
  return {
    bundle: dir,
    async listGroups() {
      const catalogue = getCatalogue()
      follow(catalogue)
      const groups: SiteGroup[] = [...beside]
      for (const path of await listPaths(app, others)) groups.push(groupOf(app, path))
      for (const route of framed)
        for (const { pathname, cacheKey } of listFramed(route)) {
          const address = { component: route.component, pathname }
          groups.push({
            ...{ id: `page ${fileOf({ pathname, route })}`, key: cacheKey, make: () => makePage(address) },
            areUnchanged: (known) => areFactsUnchanged(catalogue, known),
            task: { of: pathname.split('/').slice(1, 3).join('/'), what: address },
          })
        }
      return groups
    },
    makePage,
  }
}

async function loadApp(dir: string): Promise<{ app: PagesApp; modules: Map<string, PageModule> }> {
  const entry = listFiles(dir).find((name) => /^prerender-entry\.[^/]+\.mjs$/.test(name))
  if (entry === undefined) throw new Error('The bundle of the pages has no entry.')
  const { app }: { app: PagesApp } = await import(pathToFileURL(join(dir, entry)).href)
  app.setInternals({ pagesByKeys: new Map<string, never>() })
  app.setOptions({ settings: { scripts: [] }, logger: { options: { destination: app.logger.options.destination } } })
  const modules = new Map<string, PageModule>()
  for (const { routeData } of app.manifest.routes)
    modules.set(routeData.component, await app.getComponentByRoute(routeData))
  return { app, modules }
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
    ...{ id, key: cacheKey, make: () => makeNoting(() => render(app, path)) },
    areUnchanged: (known) => areFactsUnchanged(catalogue, known),
  }
}

/** Makes a page while noting what it asks of the catalogue that is in place. */
async function makeNoting(make: () => Promise<SiteFile>): Promise<MadeGroup> {
  const facts: PageFacts = {}
  return { files: [await withView(viewForPage(getCatalogue(), facts), make)], facts }
}

/** Where Astro puts a page. */
function fileOf({ pathname, route }: Pick<PathOfPage, 'pathname' | 'route'>): string {
  if (route.type === 'endpoint') return pathname
  const bare = pathname.replace(/\/$/, '')
  return bare === '/404' || bare === '/500' ? `${bare}.html` : `${bare}/index.html`
}

async function render(
  app: PagesApp,
  path: Pick<PathOfPage, 'pathname' | 'route'>,
): Promise<[path: string, bytes: Uint8Array]> {
  const { pathname, route } = path
  const address = route.type === 'endpoint' || pathname.endsWith('/') ? pathname : `${pathname}/`
  // The same address that a build by Astro gives; no page reads its host from there.
  const request = new Request(new URL(address, 'http://localhost:4321'))
  const response = await app.render(request, { routeData: route })
  if (response.status >= 300 && response.status !== 404)
    throw new Error(`The page ${pathname} was rendered with the status ${response.status}.`)
  return [fileOf(path), new Uint8Array(await response.arrayBuffer())]
}
