// Tests which hosts are in a private network: a hub with such a URL serves only its own pages.
import { expect, test } from 'vitest'
import { isPrivateHost } from './private-host.ts'

test.each([
  ...['localhost', 'LOCALHOST', 'hub.localhost', 'localhost.', '127.0.0.1', '127.8.9.10', '[::1]', '::1', '0.0.0.0'],
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.20', '169.254.1.1', '100.64.0.1', '100.127.255.255'],
  ...['[fd00::1]', '[fc12:3456::1]', '[fe80::1]', '[::ffff:10.0.0.1]', '[::ffff:c0a8:101]', '[::]'],
  ...['prompts', 'prompts.local', 'prompts.internal', 'prompts.lan', 'prompts.home.arpa', 'a.b.corp', 'hub.test'],
])('%s is private', (host) => expect(isPrivateHost(host)).toBe(true))

test.each([
  ...['prompts.example.org', 'hub.example', 'localhost.example', 'local.example.org', 'internal.com', 'home.arpa.org'],
  ...['notlocal.xyz', 'a.notlan', 'x.netlify.app', '8.8.8.8', '172.15.0.1', '172.32.0.1', '192.169.0.1', '11.0.0.1'],
  ...['100.63.0.1', '100.128.0.1', '[2001:db8::1]', '[2606:4700::1111]', '[::ffff:8.8.8.8]', '10.example.org'],
])('%s is public', (host) => expect(isPrivateHost(host)).toBe(false))
