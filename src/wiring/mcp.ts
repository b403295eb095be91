// Owns what the MCP endpoint needs on the platform at hand: what reading needs, a limit of its own, and the names it answers under.
import type { McpDependencies } from '../server/mcp/answer.ts'
import { currentConfig, type FunctionContext, limiterOf } from './platform.ts'
import { connectRead } from './read.ts'

/** Hosted clients share addresses, so that many more messages than reads come from one. */
const TIMES_READS = 5

/** What the MCP endpoint needs. @throws HubError `unavailable` naming a setting that is wrong */
export async function connectMcp(request: Request, context: FunctionContext): Promise<McpDependencies> {
  const config = currentConfig()
  return {
    ...(await connectRead(request, context)),
    limiter: await limiterOf('tool-calls', config.rateLimitPerMinute * TIMES_READS, config),
    isOwnHost: (hostname) => config.hostnames.includes(hostname) || isDeployOf(config.netlifySite, hostname),
  }
}

/** Previews and branches have names of their own, below the site's; nobody else can have one of these. notes on Netlify */
function isDeployOf(site: string | undefined, hostname: string): boolean {
  if (site === undefined) return false
  return hostname === `${site}.netlify.app` || hostname.endsWith(`--${site}.netlify.app`)
}
