// Connects pages to the platform: the records they show, and the code that renders them.
import { pathToFileURL } from 'node:url'
import { type Config, findSourceHost, includedFile } from '../config.ts'
import { HubError } from '../domain/api/errors.ts'
import type { RenderPage } from '../ports/pages.ts'
import type { PageDeps } from '../server/pages/handle-page.ts'
import { currentConfig, type FunctionContext, type Hub } from './platform.ts'
import { connectRead } from './read.ts'

/** Returns the dependencies for rendering pages. @throws HubError `unavailable` naming an invalid setting, or while the page code is being bundled */
export async function connectPages(request: Request, context: FunctionContext): Promise<PageDeps> {
  const { hub } = context
  const config = currentConfig()
  const render = hub ? renderOf(hub) : await bundledRender(config)
  return {
    ...(await connectRead(request, context)),
    render,
    sourceHost: findSourceHost(config),
    brokenOf: (fullName) => hub?.pages?.broken.get(fullName) ?? [],
    cache: hub?.pages?.cache,
  }
}

function renderOf({ pages }: Hub): RenderPage {
  if (pages?.render) return pages.render
  throw pagesUnavailable()
}

/** Creates the error for requests while the page code is being bundled. */
export function pagesUnavailable(): HubError {
  return new HubError(
    'unavailable',
    'The pages are being prepared; the API is already available. Try again in a few seconds.',
    {
      retryAfterSeconds: 5,
    },
  )
}

let bundled: Promise<{ render: RenderPage }> | undefined

/** Loads the page code that the build placed next to the function on Netlify. */
async function bundledRender(config: Config): Promise<RenderPage> {
  bundled ??= import(pathToFileURL(includedFile(config, 'build/pages/entry.mjs')).href)
  return (await bundled).render
}
