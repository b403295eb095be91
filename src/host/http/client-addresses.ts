// Finds whose address a request has: the connection's, or, when that is a proxy of the settings, the one that it names.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import type { TrustedProxy } from '../../settings.ts'
import { clientKeyOf } from '../../wiring/platform.ts'

/** So many forwarding addresses of a request are looked at. */
const MAX_HOPS = 32

/**
 * Opens the finder of clients' addresses.
 *
 * @param trusted proxies whose `X-Forwarded-For` counts; from its end, the first address that is none of them is the client's
 * @param warn told once for each proxy that is not trusted: all behind it count as one client
 */
export function findClients(
  trusted: readonly TrustedProxy[],
  warn: (message: string) => void = console.warn,
): (incoming: IncomingMessage) => string {
  const isTrusted = recognise(trusted)
  let isSaid = false
  return ({ socket, headers }) => {
    const connection = bare(socket.remoteAddress ?? 'unknown')
    const forwarded = headers['x-forwarded-for']
    if (!isTrusted(connection)) {
      if (!isSaid && (forwarded !== undefined || headers.forwarded !== undefined)) {
        isSaid = true
        warn(
          `Requests come through the proxy ${connection}, and all of its clients share one limit. TRUSTED_PROXIES=${connection} counts them apart.`,
        )
      }
      return connection
    }
    const hops = String(forwarded ?? '')
      .split(',')
      .slice(-MAX_HOPS)
      .map((hop) => bare(hop.trim()))
    let client = connection
    while (hops.length > 0 && isTrusted(client)) {
      const hop = hops.pop()!
      // An entry that is no address may come from anybody, so the proxy that passed it on counts as the client.
      if (isIP(hop) === 0) break
      client = hop
    }
    return client
  }
}

/**
 * Opens the finder of the address that a connection counts for.
 *
 * @returns undefined for a trusted proxy: its connections are those of many clients
 */
export function findConnectionAddresses(trusted: readonly TrustedProxy[]): (socket: Socket) => string | undefined {
  const isTrusted = recognise(trusted)
  return ({ remoteAddress }) => {
    const address = bare(remoteAddress ?? 'unknown')
    return isTrusted(address) ? undefined : clientKeyOf(address)
  }
}

function recognise(trusted: readonly TrustedProxy[]): (address: string) => boolean {
  const proxies = new BlockList()
  for (const { address, prefix } of trusted) proxies.addSubnet(address, prefix, familyOf(address))
  return (address) => trusted.length > 0 && proxies.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const PLAIN = /^\d+(?:\.\d+){3}$/

/** Without what systems and proxies add: a mapped IPv4 address is that address, brackets, ports and zones are left out. */
function bare(address: string): string {
  if (PLAIN.test(address)) return address
  return address
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '')
}
