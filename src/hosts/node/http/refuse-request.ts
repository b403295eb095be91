// Responds to what is not a request that can be read, and closes its connection.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { HubError } from '../../../domain/api/errors.ts'
import { makeErrorResponse } from '../../../server/refusals.ts'
import { headersOfRequest, nameRequest } from './request-log.ts'

/** @param code Node's error code @param isAnswering whether a response has begun on the connection */
export function refuseUnreadable(
  socket: Socket,
  code: string | undefined,
  isAnswering: boolean,
  allowOrigin: string,
): void {
  if (!socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const { status, headers, body } = makeErrorResponse(new HubError('invalid_request', describe(code)))
  const all = {
    // The request's own ID cannot be read.
    ...headersOfRequest(nameRequest()),
    ...headers,
    'Access-Control-Allow-Origin': allowOrigin,
    Connection: 'close',
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`, () =>
    socket.destroySoon(),
  )
}

function describe(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The URL or the headers are too long. Shorten them.'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request timed out. Send it again.'
  return 'This is not a valid HTTP/1.1 request. Use an HTTP library.'
}
