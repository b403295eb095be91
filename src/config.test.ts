// Tests the settings: their defaults, the rejected values with their error messages, and that the documentation lists
// the same settings.
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../tests/temporary-folder.ts'
import { readConfig } from './config.ts'
import { readSettings, SETTINGS } from './settings.ts'

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

const LOOPBACK = ['127.0.0.1', '::1']
const HUB = { SITE_URL: 'https://hub.example' }
const NETLIFY = { URL: 'https://x.netlify.app' }
const PROVIDER = { SIGN_IN_ISSUER: 'https://tenant.example/', SIGN_IN_CLIENT_ID: 'c', SESSION_SECRET: 'x'.repeat(32) }
const lacks = (missing: string) => ({ gitStore: { kind: 'incomplete', missing } })
const proxies = (...all: [address: string, prefix: number][]) => ({
  trustedProxies: all.map(([address, prefix]) => ({ address, prefix })),
})
const readers = (proxyHeader: string | undefined, ...all: [kind: string, value: string][]) => ({
  readAccess: { kind: 'members', readers: all.map(([kind, value]) => ({ kind, value })), proxyHeader },
})

test.each([
  ['SITE_URL, which takes precedence', { SITE_URL: 'https://hub.example/', ...NETLIFY }, { baseUrl: HUB.SITE_URL }],
  ['URL without SITE_URL', { SITE_URL: '', ...NETLIFY }, { baseUrl: NETLIFY.URL }],
  ['PORT in the default URL', { PORT: '9000' }, { baseUrl: 'http://localhost:9000', port: 9000 }],
  ['SITE_URL set: listens on all interfaces', HUB, { listenAt: 'everywhere' }],
  ['SITE_URL and HOST=localhost: listens on loopback', { ...HUB, HOST: 'localhost' }, { listenAt: LOOPBACK }],
  ['HOST set: listens on that address', { HOST: '0.0.0.0' }, { listenAt: ['0.0.0.0'] }],
  [
    'proxies',
    { TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1,fd00::/8' },
    proxies(['10.0.0.0', 8], ['192.0.2.1', 32], ['fd00::', 8]),
  ],
  ['a proxy on this machine', { TRUSTED_PROXIES: 'loopback' }, proxies(['127.0.0.0', 8], ['::1', 128])],
  ['everybody reads', {}, { readAccess: { kind: 'public' } }],
  [
    'only readers read, so no other site does',
    { ...HUB, READ_ACCESS: 'members', READERS: 'github-org:Acme, email:*@acme.example', READERS_GITHUB_TOKEN: 't' },
    { isPrivate: true, ...readers(undefined, ['github-org', 'acme'], ['email-domain', 'acme.example']) },
  ],
  [
    'a proxy that vouches for readers',
    { READ_ACCESS: 'members', AUTH_PROXY_HEADER: 'X-Forwarded-User', TRUSTED_PROXIES: '10.0.0.1' },
    readers('x-forwarded-user'),
  ],
  ['waits before it ends', HUB, { drainMs: 5_000 }],
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
    'an OpenID Connect provider',
    { ...PROVIDER, SIGN_IN_CLIENT_SECRET: 's' },
    {
      isLocal: false,
      signIn: {
        kind: 'providers',
        github: undefined,
        secret: 'x'.repeat(32),
        oidc: { issuer: 'https://tenant.example/', clientId: 'c', clientSecret: 's' },
      },
    },
  ],
  [
    'an OpenID Connect provider without its secret',
    PROVIDER,
    { signIn: { kind: 'incomplete', missing: ['SIGN_IN_CLIENT_SECRET: expected, because sign-in is enabled'] } },
  ],
  [
    'GITHUB_REPOSITORY without a credential',
    { GITHUB_REPOSITORY: 'o/r' },
    lacks('GITHUB_TOKEN (or GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY)'),
  ],
  ['GitHub Actions', { GITHUB_REPOSITORY: 'o/r', GITHUB_ACTIONS: 'true' }, { gitStore: { kind: 'local' } }],
  ['a token without GITHUB_REPOSITORY', { GITHUB_TOKEN: 't' }, lacks('GITHUB_REPOSITORY')],
  ['an App without its key', { GITHUB_REPOSITORY: 'o/r', GITHUB_APP_ID: '1' }, lacks('GITHUB_APP_PRIVATE_KEY')],
])('%s', (_, environment, config) => expect(readConfig(environment)).toMatchObject(config))

