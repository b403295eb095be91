// Runs the hub for `npm start`: builds the site, serves it with the functions, and rebuilds in the background whenever the content changes.

import { serveLook } from '../src/build/hub-look.ts'
import { openDownloads } from '../src/build/list-downloads.ts'
import { findProfile, findSourceHost } from '../src/config.ts'
import { openLook, readHubLook } from '../src/content/site-settings-file.ts'
import { startGitRunner } from '../src/git/git-command.ts'
import { openGitHub } from '../src/github/git-store-github.ts'
import { followContent } from '../src/hosts/node/builds/follow-content.ts'
import { bundlePlaceOf, ensureBundle, findBundle, preparePages } from '../src/hosts/node/builds/pages-bundle.ts'
import { openMonitoring, type ServedHub, serveSites } from '../src/hosts/node/builds/serve-sites.ts'
import { findCode } from '../src/hosts/node/code-commit.ts'
import { followGitHub } from '../src/hosts/node/follow-github.ts'
import { addFetch, addPublishing, addState } from '../src/hosts/node/health.ts'
import { onAbort } from '../src/hosts/node/http/background.ts'
import { findGivenSocket } from '../src/hosts/node/http/given-socket.ts'
import { logUncaughtErrors } from '../src/hosts/node/http/uncaught-errors.ts'
import { openLocalStores, printSignInLink } from '../src/hosts/node/local-stores.ts'
import { describeShortage, readMemory } from '../src/hosts/node/memory.ts'
import { openFacts } from '../src/hosts/node/operating-facts.ts'
import { openOwnCatalogue } from '../src/hosts/node/own-catalogue.ts'
import { openBundle } from '../src/hosts/node/pages.ts'
import { watchGitHub, watchPublishing } from '../src/hosts/node/watch-publishing.ts'
import { startDeliveries } from '../src/hosts/node/webhooks/deliver.ts'
import { openSender } from '../src/hosts/node/webhooks/send.ts'
import { publishQueue } from '../src/hub/open-publish-hub.ts'
import { describeError, logInfo, logProblem } from '../src/log.ts'
import { sourceOf } from '../src/state/published.ts'
import { openProgress } from './progress.ts'
import { readSettings } from './read-settings.ts'
import { onShutdown } from './shutdown.ts'

const settings = readSettings()
const stopping = new AbortController()
const progress = openProgress(process.stderr, undefined, (words) => logInfo('building', words))
let host: ServedHub | undefined
let deliveries: ReturnType<typeof startDeliveries> | undefined
// Stops the server first, because in-flight requests still need the stores and the site.
onShutdown(async (hurry) => {
  progress.end()
  await host?.drain(settings.drainMs, hurry)
  await host?.stop()
  await deliveries?.stop()
  stopping.abort()
})

startGitRunner()
const shortage = describeShortage(readMemory())
if (shortage) logProblem('warning', 'little_memory', shortage)

