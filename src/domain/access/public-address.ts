// Decides whether an address is one of the internet, which anybody may have a server send requests to.
import { parseAddress } from './ip-address.ts'
import { isPrivateHost } from './private-host.ts'

/** Networks that no server on the internet has, as bits: the IANA IPv4 special-purpose registry, multicast and reserved addresses. */
const SPECIAL_IPV4: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** What is global unicast (2000::/3), but for Teredo and other special addresses (2001::/23), documentation (2001:db8::/32, 3fff::/20) and 6to4 (2002::/16), which contains an IPv4 address. */
const PUBLIC_IPV6 = /^[23][0-9a-f]{3}:/
const SPECIAL_IPV6 = /^(?:2001:(?:(?:1?[0-9a-f]{1,2}|0)?:|db8:)|2002:|3fff:(?:0?[0-9a-f]{0,3}:))/

const numberOf = (address: string) => address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)

/** Returns whether an IP address, in any spelling, is one of the internet. An IPv4 address within IPv6 is judged as IPv4. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  if (address === undefined) return false
  if (address.includes(':')) return PUBLIC_IPV6.test(address) && !SPECIAL_IPV6.test(address)
  const number = numberOf(address)
  return !SPECIAL_IPV4.some(([network, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(number / size) === Math.floor(numberOf(network) / size)
  })
}

/** Returns whether a host may be on the internet: a public address, or a name that public DNS can have. @param host as in a URL */
export function isPublicHost(host: string): boolean {
  return parseAddress(host) === undefined ? !isPrivateHost(host) : isPublicAddress(host)
}
