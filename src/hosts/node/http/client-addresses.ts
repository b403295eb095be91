// Finds the client IP address of a request, which is that of the connection or the one reported by a trusted proxy.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { networkOf, parseAddress } from '../../../domain/access/ip-address.ts'
import { logProblem } from '../../../log.ts'
import type { TrustedProxy } from '../../../settings.ts'

/** Maximum number of forwarding addresses examined per request. */
const MAX_HOPS = 32

/** Who sends a request. */
export interface Client {
  ip: string
  /** The network that counts as one client. */
  network: string
  /** Whether a trusted proxy sends it on: the next request of its connection may be another client's. */
  isProxied: boolean
}

/**
 * Creates a function that finds the client of a request.
 *
 * @param trusted proxies whose `X-Forwarded-For` is used; read from the end, the first address that is not one of them is the client's
 * @param warn called once, for the first untrusted proxy, because all clients behind it count as one client
 */
export function findClients(
  trusted: readonly TrustedProxy[],
  warn: (message: string) => void = (message) => logProblem('warning', 'proxy_not_trusted', message),
): (incoming: IncomingMessage) => Client {
  const isTrusted = recognise(trusted)
  let isSaid = false
  return ({ socket: { remoteAddress = 'unknown' }, headers }) => {
    const connection = parseAddress(remoteAddress) ?? remoteAddress
    const forwarded = headers['x-forwarded-for']
    const isProxied = isTrusted(connection)
    if (!isProxied) {
      if (!isSaid && (forwarded !== undefined || headers.forwarded !== undefined)) {
        isSaid = true
        warn(
          `Requests come through the proxy ${connection}, so all of its clients share one rate limit. Set TRUSTED_PROXIES=${connection} to count them separately.`,
        )
      }
      return { ip: connection, network: networkOf(connection), isProxied }
    }
    const hops = String(forwarded ?? '')
      .split(',')
      .slice(-MAX_HOPS)
    let ip = connection
    while (hops.length > 0 && isTrusted(ip)) {
      const hop = parseAddress(hops.pop()!.trim())
      // An invalid entry could come from anyone, so the proxy that forwarded it counts as the client.
      if (hop === undefined) break
      ip = hop
    }
    return { ip, network: networkOf(ip), isProxied }
  }
}

function recognise(trusted: readonly TrustedProxy[]): (address: string) => boolean {
  const proxies = new BlockList()
  for (const { address, prefix } of trusted) proxies.addSubnet(address, prefix, familyOf(address))
  return (address) => isIP(address) !== 0 && proxies.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
