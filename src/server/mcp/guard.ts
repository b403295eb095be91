// Checks `Host` and `Origin`. Unknown hosts are rejected to prevent DNS rebinding; on loopback, so are pages of other sites.
import { isLoopback } from '../../domain/api/loopback.ts'
import { printable } from '../../domain/text/problems.ts'
import { Refusal } from './http.ts'
import { CODES } from './protocol.ts'

/** Whether a host name is the hub's own; loopback names always are. */
export type IsOwnHost = (hostname: string) => boolean

/**
 * Checks `Host` and `Origin`.
 *
 * @throws Refusal 403
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
export function checkSource(request: Request, isOwnHost: IsOwnHost): void {
  const given = request.headers.get('Host') ?? new URL(request.url).host
  const host = /^[^/?#@\\\s]+$/.test(given) ? URL.parse(`http://${given}`)?.hostname : undefined
  if (host === undefined || !(isLoopback(host) || isOwnHost(host))) {
    throw refuse(
      `This server does not accept the host ${printable(given)}. Use its public address, as set in SITE_URL.`,
    )
  }
  const from = request.headers.get('Origin')
  if (from === null) return
  const origin = from === 'null' ? undefined : parseOrigin(from)
  // Pages of any origin may read a public hub. A hub on a loopback host is meant for its own machine, and a foreign page in its browser could reach it.
  if (isLoopback(host) && !(origin && (isLoopback(origin) || isOwnHost(origin)))) {
    throw refuse('A local server rejects requests from pages of other sites.')
  }
}

/** @returns the host name */
function parseOrigin(origin: string): string {
  const url = URL.parse(origin)
  // An origin ends with its host and port; an address with a path is not one. RFC 6454 section 7.
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== origin.toLowerCase()) {
    throw refuse(`Origin ${printable(origin)} is not an origin that this server accepts.`)
  }
  return url.hostname
}

function refuse(message: string): Refusal {
  return new Refusal(403, CODES.refused, message)
}
