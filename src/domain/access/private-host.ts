// Decides whether a host name or IP address can be reached only from a private network.
import { parseAddress } from './ip-address.ts'

/** Top-level domains that public DNS does not have: reserved ones (RFC 6761, RFC 6762, RFC 8375, and `internal` by ICANN), and those that RFC 6762 appendix G lists for private networks. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|lan|home|home\.arpa|localdomain|intranet|private|corp|test)$/

/** Networks that are not part of the internet, as the first bytes of their addresses: RFC 1918, shared address space (RFC 6598), link-local and loopback. */
const PRIVATE_IPV4 =
  /^(?:0|10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./

/** Unique local (RFC 4193), link-local and site-local addresses, loopback and the unspecified address. */
const PRIVATE_IPV6 = /^(?:f[cd][0-9a-f]|fe[89a-f])[0-9a-f]:|^::1?$/

/** Returns whether a host is on loopback or in a private network. @param host as in a URL, with or without brackets around IPv6 */
export function isPrivateHost(host: string): boolean {
  const address = parseAddress(host)
  if (address !== undefined) return (address.includes(':') ? PRIVATE_IPV6 : PRIVATE_IPV4).test(address)
  const name = host.toLowerCase().replace(/\.$/, '')
  return !name.includes('.') || PRIVATE_NAMES.test(name)
}
