// Finds the client IP address of a request, which is that of the connection or the one reported by a trusted proxy.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { parseAddress } from '../../../domain/access/ip-address.ts'
import { logProblem } from '../../../log.ts'
import type { TrustedProxy } from '../../../settings.ts'

/** Maximum number of forwarding addresses examined per request. */
const MAX_HOPS = 32

/**
 * Creates a function that finds client addresses.
 *
 * @param trusted proxies whose `X-Forwarded-For` is used; read from the end, the first address that is not one of them is the client's
 * @param warn called once, for the first untrusted proxy, because all clients behind it count as one client
 */
export function findClients(
  trusted: readonly TrustedProxy[],
  warn: (message: string) => void = (message) => logProblem('warning', 'proxy_not_trusted', message),
): (incoming: IncomingMessage) => string {
  const isTrusted = recognise(trusted)
  let isSaid = false
  return ({ socket: { remoteAddress = 'unknown' }, headers }) => {
    const connection = parseAddress(remoteAddress) ?? remoteAddress
    const forwarded = headers['x-forwarded-for']
    if (!isTrusted(connection)) {
      if (!isSaid && (forwarded !== undefined || headers.forwarded !== undefined)) {
        isSaid = true
        warn(
          `Requests come through the proxy ${connection}, so all of its clients share one rate limit. Set TRUSTED_PROXIES=${connection} to count them separately.`,
        )
      }
      return connection
    }
    const hops = String(forwarded ?? '')
      .split(',')
      .slice(-MAX_HOPS)
    let client = connection
    while (hops.length > 0 && isTrusted(client)) {
      const hop = parseAddress(hops.pop()!.trim())
      // An invalid entry could come from anyone, so the proxy that forwarded it counts as the client.
      if (hop === undefined) break
      client = hop
    }
    return client
  }
}

/** Creates a function that says whether a connection comes from a trusted proxy. @returns false for a connection without an IP address */
export function findProxies(trusted: readonly TrustedProxy[]): (peer: string | undefined) => boolean {
  const isTrusted = recognise(trusted)
  return (peer) => {
    const address = peer === undefined ? undefined : parseAddress(peer)
    return address !== undefined && isTrusted(address)
  }
}

function recognise(trusted: readonly TrustedProxy[]): (address: string) => boolean {
  const proxies = new BlockList()
  for (const { address, prefix } of trusted) proxies.addSubnet(address, prefix, familyOf(address))
  return (address) => trusted.length > 0 && proxies.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
