// Connects MCP to the platform: reading, a rate limit and host names.
import type { McpDependencies } from '../server/mcp/answer.ts'
import { currentConfig, type FunctionContext, limiterOf } from './platform.ts'
import { connectRead } from './read.ts'

/** People behind a hosted client share its addresses, so one address sends more messages than a reader sends reads. */
const TIMES_READS = 5

/** The dependencies of the MCP endpoint. @throws HubError `unavailable` naming a setting that is wrong */
export async function connectMcp(request: Request, context: FunctionContext): Promise<McpDependencies> {
  const config = currentConfig()
  return {
    ...(await connectRead(request, context)),
    limiter: await limiterOf('tool-calls', config.rateLimitPerMinute * TIMES_READS, config),
    isOwnHost: (hostname) => config.hostnames.includes(hostname) || isDeployOf(config.netlifySite, hostname),
  }
}

/** Whether a host name is one of the site's own on Netlify: names of previews and branches end with it, and nobody else can get such a name. docs/notes/netlify.md section 9 */
function isDeployOf(site: string | undefined, hostname: string): boolean {
  if (site === undefined) return false
  return hostname === `${site}.netlify.app` || hostname.endsWith(`--${site}.netlify.app`)
}
