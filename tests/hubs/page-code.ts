// The page code of this version of the code, for tests that call handlers in this process. `npm ci` has made the bundle.
import { bundlePlaceOf, ensureBundle } from '../../src/hosts/node/builds/pages-bundle.ts'
import { loadRender } from '../../src/hosts/node/pages.ts'
import { openViews } from '../../src/hub/open-hub.ts'
import { openPageCache } from '../../src/server/page-cache.ts'
import type { HubProfile, RenderPage, ShowView } from '../../src/site/rendering.ts'
import { makeProfile } from './profile.ts'

let code: Promise<{ render: RenderPage; profile: HubProfile }> | undefined

/** Loads the page code, once. */
export function loadPageCode(): typeof code & {} {
  code ??= ensureBundle(bundlePlaceOf(process.cwd())).then(async ({ server }) => ({
    render: await loadRender(server),
    profile: makeProfile('http://localhost:8888'),
  }))
  return code
}

/** Renders what a handler decided to show. */
export const showView: ShowView = async (view) => {
  const pages = { code: await loadPageCode(), broken: new Map(), cache: openPageCache(), purge: () => {} }
  return (await openViews({ pages }))(view)
}
