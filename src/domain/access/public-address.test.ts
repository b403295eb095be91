// Tests which addresses are of the internet: a hub sends requests only there.
import { expect, test } from 'vitest'
import { isPublicAddress, isPublicHost } from './public-address.ts'

test.each([
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.31.0.1', '192.0.0.1', '192.0.2.1'],
  ...['192.168.0.1', '198.19.0.1', '198.51.100.1', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '64:ff9b::7f00:1', '64:ff9b:1::1'],
  ...['fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'ff02::1', '::127.0.0.1', '100::1'],
  ...['2001::1', '2001:0:7f00:1::', '2001:1ff::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '3fff:fff::1'],
  ...['', 'x', '1.2.3', '1.2.3.4.5', '[::1]'],
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

test.each([
  ...['1.1.1.1', '9.255.255.255', '11.0.0.1', '100.128.0.1', '169.253.1.1', '172.32.0.1', '198.17.0.1', '198.20.0.1'],
  ...[
    '223.255.255.255',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2606:4700::1111',
    '2001:4860:4860::8888',
    '2001:200::1',
  ],
  ...['2003::1', '3ffe::1', '3fff:1000::1', '[2606:4700::1111]'],
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

test.each([
  ['localhost', false],
  ['vault.internal', false],
  ['ci.example.com', true],
  ['[::1]', false],
])('the host %s: %s', (host, is) => expect(isPublicHost(host)).toBe(is))
