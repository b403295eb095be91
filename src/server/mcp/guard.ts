// Checks `Host` and `Origin`. Rejects unknown hosts, to prevent DNS rebinding, and on loopback also rejects requests from other sites' pages.
import { isLoopback } from '../../domain/api/loopback.ts'
import { printable } from '../../domain/text/problems.ts'
import { Refusal } from './http.ts'
import { CODES } from './protocol.ts'

/** Returns whether a host name belongs to the hub; loopback names always do. */
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
    throw originRefusal(
      `This server does not accept the host ${printable(given)}. Use its public URL, as set in SITE_URL.`,
    )
  }
  const from = request.headers.get('Origin')
  if (from === null) return
  const origin = from === 'null' ? undefined : parseOrigin(from)
  // Pages from any origin may read a public hub. A hub on a loopback host is meant only for its own machine, so pages from other sites that are open in that machine's browser are rejected.
  if (isLoopback(host) && !(origin && (isLoopback(origin) || isOwnHost(origin)))) {
    throw originRefusal('A local server rejects requests from other sites’ pages.')
  }
}

/** @returns the host name */
function parseOrigin(origin: string): string {
  const url = URL.parse(origin)
  // An origin ends after the host and port, so a URL with a path is not an origin (RFC 6454 section 7).
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== origin.toLowerCase()) {
    throw originRefusal(`Origin ${printable(origin)} is not an origin that this server accepts.`)
  }
  return url.hostname
}

function originRefusal(message: string): Refusal {
  return new Refusal(403, CODES.refused, message)
}
