// Reads IP addresses as connections, forwarding headers and settings write them, and finds the network that counts as one client.

/** Four numbers below 256, without leading zeros. */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** The first 96 bits of IPv6 addresses that contain an IPv4 address: IPv4-mapped addresses (RFC 4291 section 2.5.5.2), which a server sees if one socket accepts both families, and NAT64 (RFC 6052 section 2.1). */
const BEFORE_IPV4: readonly string[] = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']

/**
 * Parses an IP address, optionally with brackets, a port and a zone.
 *
 * @returns the same text for every spelling of the address, and the IPv4 address for an IPv6 address that contains one; undefined if it is not an IP address
 */
export function parseAddress(text: string): string | undefined {
  const bare = text.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
  if (!bare.includes(':')) return IPV4.test(bare) ? bare : undefined
  const withoutZone = bare.replace(/%.*$/, '')
  const isSafe = /^[0-9a-f:.]+$/i.test(withoutZone)
  const address = isSafe ? URL.parse(`http://[${withoutZone}]`)?.hostname.slice(1, -1) : undefined
  if (address === undefined) return undefined
  const groups = expand(address)
  if (!BEFORE_IPV4.includes(groups.slice(0, 6).join(':'))) return address
  const bytes = groups.slice(6).flatMap((group) => {
    const number = Number.parseInt(group, 16)
    return [number >> 8, number & 0xff]
  })
  return bytes.join('.')
}

/** Returns the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, because one subscriber usually has all addresses of at least a /64 (RFC 6177). */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const parsed = parseAddress(address) ?? address
  return parsed.includes(':') ? `${expand(parsed).slice(0, 4).join(':')}::/64` : parsed
}

/** Returns the eight groups of an IPv6 address. @param address as in a URL, in lower case and without leading zeros */
function expand(address: string): string[] {
  const [head, tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const [first, last] = [head ?? [], tail ?? []]
  return [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
}
