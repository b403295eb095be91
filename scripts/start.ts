// `npm start`: builds the site, serves it with the functions, and rebuilds in the background whenever the content changes.
import { findSourceHost } from '../src/config.ts'
import { followContent } from '../src/host/builds/follow-content.ts'
import { bundlePlaceOf, preparePages } from '../src/host/builds/pages-bundle.ts'
import { openLocalStores, openMonitoring, printSignInLink, serveSites } from '../src/host/builds/serve-sites.ts'
import { followGitHub } from '../src/host/follow-github.ts'
import { addFetch, addState } from '../src/host/health.ts'
import { onAbort } from '../src/host/http/abort.ts'
import type { RunningServer } from '../src/host/http/http-server.ts'
import { logUncaughtErrors } from '../src/host/http/uncaught-errors.ts'
import type { FreshCopy } from '../src/ports/fresh-copies.ts'
import type { LocalGit } from '../src/stores/git/git-store-local.ts'
import { openProgress } from './progress.ts'
import { readSettingsOrExit } from './read-settings.ts'
import { onShutdown } from './shutdown.ts'

const config = readSettingsOrExit()
const stopping = new AbortController()
const progress = openProgress()
let host: RunningServer | undefined
// Stops the server first, because in-flight requests still need the stores and the site.
onShutdown(async () => {
  progress.end()
  await host?.stop()
  stopping.abort()
})

let lastTrouble = ''
/** Finishes interrupted publishes. Reports a problem only once, because it lasts until somebody fixes it. @returns whether the content folder contains everything that was published */
async function finishPublishes(git: LocalGit): Promise<boolean> {
  try {
    await git.finishPublishes()
    lastTrouble = ''
    return true
  } catch (error) {
    const trouble = error instanceof Error ? error.message : String(error)
    if (trouble !== lastTrouble) console.error(trouble)
    lastTrouble = trouble
    return false
  }
}

try {
  const stores = await openLocalStores(config)
  onAbort(stopping.signal, stores.close)
  const watching = await openMonitoring(config)
  const { metrics } = watching
  // With a local repository, every publish is in the content folder immediately; a clone from GitHub may lag behind.
  const isLocal = config.gitStore.kind === 'local'
  if (config.keepsClone) console.log('Opening the clone of the GitHub repository …')
  const clone = config.keepsClone ? await followGitHub(config, process.env, stopping.signal) : undefined
  const contentDir = clone?.contentDir ?? config.contentDir
  const followed = followContent({ ...config, contentDir }, stopping.signal, {
    beforeBuild: async () => ({
      isWhole: isLocal && (await finishPublishes(stores.localGit)),
      changed: (await clone?.update()) ?? [],
    }),
    onShow: () => progress.end(),
    onBuilt: (began) => metrics?.noteBuild(began),
    onFailed: () => metrics?.noteFailedBuild(),
    onProgress: progress.show,
  })
  let pages: ReturnType<typeof preparePages> = () => undefined
  const { copies } = stores
  const keep = async (copy: FreshCopy) => {
    await copies.keep(copy)
    followed.notePublish(copy.repository.full_name)
    clone?.fetchSoon()
  }
  host = await serveSites(
    followed.site,
    { ...stores, copies: { ...copies, keep } },
    {
      ...config,
      pages: () => pages(),
      ...watching,
      healthOf() {
        const health = addState(followed.health(), stores.stateWatch.health())
        return clone ? addFetch(health, clone.state(), new Date()) : health
      },
    },
  ).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE'
      ? new Error(
          `Port ${config.port} is in use. Stop the program that uses it, or choose another port: PORT=8889 npm start`,
        )
      : error
  })
  clone?.start(followed.noteMove)
  if (clone) stores.watchPublishes?.(clone.fetchSoon)
  logUncaughtErrors()
  await followed.ready
  progress.end()
  if (stopping.signal.aborted) await host.stop()
  else {
    console.log(
      `Prompt Hub is running at ${config.baseUrl} and follows changes in ${config.keepsClone ? findSourceHost(config)?.web : `${config.contentDir}/`}. The API is ready; pages will be ready in a few seconds. Press Ctrl-C to stop.`,
    )
    printSignInLink(config, stores)
    // The pages are prepared only after the first build, because doing both at once would take twice as long, and programs need no pages.
    pages = preparePages(bundlePlaceOf(config), stopping.signal)
  }
} catch (error) {
  progress.end()
  if (!stopping.signal.aborted) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
    await host?.stop(0)
    stopping.abort()
  }
}
