// `npm start`: builds the site, serves it with the functions, and builds again in the background whenever the content changes.
import { readConfig } from '../src/config.ts'
import { whenAborted } from '../src/host/abort.ts'
import { followContent } from '../src/host/follow-content.ts'
import { openLocalStores, serveSites } from '../src/host/serve-sites.ts'
import { whenAsked } from './ending.ts'

const config = readConfig(process.env)
const stopping = new AbortController()
whenAsked(() => stopping.abort())

try {
  console.log('Building the site …')
  const stores = await openLocalStores(config)
  whenAborted(stopping.signal, stores.close)
  const followed = await followContent(config, stopping.signal, (builtFrom) => {
    // Only git here puts every publish into the content folder at once; a clone of the one on GitHub may lag behind it.
    if (config.gitStore.kind === 'local') stores.fresh.forgetBefore(builtFrom)
  })
  const host = await serveSites(followed.site, stores, config.port).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE'
      ? new Error(`Port ${config.port} is taken. Stop what uses it, or choose another: PORT=8889 npm start`)
      : error
  })
  console.log(`Prompt Hub is at ${config.baseUrl} and follows ${config.contentDir}/. Stop it with Ctrl-C.`)
  whenAborted(stopping.signal, host.stop)
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
    stopping.abort()
  }
}
