// Connects MCP to the platform: read access, a rate limit and host names.
import type { McpHandlerDeps } from '../server/mcp/handle-mcp.ts'
import { currentConfig, type FunctionContext, limiterOf } from './platform.ts'
import { connectRead } from './read.ts'

/** The limit for MCP messages as a multiple of the read limit. It is higher, because users of a hosted client share that client's IP addresses. */
const TIMES_READS = 5

/** Returns the dependencies of the MCP endpoint. @throws HubError `unavailable` naming an invalid setting */
export async function connectMcp(request: Request, context: FunctionContext): Promise<McpHandlerDeps> {
  const config = currentConfig()
  return {
    ...(await connectRead(request, context, async () => (await import('./text-jobs-fill.ts')).FILL_JOBS)),
    limiter: await limiterOf('tool-calls', config.rateLimitPerMinute * TIMES_READS, config),
    isPrivate: config.isPrivate,
    isForReaders: config.readAccess.kind === 'members',
    isOwnHost: (hostname) => config.hostnames.includes(hostname) || isDeployOf(config.netlifySite, hostname),
  }
}

/** Returns whether a host name belongs to this site on Netlify: the host names of its previews and branch deploys end with the site's name, and no other site can have such a name. docs/notes/netlify.md section 9 */
function isDeployOf(site: string | undefined, hostname: string): boolean {
  if (site === undefined) return false
  return hostname === `${site}.netlify.app` || hostname.endsWith(`--${site}.netlify.app`)
}