describe('invalid settings are named without repeating their values', () => {
  test.each([
    ['PORT', 'secret', 'PORT: expected a port number'],
    ['PORT', '70000', 'PORT: '],
    ['SIGN_IN_ISSUER', 'http://secret.example', 'SIGN_IN_ISSUER: expected the https URL of an issuer'],
    ['SIGN_IN_ISSUER', 'https://x.example/.well-known/secret', 'SIGN_IN_ISSUER: '],
    ['SIGN_IN_ISSUER', 'https://user:secret@x.example', 'SIGN_IN_ISSUER: '],
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
    ['TRUSTED_PROXIES', '64:ff9b::/96', 'TRUSTED_PROXIES: '],
    ['TRUSTED_PROXIES', '::ffff:0:0/90', 'TRUSTED_PROXIES: '],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8', 'TRUSTED_PROXIES: '],
    ['TRUSTED_PROXIES', '10.0.0.0/', 'TRUSTED_PROXIES: '],
    ['READ_ACCESS', 'private', 'READ_ACCESS: expected public or members'],
    ['READERS', 'secret', 'READERS: expected at most 1000 entries such as github-org:acme'],
    ['READERS', 'github:octocat', 'READ_ACCESS: expected members, because READERS is set'],
    ['AUTH_PROXY_HEADER', 'X-User', 'READ_ACCESS: expected members, because AUTH_PROXY_HEADER is set'],
    ['AUTH_PROXY_HEADER', 'Cookie', 'AUTH_PROXY_HEADER: expected the name of a header of its own'],
    ['AUTH_PROXY_HEADER', 'X-Forwarded-For', 'AUTH_PROXY_HEADER: expected'],
    ['AUTH_PROXY_HEADER', 'x_user', 'AUTH_PROXY_HEADER: expected'],
    ['SOURCE_DATE_EPOCH', '9007199254740991', 'SOURCE_DATE_EPOCH: expected seconds since 1970'],
    ['GITHUB_REPOSITORY', 'secret', 'GITHUB_REPOSITORY: expected owner/name'],
    ['GITHUB_APP_PRIVATE_KEY', 'secret', 'GITHUB_APP_PRIVATE_KEY: expected a private key in PEM format'],
  ])('%s=%s', (name, value, sentence) => {
    const read = () => readConfig({ [name]: value })
    expect(read).toThrow(expect.objectContaining({ code: 'unavailable', message: expect.stringContaining(sentence) }))
    expect(read).not.toThrow('secret')
  })

  test.each([
    ['without proxies', '', 'expected the address of the proxy'],
    ['with every address as a proxy', '0.0.0.0/0', 'expected the address of the proxy'],
  ])('a header that vouches, %s', (_, TRUSTED_PROXIES, sentence) => {
    const environment = { READ_ACCESS: 'members', AUTH_PROXY_HEADER: 'X-User', TRUSTED_PROXIES }
    expect(() => readConfig(environment)).toThrow(sentence)
  })

  test('reports all invalid settings at once', () => {
    expect(() => readConfig({ PORT: 'x', SITE_URL: 'y' })).toThrow(/PORT: .*SITE_URL: /)
  })
})

const SECRETS = [
  ...['DATABASE_PASSWORD', 'DATABASE_URL', 'GITHUB_APP_PRIVATE_KEY', 'GITHUB_CLIENT_SECRET', 'GITHUB_TOKEN'],
  ...['METRICS_TOKEN', 'READERS_GITHUB_TOKEN', 'SESSION_SECRET', 'SIGN_IN_CLIENT_SECRET', 'WEBHOOK_SECRET'],
]

