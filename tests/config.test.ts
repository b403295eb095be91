// Tests the settings: their defaults, the rejected values with their error messages, and that the documentation lists
// the same settings.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { SETTINGS } from '../src/settings.ts'

test('uses defaults when nothing is set', () => {
  expect(readConfig({ SOURCE_DATE_EPOCH: '1795219200' })).toMatchObject({
    port: 8888,
    listenAt: ['127.0.0.1', '::1'],
    trustedProxies: [],
    baseUrl: 'http://localhost:8888',
    contentDir: 'content',
    gitStore: { kind: 'local' },
    rateLimitPerMinute: 120,
    isNetlifyDev: false,
    buildDay: '2026-11-21',
  })
})

test.each([
  [
    'SITE_URL takes precedence over URL',
    { SITE_URL: 'https://hub.example/', URL: 'https://x.netlify.app' },
    { baseUrl: 'https://hub.example' },
  ],
  ['URL without SITE_URL', { SITE_URL: '', URL: 'https://x.netlify.app' }, { baseUrl: 'https://x.netlify.app' }],
  ['PORT in the default URL', { PORT: '9000' }, { baseUrl: 'http://localhost:9000', port: 9000 }],
  ['SITE_URL set: listens on all interfaces', { SITE_URL: 'https://hub.example' }, { listenAt: 'everywhere' }],
  [
    'SITE_URL and HOST=localhost: listens on loopback',
    { SITE_URL: 'https://a.example', HOST: 'localhost' },
    { listenAt: ['127.0.0.1', '::1'] },
  ],
  ['HOST set: listens on that address', { HOST: '0.0.0.0' }, { listenAt: ['0.0.0.0'] }],
  [
    'proxies',
    { TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1,fd00::/8' },
    {
      trustedProxies: [
        { address: '10.0.0.0', prefix: 8 },
        { address: '192.0.2.1', prefix: 32 },
        { address: 'fd00::', prefix: 8 },
      ],
    },
  ],
  [
    'a proxy on this machine',
    { TRUSTED_PROXIES: 'loopback' },
    {
      trustedProxies: [
        { address: '127.0.0.0', prefix: 8 },
        { address: '::1', prefix: 128 },
      ],
    },
  ],
  ['waits before it ends', { SITE_URL: 'https://hub.example' }, { drainMs: 5_000 }],
  ['local mode: never waits before it ends', { DRAIN_SECONDS: '60' }, { drainMs: 0 }],
  ['no rate limit', { RATE_LIMIT_PER_MINUTE: '0' }, { rateLimitPerMinute: 0 }],
  ['no quota', {}, { quota: { prompts: 0, bytes: 0 } }],
  [
    'a quota',
    { MAX_PROMPTS_PER_OWNER: '100', MAX_BYTES_PER_OWNER: '5000000' },
    { quota: { prompts: 100, bytes: 5_000_000 } },
  ],
  [
    'a GitHub token',
    { GITHUB_REPOSITORY: 'o/r', GITHUB_TOKEN: 't' },
    {
      gitStore: {
        kind: 'github',
        repository: 'o/r',
        branch: 'main',
        apiUrl: 'https://api.github.com',
        credential: { kind: 'token', token: 't' },
      },
    },
  ],
  [
    'GITHUB_REPOSITORY without a credential',
    { GITHUB_REPOSITORY: 'o/r' },
    { gitStore: { kind: 'incomplete', missing: 'GITHUB_TOKEN (or GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY)' } },
  ],
  [
    'GitHub Actions, which always sets GITHUB_REPOSITORY',
    { GITHUB_REPOSITORY: 'o/r', GITHUB_ACTIONS: 'true' },
    { gitStore: { kind: 'local' } },
  ],
  [
    'a token without GITHUB_REPOSITORY',
    { GITHUB_TOKEN: 't' },
    { gitStore: { kind: 'incomplete', missing: 'GITHUB_REPOSITORY' } },
  ],
  [
    'a GitHub App without its key',
    { GITHUB_REPOSITORY: 'o/r', GITHUB_APP_ID: '1' },
    { gitStore: { kind: 'incomplete', missing: 'GITHUB_APP_PRIVATE_KEY' } },
  ],
])('%s', (_, environment, config) => expect(readConfig(environment)).toMatchObject(config))

describe('invalid settings are named without repeating their values', () => {
  test.each([
    ['PORT', 'secret', 'PORT: expected a port number'],
    ['PORT', '70000', 'PORT: '],
    ['SITE_URL', 'hub.example-secret', 'SITE_URL: expected a URL such as https://prompts.example.org'],
    ['SITE_URL', 'https://hub.example/secret', 'SITE_URL: expected a URL without a path'],
    ['MAX_PROMPTS_PER_OWNER', 'many', 'MAX_PROMPTS_PER_OWNER: expected a whole number of at least 0'],
    ['MAX_BYTES_PER_OWNER', '1e6', 'MAX_BYTES_PER_OWNER: expected a whole number of at least 0'],
    ['RATE_LIMIT_PER_MINUTE', '-1', 'RATE_LIMIT_PER_MINUTE: expected a whole number of at least 0'],
    ['HOST', 'http://secret', 'HOST: expected an IP address or a host name of this machine'],
    [
      'TRUSTED_PROXIES',
      '10.0.0.0/33',
      'TRUSTED_PROXIES: expected IP addresses, networks such as 10.0.0.0/8, or loopback',
    ],
    ['TRUSTED_PROXIES', 'secret', 'TRUSTED_PROXIES: '],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8', 'TRUSTED_PROXIES: '],
    ['TRUSTED_PROXIES', '10.0.0.0/', 'TRUSTED_PROXIES: '],
    ['GITHUB_REPOSITORY', 'secret', 'GITHUB_REPOSITORY: expected owner/name'],
    ['GITHUB_APP_PRIVATE_KEY', 'secret', 'GITHUB_APP_PRIVATE_KEY: expected a private key in PEM format'],
  ])('%s=%s', (name, value, sentence) => {
    const read = () => readConfig({ [name]: value })
    expect(read).toThrow(expect.objectContaining({ code: 'unavailable', message: expect.stringContaining(sentence) }))
    expect(read).not.toThrow('secret')
  })

  test('reports all invalid settings at once', () => {
    expect(() => readConfig({ PORT: 'x', SITE_URL: 'y' })).toThrow(/PORT: .*SITE_URL: /)
  })
})

test('the settings page lists exactly the settings that users can change', () => {
  const page = readFileSync('src/pages/docs/settings.md', 'utf8')
  const table = page.slice(page.indexOf('| Setting |'), page.indexOf('## Local mode'))
  const rows = table.match(/^\|.*$/gm) ?? []
  const listed = [...rows.join('\n').matchAll(/`([A-Z][A-Z_]+)`/g)].map((match) => match[1])
  const madeByThePlatform = ['GITHUB_ACTIONS', 'URL', 'SITE_NAME', 'NETLIFY_LOCAL', 'LAMBDA_TASK_ROOT']
  expect([...new Set(listed)].filter((name) => name !== 'URL').sort()).toEqual(
    Object.keys(SETTINGS)
      .filter((name) => !madeByThePlatform.includes(name))
      .sort(),
  )
})

test('the commands page lists exactly the npm scripts of package.json', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const page = readFileSync('src/pages/docs/commands.md', 'utf8')
  const listed = [...page.matchAll(/^\| `npm (?:run )?([a-z:]+)/gm)].map((match) => match[1])
  expect(listed.sort()).toEqual(Object.keys(scripts).sort())
})
