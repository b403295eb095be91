// Tests how clients are identified: which headers may set the client's IP address, and which addresses share a rate
// limit.
import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../config.ts'
import { networkOf } from '../../../domain/access/ip-address.ts'
import { findClients } from './client-addresses.ts'

const open = (trusted: string) => {
  const warnings: string[] = []
  const find = findClients(readConfig({ TRUSTED_PROXIES: trusted }).trustedProxies, (message) => warnings.push(message))
  const ask = (remoteAddress: string, forwarded?: string) =>
    find({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage).ip
  return { ask, warnings }
}

describe('IP address of a client', () => {
  //  case                                       trusted                    connection            X-Forwarded-For                       client
  test.each([
    ['is that of the connection', '', '192.0.2.1', undefined, '192.0.2.1'],
    ['is the IPv4 address of a mapped IPv6 address', '', '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['ignores X-Forwarded-For by default', '', '127.0.0.1', '198.51.100.7', '127.0.0.1'],
    ['is the IPv4 address of one mapped in hex', '', '::ffff:c000:201', undefined, '192.0.2.1'],
    ['is the IPv4 address of one mapped in full', '', '0:0:0:0:0:FFFF:C000:0201', undefined, '192.0.2.1'],
    ['is the IPv4 address behind NAT64', '', '64:ff9b::c000:201', undefined, '192.0.2.1'],
    ['has no zone', '', 'FE80::1%eth0', undefined, 'fe80::1'],
    ['may be mapped in X-Forwarded-For', 'loopback', '::ffff:7f00:1', '[::FFFF:c633:6407]:443', '198.51.100.7'],
    ['trusts a proxy given as a mapped address', '::ffff:10.0.0.0/104', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['trusts a proxy given in hex', '::FFFF:a01:203', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['trusts a proxy given with NAT64', '64:ff9b::10.1.2.3', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['trusts a proxy given with a zone', 'fe80::1%eth0', 'fe80::1', '198.51.100.7', '198.51.100.7'],
    ['trusts a proxy given in upper case', '2001:DB8::1', '2001:db8:0::1', '198.51.100.7', '198.51.100.7'],
    ['ignores an address with leading zeros', 'loopback', '127.0.0.1', '198.051.100.7', '127.0.0.1'],
    ['uses X-Forwarded-For from a trusted proxy', 'loopback', '127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['trusts both loopback addresses', 'loopback', '::1', '2001:db8::7', '2001:db8::7'],
    ['trusts a proxy in a trusted network', '10.0.0.0/8', '::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['ignores a proxy outside that network', '10.0.0.0/8', '11.1.2.3', '198.51.100.7', '11.1.2.3'],
    [
      'ignores entries that the client sent itself',
      'loopback',
      '127.0.0.1',
      '203.0.113.9, 198.51.100.7',
      '198.51.100.7',
    ],
    [
      'looks through two trusted proxies',
      'loopback,10.0.0.0/8',
      '127.0.0.1',
      '203.0.113.9, 198.51.100.7, 10.0.0.9',
      '198.51.100.7',
    ],
    ['is that of the proxy without X-Forwarded-For', 'loopback', '127.0.0.1', undefined, '127.0.0.1'],
    ['stops at an invalid entry', 'loopback', '127.0.0.1', '198.51.100.7, unknown', '127.0.0.1'],
    ['may have a port', 'loopback', '127.0.0.1', '198.51.100.7:443', '198.51.100.7'],
    ['may have brackets and a port', 'loopback', '127.0.0.1', '[2001:db8::7]:443', '2001:db8::7'],
    ['is that of the connection if all entries are proxies', 'loopback', '127.0.0.1', '127.0.0.2', '127.0.0.2'],
  ])('%s', (_, trusted, connection, forwarded, client) => expect(open(trusted).ask(connection, forwarded)).toBe(client))

  test('warns once that all clients behind an untrusted proxy share one limit', () => {
    const { ask, warnings } = open('')
    ask('10.0.0.9')
    ask('10.0.0.9', '198.51.100.7')
    ask('10.0.0.9', '198.51.100.8')
    expect(warnings).toEqual([
      'Requests come through the proxy 10.0.0.9, so all of its clients share one rate limit. Set TRUSTED_PROXIES=10.0.0.9 to count them separately.',
    ])
  })
})

//  address                      key
test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['64:ff9b::192.0.2.1', '192.0.2.1'],
  ['64:FF9B:0:0:0:0:C000:201', '192.0.2.1'],
  ['64:ff9b:1::c000:201', '64:ff9b:1:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('rate limit key of %s is %s', (address, key) => expect(networkOf(address)).toBe(key))