describe('secrets in files', () => {
  const dir = temporaryFolder('hub-secrets-')
  let count = 0
  const write = (text: string | Uint8Array) => {
    const path = join(dir, String(++count))
    writeFileSync(path, text)
    return path
  }
  const tokenFrom = (path: string) => readConfig({ GITHUB_REPOSITORY: 'o/r', GITHUB_TOKEN_FILE: path }).gitStore

  test('exactly these settings can be given as a file, and the settings page names each one', () => {
    const accepting = Object.keys(SETTINGS).filter((name) => {
      const { problems = [] } = readSettings({ [`${name}_FILE`]: '/nowhere' })
      return problems.some(({ key }) => key === `${name}_FILE`)
    })
    expect(accepting.sort()).toEqual(SECRETS)
    const page = readFileSync('src/pages/docs/settings.md', 'utf8')
    const section = page.slice(page.indexOf('## Secrets in files'), page.indexOf('## Local mode'))
    const named = [...section.slice(0, section.indexOf('```')).matchAll(/`([A-Z_]{6,})`/g)].map((match) => match[1]!)
    expect([...new Set(named)].filter((name) => !name.endsWith('_FILE')).sort()).toEqual(SECRETS)
  })

  test.each([
    ['a newline at the end', 'ghp_a\n', 'ghp_a'],
    ['the newline of a Windows editor', 'ghp_a\r\n', 'ghp_a'],
    ['no newline', 'ghp_a', 'ghp_a'],
    ['only the last newline is removed', ' a\nb \n\n', ' a\nb \n'],
  ])('%s', (_, text, token) => {
    expect(tokenFrom(write(text))).toMatchObject({ credential: { kind: 'token', token } })
  })

  test('a file is read once, so it can be removed after the start', () => {
    const path = write('ghp_first\n')
    tokenFrom(path)
    writeFileSync(path, 'ghp_second\n')
    expect(tokenFrom(path)).toMatchObject({ credential: { token: 'ghp_first' } })
    rmSync(path)
    expect(tokenFrom(path)).toMatchObject({ credential: { token: 'ghp_first' } })
  })

  test('an empty variable counts as not set', () => {
    expect(readConfig({ GITHUB_TOKEN_FILE: '', GITHUB_TOKEN: '' }).gitStore).toEqual({ kind: 'local' })
    expect(
      readConfig({ GITHUB_REPOSITORY: 'o/r', GITHUB_TOKEN: '', GITHUB_TOKEN_FILE: write('t') }).gitStore,
    ).toMatchObject({ credential: { token: 't' } })
  })

  test.each<[string, () => Record<string, string>, string]>([
    [
      'both',
      () => ({ GITHUB_TOKEN: 'ghp_a', GITHUB_TOKEN_FILE: write('ghp_a') }),
      'GITHUB_TOKEN_FILE: expected only one of GITHUB_TOKEN and GITHUB_TOKEN_FILE',
    ],
    [
      'a missing file',
      () => ({ SESSION_SECRET_FILE: join(dir, 'ghp_missing') }),
      "SESSION_SECRET_FILE: expected the path of a file that the hub's user can read (ENOENT)",
    ],
    ['a folder', () => ({ SESSION_SECRET_FILE: dir }), 'SESSION_SECRET_FILE: expected a file of at most 64 KiB'],
    ['an empty file', () => ({ GITHUB_TOKEN_FILE: write('\n') }), 'GITHUB_TOKEN_FILE: expected a file that contains'],
    [
      'a large file',
      () => ({ GITHUB_TOKEN_FILE: write('g'.repeat(65_537)) }),
      'GITHUB_TOKEN_FILE: expected a file of at most 64 KiB',
    ],
    [
      'an invalid value',
      () => ({ SESSION_SECRET_FILE: write('ghp_short\n') }),
      'SESSION_SECRET: expected at least 32 characters',
    ],
    ['a file for a setting that is no secret', () => ({ PORT: 'x', PORT_FILE: write('1') }), 'PORT: expected a port'],
  ])('%s is refused', (_, environment, sentence) => {
    const read = () => readConfig(environment())
    expect(read).toThrow(expect.objectContaining({ code: 'unavailable', message: expect.stringContaining(sentence) }))
    expect(read).not.toThrow('ghp_')
  })
})

