// Connects pages to the platform: the records they show, and the code that renders them.
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { type Config, findProfile, includedFile } from '../config.ts'
import { HubError } from '../domain/api/errors.ts'
import type { RenderPage } from '../ports/pages.ts'
import type { TextJobTable } from '../ports/text-work.ts'
import type { PageDeps } from '../server/pages/handle-page.ts'
import { currentConfig, type FunctionContext, type Hub, type HubPages } from './platform.ts'
import { connectRead } from './read.ts'

type PageCode = NonNullable<HubPages['code']>

/** The page code, with its jobs on somebody's text. */
type DeployedCode = PageCode & { jobs?: Partial<TextJobTable> }

/** Returns the dependencies for rendering pages. @throws HubError `unavailable` naming an invalid setting, or while the page code is being bundled */
export async function connectPages(request: Request, context: FunctionContext): Promise<PageDeps> {
  const { hub } = context
  const config = currentConfig()
  const { render, look, jobs = {} }: DeployedCode = hub ? codeOf(hub) : await deployedCode(config)
  return {
    ...(await connectRead(request, context, async () => jobs)),
    render,
    profile: findProfile(config, look),
    brokenOf: (fullName) => hub?.pages?.broken.get(fullName) ?? [],
    cache: hub?.pages?.cache,
  }
}

function codeOf({ pages }: Hub): PageCode {
  if (pages?.code) return pages.code
  throw pagesUnavailable()
}

/** Creates the error for requests while the page code is being bundled. */
export function pagesUnavailable(): HubError {
  return new HubError('unavailable', 'The pages are being prepared. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  })
}

let deployed: Promise<DeployedCode> | undefined

/** Loads the page code and the look that the build placed next to the function on Netlify. */
function deployedCode(config: Config): Promise<DeployedCode> {
  deployed ??= Promise.all([
    import(pathToFileURL(includedFile(config, 'build/pages/entry.mjs')).href),
    readFile(includedFile(config, 'build/pages/look.json'), 'utf8'),
  ]).then(([{ render, jobs }, look]: [{ render: RenderPage; jobs: Partial<TextJobTable> }, string]) => ({
    ...{ render, jobs },
    look: JSON.parse(look),
  }))
  return deployed
}
