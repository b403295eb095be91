// The route of MCP.
import type { Hub } from '../server/hub.ts'
import { handleMcp } from '../server/mcp/handle-mcp.ts'
import type { Opens, RouteGroup } from './app.ts'

/** Adds the MCP endpoint. @param mcp opens a hub with the limit for messages */
export const mcp =
  <Place>({ mcp: open }: { mcp: Opens<Hub, Place> }): RouteGroup<Place> =>
  (add) =>
    add('all', '/mcp', (request, _, place) => handleMcp(request, () => open(request, place)))
