// Answers requests with the application: sends what it says to any cache and client, compressed where that helps.
import type { IncomingMessage } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { HubError } from '../../../domain/api/errors.ts'
import { noteSender } from '../../../log.ts'
import { respondWithError } from '../../../server/refusals.ts'
import { partsOf, respondWithParts } from '../../../server/respond.ts'
import { type Compressor, openCompressor } from './compress.ts'
import type { NodeListener } from './http-server.ts'

/** The context that the host adds to each request. */
interface HostContext<Site> {
  ip: string
  hub: Site
}

/** The application; errors become responses. */
export interface App<Context> {
  fetch(request: Request, context: Context): Response | Promise<Response>
}

/** Handles a request. @param peer the IP address of the connection, whatever its headers say */
export type Answer = (request: Request, ip: string, peer?: string) => Promise<Response>

/**
 * Handles every request with the application.
 *
 * @param siteOf returns the current site; a request uses the same site from start to finish
 * @param compressor shared by all requests, because it has a cache
 */
export function createHandler<Site>(
  app: App<HostContext<Site>>,
  siteOf: () => Site,
  compressor: Compressor = openCompressor(),
) {
  return async (request: Request, ip: string): Promise<Response> => {
    const isHead = request.method === 'HEAD'
    // A response to HEAD has the headers of the response to GET, which depend on its body.
    const asked = isHead ? new Request(request.url, { headers: request.headers }) : request
    const answer = await app.fetch(asked, { ip, hub: siteOf() })
    const parts = partsOf(answer)
    if (parts) {
      const made = await compressor.compress(asked, parts)
      if (isHead) return respondWithParts({ ...made, bytes: null })
      return made === parts ? answer : respondWithParts(made)
    }
    if (!isHead) return answer
    const { status, headers, body } = answer
    await body?.cancel()
    return new Response(null, { status, headers })
  }
}

/**
 * Creates a Node listener from a handler.
 *
 * @param answer also gets the IP address of the connection, whatever its headers say
 * @param addressOf finds the client's IP address; default: the connection's, ignoring headers
 */
export function listenTo(
  answer: Answer,
  addressOf: (incoming: IncomingMessage) => string = ({ socket }) => socket.remoteAddress ?? 'unknown',
): NodeListener {
  const handle = (request: Request, { incoming }: { incoming: unknown }) => {
    if (!URL.canParse(request.url)) return refuseUrl()
    // hono also serves HTTP/2, which this server does not speak.
    const { socket } = incoming as IncomingMessage
    const ip = addressOf(incoming as IncomingMessage)
    noteSender({ address: ip })
    return answer(request, ip, socket.remoteAddress)
  }
  return getRequestListener(handle, {
    // HTTP/1.0 does not require a Host header.
    hostname: 'localhost',
    // This is called only for requests whose URL cannot be parsed.
    errorHandler: refuseUrl,
  })
}

const refuseUrl = () =>
  respondWithError(
    new Request('http://localhost/', { method: 'POST' }),
    new HubError('invalid_request', 'The URL or the header Host is invalid. Use an HTTP library.'),
  )