try {
  const catalogue = await openOwnCatalogue(settings, process.env)
  if (catalogue.note) logInfo('own_catalogue', catalogue.note)
  const config = { ...settings, contentDir: catalogue.contentDir }
  const stores = await openLocalStores(config)
  onAbort(stopping.signal, stores.close)
  const watching = await openMonitoring(config)
  const { metrics } = watching
  // With a local repository, every publish is in the content folder immediately; a clone from GitHub may lag behind.
  const { gitStore } = config
  const github = gitStore.kind === 'github' ? openGitHub(gitStore) : undefined
  const localGit = gitStore.kind === 'local' ? stores.localGit : undefined
  const taken = localGit ? watchPublishing(localGit) : github && watchGitHub(github)
  if (taken) onAbort(stopping.signal, taken.stop)
  if (config.keepsClone) logInfo('cloning', 'Opening the clone of the GitHub repository …')
  const clone = config.keepsClone ? await followGitHub(config, process.env, stopping.signal) : undefined
  const contentDir = clone?.contentDir ?? config.contentDir
  const followed = followContent({ ...config, contentDir }, stopping.signal, {
    order: stores.order,
    onFirst: () => progress.end(),
    onBuilt: (seconds) => {
      metrics?.noteBuild(seconds)
      deliveries?.wake()
    },
    onFailed: () => metrics?.noteFailedBuild(),
    onProgress: progress.show,
  })
  const look = serveLook(readHubLook(await openLook(contentDir, process.env)))
  const place = bundlePlaceOf(process.cwd())
  const isBundled = findBundle(place) !== undefined
  const pages = preparePages(async () => {
    // Bundling waits for the first build, because doing both at once would take twice as long, and programs need no pages.
    if (!isBundled) await followed.ready
    const bundle = await ensureBundle(place, stopping.signal)
    const code = await findCode(process.cwd(), process.env)
    const opened = await openBundle(bundle, findProfile(config, look.shown, code), look.files)
    // Without a build, a page has nothing to show. If the first one fails, the process ends.
    await followed.ready.catch(() => {})
    return opened
  }, stopping.signal)
  const socket = findGivenSocket(process.env, process.pid)
  // A connection that waits in a socket, or that a proxy tries again, is better than a page that is not ready yet. One of several hubs is known to be back as soon as it listens.
  const isAlone = socket !== undefined || stores.watchPublishes === undefined
  if (isAlone && isBundled && followed.health().built_at !== null) await pages.tried
  const sender = openSender(config.webhooks.isPrivateAllowed)
  host = await serveSites(followed.served, stores, {
    ...config,
    listenAt: socket ?? config.listenAt,
    pages,
    onWritten: followed.noteWrite,
    advance: clone
      ? (write) => {
          clone.fetchPublished(publishQueue().length === 0)
          return followed.advance(write)
        }
      : followed.advance,
    downloads: await openDownloads('.', config.baseUrl),
    ...watching,
    findWebhookAddressProblem: sender.findAddressProblem,
    factsOf: openFacts(stores.state, github?.hostFacts),
    healthOf() {
      const known = addState(followed.health(), stores.stateWatch.health())
      const health = taken ? addPublishing(known, taken.health()) : known
      return clone ? addFetch(health, clone.state(), new Date()) : health
    },
  }).catch((error: NodeJS.ErrnoException & { port?: number }) => {
    if (error.code !== 'EADDRINUSE') throw error
    const setting = error.port === config.metricsAt?.port ? 'METRICS_PORT' : 'PORT'
    const another = (error.port ?? config.port) + 1
    throw new Error(
      `Port ${another - 1} is in use. Stop the program that uses it, or choose another port: ${setting}=${another} npm start`,
    )
  })
  clone?.start(followed.noteMove, followed.replaceContent)
  if (clone) stores.watchPublishes?.(clone.fetchForOthers)
  logUncaughtErrors()
  deliveries = startDeliveries({
    state: stores.state,
    sender,
    source: sourceOf(config),
    contentDir,
    environment: process.env,
    baseUrl: config.baseUrl,
    served: () => followed.health().commit,
    operator: config.webhooks.operator,
    count: metrics?.countEvent,
  })
  await followed.ready
  progress.end()
  if (isBundled) await pages.tried
  if (stopping.signal.aborted) await host.stop()
  else {
    logInfo(
      'started',
      `Prompt Hub is running at ${config.baseUrl} and follows changes in ${config.keepsClone ? findSourceHost(config)?.web : `${config.contentDir}/`}. ${pages.current ? '' : 'The API is ready; pages will be ready in a few seconds. '}Press Ctrl-C to stop.`,
    )
    printSignInLink(config, stores)
  }
} catch (error) {
  progress.end()
  if (!stopping.signal.aborted) {
    logProblem('error', 'start_failed', describeError(error))
    process.exitCode = 1
    await host?.stop(0)
    stopping.abort()
  }
}
