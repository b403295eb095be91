// Serves a hub over HTTP together with the data files of a build that a test made.
import type { AddressInfo } from 'node:net'
import { startServer } from '../../src/hosts/node/http/http-server.ts'
import { type Hub, serveHub } from './publishing.ts'

/** Starts the server. @param filesOf returns the data files as they are at a request, by path; all other paths below `/data/` return 404 */
export async function serveWithFiles(
  hub: Hub,
  filesOf: () => ReadonlyMap<string, string>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const api = serveHub(hub)
  const serve = async (request: Request) => {
    const { pathname } = new URL(request.url)
    const headers = { 'Content-Type': 'application/json' }
    if (!pathname.startsWith('/data/')) return api(request)
    const text = filesOf().get(pathname)
    return text === undefined ? new Response('{}', { status: 404, headers }) : new Response(text, { headers })
  }
  const server = await startServer(serve, 0)
  const { port } = server.server.address() as AddressInfo
  return { url: `http://localhost:${port}`, close: () => server.stop(0) }
}
