// Connects MCP to the platform: read access, a rate limit and host names.
import type { McpHandlerDeps } from '../server/mcp/handle-mcp.ts'
import { currentConfig, type FunctionContext, limiterOf } from './platform.ts'
import { connectRead } from './read.ts'

/** The message limit as a multiple of the read limit: users of a hosted client share its IP addresses, so one address sends more messages than a reader sends reads. */
const TIMES_READS = 5

/** Returns the dependencies of the MCP endpoint. @throws HubError `unavailable` naming an invalid setting */
export async function connectMcp(request: Request, context: FunctionContext): Promise<McpHandlerDeps> {
  const config = currentConfig()
  return {
    ...(await connectRead(request, context)),
    limiter: await limiterOf('tool-calls', config.rateLimitPerMinute * TIMES_READS, config),
    isOwnHost: (hostname) => config.hostnames.includes(hostname) || isDeployOf(config.netlifySite, hostname),
  }
}

/** Returns whether a host name is one of the site's own on Netlify: the names of its previews and branch deploys end with the site's name, and nobody else can get such a name. docs/notes/netlify.md section 9 */
function isDeployOf(site: string | undefined, hostname: string): boolean {
  if (site === undefined) return false
  return hostname === `${site}.netlify.app` || hostname.endsWith(`--${site}.netlify.app`)
}
