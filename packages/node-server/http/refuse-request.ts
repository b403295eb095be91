// Rejects requests and connections: sends an error if the client can still read it, then closes the connection.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { HubError } from '../../../src/domain/api/errors.ts'
import { type ErrorResponse, makeErrorResponse } from '../../../src/server/refusals.ts'
import { headersOfRequest, nameRequest } from './request-log.ts'

/** Returns the error for too many bodies arriving at the same time. */
export function busy(): HubError {
  return new HubError('unavailable', 'Too many simultaneous requests. Try again in a second.', {
    retryAfterSeconds: 1,
  })
}

/** Returns the error for a request that could not be parsed. @param code Node's error code */
export function unreadableRequestError(code: string | undefined): HubError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new HubError('invalid_request', 'The URL or the headers are too long. Shorten them.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new HubError('invalid_request', 'The request timed out. Send it again.')
  return new HubError('invalid_request', 'This is not a valid HTTP/1.1 request. Use an HTTP library.')
}

/** How long a rejected client may keep sending before the connection is closed. If it were closed immediately, the client would not see the response. */
const LINGER_MS = 500

/** Sends an error and closes the connection, because any further data on it is untrusted or unwanted. */
export function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  error: HubError,
  allowOrigin: string,
): void {
  const { status, headers, body } = makeClosingResponse(error, allowOrigin)
  outgoing.writeHead(status, headers)
  outgoing.end(body)
  incoming.resume()
  setTimeout(() => incoming.socket.destroy(), LINGER_MS).unref()
}

/** Closes a connection, with an error if no response has been started on it. */
export function closeConnection(
  socket: Socket,
  error: HubError,
  answering: ReadonlyMap<Socket, ServerResponse>,
  allowOrigin: string,
): void {
  if (!socket.writable || answering.get(socket)?.headersSent) {
    socket.destroy()
    return
  }
  socket.end(formatAnswer(makeClosingResponse(error, allowOrigin)), () => socket.destroySoon())
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** Returns the error for a client with too many connections. */
export function tooManyConnections(): HubError {
  return new HubError(
    'rate_limited',
    'Too many connections are open from your IP address. Close some, or send your requests over fewer connections.',
    { retryAfterSeconds: 5 },
  )
}

function makeClosingResponse(error: HubError, allowOrigin: string): ErrorResponse {
  const { status, headers, body } = makeErrorResponse(error)
  const length = String(Buffer.byteLength(body))
  const closing = { 'Access-Control-Allow-Origin': allowOrigin, Connection: 'close', 'Content-Length': length }
  return { status, headers: { ...headers, ...closing }, body }
}

/** Formats a response to what is not a request, which Node does not send: with a new ID, because its headers cannot be read. */
function formatAnswer({ status, headers, body }: ErrorResponse): string {
  const all = { ...headersOfRequest(nameRequest()), ...headers, Date: new Date().toUTCString() }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}
