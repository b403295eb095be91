// The application of this hub: connects every address to the platform.
import { type Connections, createApp } from './app.ts'
import { type FunctionContext, openCheckHub, openHub } from './hub.ts'

/** Messages have a higher limit than reads, because users of a hosted client share that client's IP addresses. */
const MESSAGES_PER_READ = 5

const accounts = () => import('./account.ts')

/** How requests are connected on every platform. */
export const CONNECTIONS: Connections<FunctionContext> = {
  hub: openHub,
  mcp: (request, context) => openHub(request, context, { timesReads: MESSAGES_PER_READ }),
  publishing: async (request, context) => (await import('./publish.ts')).openPublishHub(request, context),
  checking: openCheckHub,
  account: async (request, context) => (await accounts()).connectAccount(request, context),
  editor: async (request, context) => (await accounts()).connectEditor(request, context),
  exporter: async () => (await import('./export-version.ts')).exportVersion,
}

/** The application on a platform that serves static files itself. */
export const hubApp = createApp(CONNECTIONS)