describe('the key of the GitHub App', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const read = (key: string) =>
    readConfig({ GITHUB_REPOSITORY: 'o/r', GITHUB_APP_ID: '1', GITHUB_APP_PRIVATE_KEY: key }).gitStore
  test.each([
    ['as its file', pem],
    ['without the last newline', pem.trim()],
    ['with the line breaks of Windows', pem.replaceAll('\n', '\r\n')],
    ['on one line with \\n', pem.replaceAll('\n', '\\n')],
    ['on one line with \\n, in quotes', `"${pem.replaceAll('\n', '\\n')}"`],
    ['on one line with spaces, as a shell without quotes makes it', pem.replaceAll('\n', ' ')],
    ['in base64 on one line', Buffer.from(pem).toString('base64')],
    ['in base64 with line breaks', Buffer.from(pem).toString('base64').replaceAll(/.{76}/g, '$&\n')],
  ])('%s', (_, key) => {
    expect(read(key)).toMatchObject({ credential: { kind: 'app', appId: '1', privateKey: pem } })
  })
  test.each([
    ['half of it', pem.slice(0, 800)],
    ['a changed letter', pem.replace('RSA PRIVATE', 'PRIVATE')],
    ['the public key', 'LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0='],
  ])('%s is refused', (_, key) => {
    expect(() => read(key)).toThrow(/GITHUB_APP_PRIVATE_KEY: expected a private key in PEM format: .* in base64/)
  })
})

describe('the database', () => {
  const urlOf = (environment: Record<string, string>) => readConfig(environment).databaseUrl
  const BASE = { DATABASE_URL: 'postgresql://hub@database/hub' }

  test.each(['a/b+c=', 'a@b:c', '%41 ?#[]', 'dG9/a+b=', "ü'\\"])('accepts the password %s', (password) => {
    const url = urlOf({ ...BASE, DATABASE_PASSWORD: password })
    expect(new Client({ connectionString: url ?? '' })).toMatchObject({
      user: 'hub',
      password,
      host: 'database',
      database: 'hub',
    })
  })

  test.each([
    'postgresql://hub:secret@database/hub',
    'postgres://hub@database:5433/hub?sslmode=require',
    'postgresql://hub:a%2Fb@[::1]/hub',
    'postgresql://hub:secret@/hub?host=/run/postgresql',
    'postgresql:///hub?host=/run/postgresql',
  ])('accepts %s', (url) => expect(urlOf({ DATABASE_URL: url })).toBe(url))

  test.each([
    ['a slash in the password', { DATABASE_URL: 'postgresql://hub:sec/ret@database/hub' }],
    ['digits before the slash', { DATABASE_URL: 'postgresql://hub:12/ret@database/hub' }],
    ['a question mark', { DATABASE_URL: 'postgresql://hub:12?ret@database/hub' }],
    ['a number sign', { DATABASE_URL: 'postgresql://hub:12#ret@database/hub' }],
    ['a percent sign', { DATABASE_URL: 'postgresql://hub:50%ret@database/hub' }],
    ['another database', { DATABASE_URL: 'mysql://hub:secret@database/hub' }],
  ])('refuses %s and names the other setting', (_, environment) => {
    const read = () => urlOf(environment)
    expect(read).toThrow(/DATABASE_URL: expected a URL such as .*special characters.* set DATABASE_PASSWORD/)
    expect(read).not.toThrow(/Invalid URL|ret@/)
  })

  test.each([
    ['two passwords', { DATABASE_URL: 'postgresql://hub:x@database/hub', DATABASE_PASSWORD: 'y' }],
    ['no user', { DATABASE_URL: 'postgresql://database/hub', DATABASE_PASSWORD: 'y' }],
    ['no URL', { DATABASE_PASSWORD: 'y' }],
  ])('refuses %s', (_, environment) => {
    expect(() => urlOf(environment)).toThrow(/DATABASE_URL: expected a URL with a user and without a password/)
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

test('the lists of commands have exactly the npm scripts of package.json', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const page = ['src/pages/docs/settings.md', '.github/CONTRIBUTING.md']
    .map((path) => readFileSync(path, 'utf8'))
    .join('')
  const listed = [...page.matchAll(/^\| `npm (?:run )?([a-z:-]+)/gm)].map((match) => match[1])
  expect(listed.sort()).toEqual(Object.keys(scripts).sort())
})
