// Rejects ambiguous requests that a proxy could interpret differently. RFC 9112 sections 3 and 11.
import type { IncomingMessage } from 'node:http'
import { HubError } from '../../../src/domain/api/errors.ts'
import { readHost } from '../../../src/server/guard.ts'

/** Headers that may appear only once in a request, because programs disagree about which value to use if there are two. */
const ONCE: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'origin',
])

/**
 * Checks that every program would parse the request line and headers the same way, and turns an absolute URL into a path.
 *
 * @returns the error of a rejected request, HubError `invalid_request`; undefined for an unambiguous one
 */
export function findAmbiguity(incoming: IncomingMessage): HubError | undefined {
  const { rawHeaders, headers, httpVersion } = incoming
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (!ONCE.has(name)) continue
    if (seen.has(name)) return unclear(`The header ${name} was sent more than once. Send it once.`)
    seen.add(name)
  }
  const coding = headers['transfer-encoding']
  // Node passes a body on without undoing any other coding, and HTTP/1.0 has none. RFC 9112 section 6.1
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return unclear('The only Transfer-Encoding that this server supports is chunked. Send the body uncompressed.')
  const { host } = headers
  if (host === undefined ? httpVersion !== '1.0' : readHost(host).name === undefined)
    return unclear('The header Host must name this hub, as in "Host: prompts.example.org".')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return unclear('The value of the header Expect is not supported. Omit the header.')
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/i.exec(incoming.url ?? '')
  if (absolute) {
    const [, authority = '', rest = ''] = absolute
    if (authority.toLowerCase() !== host?.toLowerCase())
      return unclear('The URL and the Host header differ. Send the same host in both.')
    incoming.url = rest.startsWith('/') ? rest : `/${rest}`
  }
  // `OPTIONS *` is the only request without a path (RFC 9110 section 9.3.7). Its target is handled like a path.
  if (incoming.url === '*' && incoming.method === 'OPTIONS') incoming.url = '/api'
  if (!incoming.url?.startsWith('/') || /[\\#]/.test(incoming.url.split('?')[0]!) || incoming.url.includes('#'))
    return unclear('The URL must start with / and contain neither \\ nor #. Write them as %5C and %23.')
  return undefined
}

function unclear(message: string): HubError {
  return new HubError('invalid_request', message)
}
