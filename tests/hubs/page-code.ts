// The page code of this version of the code, for tests that call handlers in this process. `npm ci` has made the bundle.
import { bundlePlaceOf, ensureBundle } from '../../packages/node-server/builds/pages-bundle.ts'
import { loadRender } from '../../packages/node-server/pages.ts'
import type { RenderPage, ShownLook, ShowView } from '../../src/ports/pages.ts'
import { openPageCache } from '../../src/server/page-cache.ts'
import { openViews } from '../../src/wiring/hub.ts'
import { makeProfile } from './profile.ts'

let code: Promise<{ render: RenderPage; look: ShownLook }> | undefined

/** Loads the page code, once. */
export function loadPageCode(): typeof code & {} {
  code ??= ensureBundle(bundlePlaceOf(process.cwd())).then(async ({ server }) => ({
    render: await loadRender(server),
    look: makeProfile('').look,
  }))
  return code
}

/** Renders what a handler decided to show. */
export const showView: ShowView = async (view) => {
  const pages = { code: await loadPageCode(), broken: new Map(), cache: openPageCache(), purge: () => {} }
  return (await openViews({ pages }))(view)
}
