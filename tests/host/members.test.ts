// Tests that a private hub answers its readers alone: every address that the hub has, for everybody who asks.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryOAuthClientProvider } from '@modelcontextprotocol/sdk/examples/client/simpleOAuthClientProvider.js'
import fc from 'fast-check'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { openAccessTokens } from '../../src/account/providers/access-tokens.ts'
import { ADDRESSES } from '../../src/catalogue/published/addresses.ts'
import { setLog } from '../../src/log.ts'
import { testDoctorOfMembers } from '../doctor/private-hub.ts'
import { type Asked, openMembersHub, SECRET_WORDS, type Sender, SITE_URL } from '../hubs/members-hub.ts'
import { listen } from '../listen.ts'
import { CLIENT, startOpenIdProvider } from '../oidc/provider.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { testMembersCaches } from './members-caches.ts'

const AUDIT = join(temporaryFolder('hub-audit-'), 'audit.log')
setLog({ level: 'error', format: 'json', address: 'plain', addressKey: 'a key', auditFile: AUDIT })
const CALLBACK = 'https://client.example/callback'
const provider = await startOpenIdProvider([CALLBACK])
const hub = await openMembersHub({
  AUDIT_READS: 'true',
  READERS: 'github:octocat, github:blocked-bob, email:ada@acme.example',
  SIGN_IN_ISSUER: provider.issuer,
  SIGN_IN_CLIENT_ID: CLIENT.clientId,
  SIGN_IN_CLIENT_SECRET: CLIENT.clientSecret,
})
afterAll(async () => {
  await hub?.stop()
  await provider.close()
})

/** The addresses that everybody may request. Every other address of the table is closed. */
const OPEN = new Set([
  ...[
    '/healthz',
    '/readyz',
    '/security.txt',
    '/.well-known/security.txt',
    '/auth/sign-in',
    '/auth/callback',
    '/auth/callback/oidc',
    '/auth/local',
    '/auth/invitation',
    '/auth/sign-out',
  ],
  // Metrics are served without authentication, if they are on.
  ...[
    'GET /settings',
    'HEAD /settings',
    'GET /metrics',
    'HEAD /metrics',
    '/auth/sign-out-everywhere',
    '/favicon.ico',
    ...['/favicon.svg', '/apple-touch-icon.png', '/icon-512.png', '/manifest.webmanifest'],
    '/cli/hubcli',
  ],
])

const VALUES: Readonly<Record<string, string>> = {
  owner: 'zephyrine',
  handle: 'zephyrine',
  name: 'quokka-brief',
  version: '1.0.0',
  sort: 'top',
  page: '1',
  tag: 'wombatry',
  pair: '1.0.0...1.1.0',
  label: 'umbrellabird',
  format: 'promptfoo',
  skill: 'quokka-brief',
  suite: 'marsupial-check',
  attestation: '1.sigstore.json',
  member: 'octocat',
  repository_id: '1001',
  guide: 'publishing',
  part: '1',
  release: '1.0.0',
  file: 'hubcli',
}
const filled = (path: string, values: Readonly<Record<string, string>>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name).replace('*', 'anything')

/** Folders whose files everybody may request: what is no file there is closed. */
const FOLDERS = new Set(['/assets/*', '/cli/*', '/cli/releases/{release}/{file}', '/clients/*'])

/** Every address with every method, once for what exists and once for what does not. */
const CELLS = ADDRESSES.flatMap(({ path, methods, by }) =>
  methods.flatMap((method) =>
    (path.includes('{') ? [VALUES, {}] : [VALUES]).map((values) => ({
      method,
      // The first of each part of the hub that answers.
      isFirst:
        values === VALUES &&
        method === methods.find((one) => one === 'GET' || one === 'POST') &&
        path === ADDRESSES.find((one) => one.by === by)?.path,
      path: filled(path, values),
      isOpen: OPEN.has(path) || OPEN.has(`${method} ${path}`),
      isInFolder: FOLDERS.has(path),
    })),
  ),
)
const CLOSED = CELLS.filter(({ isOpen, isInFolder }) => !isOpen && !isInFolder)

/** Everything that a client sees, except what differs in each response. */
function seen({ status, headers, bytes }: Asked) {
  const { date: _, 'x-request-id': __, ...rest } = headers
  return { status, headers: rest, body: bytes.toString('latin1') }
}

const JSON_REFUSAL =
  '{"error":{"code":"unauthorized","message":"Only readers may read this hub. Sign in at https://hub.example/settings, or create a token there with the permission read, and send it as \\"Authorization: Bearer hub_…\\"."}}'

/** Returns whether the guard has refused a request. Pages refuse too, but with other words, and as HTML. */
function isRefused({ status, headers, bytes }: Asked): boolean {
  if (status !== 401 && status !== 403) return false
  if (bytes.length === 0) return String(headers['content-type']).startsWith('application/json')
  return /Only readers may read this hub|may not read this hub|is blocked on this hub/.test(bytes.toString())
}

/** How far the turn moves: not by a whole number, so that nobody always comes with the same method. */
const STEP = 1.618

/**
 * Asks at every address. Senders take turns, one of each kind at an address, so that each of them asks at many.
 *
 * @param turn who begins; with 0, everybody asks at one address of each part of the hub. Later turns only read: nothing
 *   else is answered from a cache or a copy
 */
async function checkTable(turn: number): Promise<void> {
  const wrong: unknown[] = []
  await hub.renewJob()
  const cells = turn === 0 ? CELLS : CELLS.filter(({ method }) => method === 'GET')
  for (const [at, { method, path, isInFolder, isFirst, ...cell }] of cells.entries()) {
    const some = (senders: Readonly<Record<string, Sender>>) => {
      const all = Object.entries(senders)
      return isFirst && turn === 0 ? all : [all[Math.floor((at + turn) * STEP) % all.length]!]
    }
    const isFile = async () => (await hub.ask(method, path, hub.readers['a token with read'])).status < 400
    const isOpen = isInFolder ? await isFile() : cell.isOpen
    for (const [who, sender] of [...some(hub.strangers), ...some(hub.refused)]) {
      const answer = await hub.ask(method, path, sender)
      // Strangers find the way to the sign-in there, but not those who are signed in already.
      const isOpenTo = isOpen && (path !== '/settings' || who in hub.strangers)
      if (isRefused(answer) === isOpenTo)
        wrong.push([who, method, path, answer.status, answer.bytes.toString().slice(0, 200)])
      const said = JSON.stringify(seen(answer)).toLowerCase()
      if (SECRET_WORDS.some((word) => said.includes(word))) wrong.push([who, method, path, said.slice(0, 300)])
    }
    for (const [who, sender] of some(hub.readers)) {
      const answer = await hub.ask(method, path, sender)
      // Without a body, only GET says who refused: a list for members alone is refused by its owner's rules.
      const isUnclear = method === 'HEAD' && [401, 403].includes(answer.status)
      if (isRefused(isUnclear ? await hub.ask('GET', path, sender) : answer) || !isForReaderAlone(answer))
        wrong.push([who, method, path, JSON.stringify(seen(answer)).slice(0, 600)])
    }
  }
  expect(wrong.slice(0, 10)).toEqual([])
}

/** Returns whether no shared cache, and no other site, may keep or read a response. */
function isForReaderAlone({ headers }: Asked): boolean {
  const cacheControl = String(headers['cache-control'])
  return (
    String(headers.vary).includes('Authorization, Cookie') &&
    /^(?:no-store|private, (?!.*(?:stale-|s-maxage)).*)$/.test(cacheControl) &&
    (headers['access-control-allow-origin'] ?? 'https://hub.example') === 'https://hub.example' &&
    Object.keys(headers).every((name) => !/cdn|netlify|surrogate|cache-tag/.test(name))
  )
}

test('pages, the API and refusals have the headers of a hub with https', async () => {
  const reader = hub.readers['a reader who is signed in']
  for (const [path, sender] of [
    ['/', reader],
    ['/zephyrine/quokka-brief', reader],
    ['/settings', undefined],
    ['/api/v1/tags', reader],
    ['/api/v1/tags', undefined],
  ] as const) {
    const { headers } = await hub.ask('GET', path, sender)
    expect(headers['strict-transport-security'], path).toBe('max-age=31536000')
    if (path.startsWith('/api/')) continue
    expect(headers['permissions-policy'], path).toMatch(/^camera=\(\), geolocation=\(\),/)
    expect(headers['cross-origin-opener-policy'], path).toBe('same-origin')
  }
})

test('everybody reads where to report a weakness', async () => {
  for (const path of ['/.well-known/security.txt', '/security.txt']) {
    const { status, bytes } = await hub.ask('GET', path)
    expect([status, bytes.toString()]).toEqual([
      200,
      expect.stringMatching(
        /^Contact: mailto:security@hub\.example\nExpires: \d{4}-\S+Z\nCanonical: https:\/\/hub\.example\//,
      ),
    ])
  }
})

test('a read is audited with its reader, and a refusal is not', async () => {
  const path = '/api/v1/repos/zephyrine/quokka-brief/raw'
  await hub.ask('GET', `${path}?version=1.0.0`, hub.readers['a token with read'])
  await hub.ask('GET', path, hub.strangers['a stranger'])
  const audited = () =>
    readFileSync(AUDIT, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((line) => line.event === 'read' && line.path === path)
  await expect
    .poll(audited)
    .toEqual([
      expect.objectContaining({ version: '1.0.0', status: 200, token_id: expect.any(String), address: '127.0.0.1' }),
    ])
})

describe('every address, for everybody', () => {
  test('when only a reader has requested it', () => checkTable(0))

  test('when readers have requested everything, and a fresh copy is newer than the build', async () => {
    const [, token] = Object.entries(hub.readers).find(([who]) => who.includes('another permission'))!
    const headers = { ...token.headers, 'Content-Type': 'application/json' }
    const published = await hub.ask(
      'POST',
      '/api/v1/repos/zephyrine/quokka-brief/versions',
      { headers },
      '{"content":"Brief the quokkas again.\\n"}',
    )
    expect(published.status).toBe(201)
    // Copies and caches depend on the address, whoever asks.
    await checkTable(1)
    const raw = await hub.ask('GET', '/api/v1/repos/zephyrine/quokka-brief/raw', token)
    expect(raw.bytes.toString()).toBe('Brief the quokkas again.\n')
  })
})

/** Agents get an error of MCP; git and feed readers are asked for a password. */
const asksInItsWay = (path: string) => path === '/mcp' || /\/skills\.git\/|\/feed\.xml$/.test(path)

describe('what a stranger is told', () => {
  test('is the same for what exists and what does not, byte for byte', async () => {
    for (const accept of [undefined, 'application/json']) {
      const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept }
      const sample = seen(await hub.ask('GET', '/', { headers }))
      expect(sample.status).toBe(401)
      expect(Buffer.from(sample.body, 'latin1').toString()).toBe(JSON_REFUSAL)
      expect(sample.headers['www-authenticate']).toBe('Bearer')
      expect(sample.headers['cache-control']).toBe('no-store')
      for (const { method, path } of CLOSED)
        if (!asksInItsWay(path) && method !== 'HEAD')
          expect([method, path, seen(await hub.ask(method, path, { headers }))]).toEqual([method, path, sample])
      const head = seen(await hub.ask('HEAD', '/', { headers }))
      expect(head).toEqual({ ...sample, body: '' })
      for (const { method, path } of CLOSED)
        if (method === 'HEAD' && !asksInItsWay(path))
          expect([path, seen(await hub.ask(method, path, { headers }))]).toEqual([path, head])
    }
  })

  test('is a question of git for a password, which is the token', async () => {
    const path = '/skills.git/info/refs?service=git-upload-pack'
    const answer = await hub.ask('GET', path)
    expect([answer.status, answer.headers['www-authenticate'], answer.bytes.toString()]).toEqual([
      401,
      'Basic realm="Prompt Hub"',
      JSON_REFUSAL,
    ])
    const token = String(hub.readers['a token with read']!.headers.Authorization).replace('Bearer ', '')
    for (const pair of [`anybody:${token}`, `${token}:`, `${token}:x-oauth-basic`])
      expect((await hub.ask('GET', path, { headers: { Authorization: `Basic ${btoa(pair)}` } })).status, pair).toBe(200)
    for (const pair of ['', ':', 'anybody:', `anybody:${token}x`, 'a:\r\nX: y'])
      expect((await hub.ask('GET', path, { headers: { Authorization: `Basic ${btoa(pair)}` } })).status, pair).toBe(401)
    // Programs with a .netrc send it everywhere.
    const headers = { Authorization: `Basic ${btoa(`anybody:${token}`)}` }
    expect((await hub.ask('GET', '/api/v1/tags', { headers })).status).toBe(200)
  })

  test('is the same question at a feed, although its reader also takes pages', async () => {
    const headers = { Accept: 'application/atom+xml, text/html;q=0.2' }
    for (const path of ['/feed.xml', '/nobody/nothing/feed.xml']) {
      const answer = await hub.ask('GET', path, { headers })
      expect([path, answer.status, answer.headers['www-authenticate']]).toEqual([path, 401, 'Basic realm="Prompt Hub"'])
      // A browser would send the password with everything from then on.
      const browser = { Accept: 'text/html,*/*;q=0.8', 'Sec-Fetch-Mode': 'navigate' }
      const { status, headers: sent } = await hub.ask('GET', path, { headers: browser })
      expect([status, sent.location]).toEqual([303, `/auth/sign-in?return_to=${encodeURIComponent(path)}`])
    }
  })

  test('is nothing of a password that a browser sends with the session of a page', async () => {
    const { headers } = hub.readers['a reader who is signed in']!
    const password = { Authorization: `Basic ${btoa(`x:hub_${'0'.repeat(38)}`)}` }
    const shown = await hub.ask('GET', '/auth/session', { headers: { ...headers, ...password } })
    const { csrf } = JSON.parse(shown.bytes.toString()).data
    const page = { 'Sec-Fetch-Site': 'same-origin', 'X-CSRF-Token': csrf, 'Content-Type': 'application/json' }
    const write = (more: Record<string, string>) =>
      hub.ask('POST', '/api/v1/repos/zephyrine/quokka-brief/versions', { headers: { ...more, ...password } }, '{"a":1}')
    expect((await write({ ...headers, ...page })).status).toBe(422)
    expect((await write(page)).status).toBe(401)
  })

  test('git, curl and npm read with the token as they send it', async () => {
    const token = String(hub.readers['a token with read']!.headers.Authorization).replace('Bearer ', '')
    const folder = temporaryFolder('hub-tools-')
    // The lists of packages have the URLs of the hub's public address.
    const front = createServer(async ({ url = '', method = '', headers: { authorization } }, answer) => {
      const got = await hub.ask(method, url, { headers: authorization === undefined ? {} : { authorization } })
      const type = String(got.headers['content-type'])
      answer.writeHead(got.status, { 'Content-Type': type })
      const isList = type.startsWith('application/json')
      answer.end(isList ? got.bytes.toString().replaceAll(`${SITE_URL}/npm/`, `${origin}/npm/`) : got.bytes)
    })
    const origin = await listen(front)
    const env = { PATH: process.env.PATH, HOME: folder, GIT_TERMINAL_PROMPT: '0', HUB_TOKEN: token, NO_PROXY: '*' }
    const run = async (program: string, ...args: string[]) =>
      (await promisify(execFile)(program, args, { cwd: folder, env })).stdout
    const clone = ['clone', '--quiet', '--depth', '1', `http://127.0.0.1:${hub.port}/skills.git`]
    const read = ['-fsS', '--netrc', `http://127.0.0.1:${hub.port}/pangolinarium/narwhal-notes/SKILL.md`]
    await expect(run('git', ...clone)).rejects.toThrow('could not read Username')
    writeFileSync(join(folder, '.netrc'), `machine 127.0.0.1 login anybody password ${token}\n`)
    await run('git', ...clone)
    const skill = readFileSync(join(folder, 'skills/skills/narwhal-notes/SKILL.md'), 'utf8')
    expect(await run('curl', ...read)).toBe(skill)
    const registry = `@pangolinarium:registry=${origin}/npm/\nupdate-notifier=false\naudit=false\nfund=false\n`
    writeFileSync(join(folder, '.npmrc'), registry)
    await expect(run('npm', 'install', '@pangolinarium/narwhal-notes')).rejects.toThrow('E401')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: npm reads the variable.
    const line = '/npm/:_authToken=${HUB_TOKEN}\n'
    writeFileSync(join(folder, '.npmrc'), registry + origin.replace('http:', '') + line)
    await run('npm', 'install', '@pangolinarium/narwhal-notes@umbrellabird')
    const installed = 'node_modules/@pangolinarium/narwhal-notes/skills/narwhal-notes/SKILL.md'
    expect(readFileSync(join(folder, installed), 'utf8')).toBe(skill)
    front.close()
  })

  test('is a JSON-RPC error at /mcp', async () => {
    const answer = await hub.ask('POST', '/mcp', { headers: { 'Content-Type': 'application/json' } }, '{}')
    const challenge = `Bearer resource_metadata="${SITE_URL}/.well-known/oauth-protected-resource/mcp"`
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, challenge])
    expect(JSON.parse(answer.bytes.toString())).toEqual({
      jsonrpc: '2.0',
      error: { code: -32_000, message: JSON.parse(JSON_REFUSAL).error.message },
      id: null,
    })
  })

  test('leads a browser to the sign-in page, and back to the page that it asked for', async () => {
    const open = (path: string) => hub.ask('GET', path, { headers: { Accept: 'text/html,*/*;q=0.8' } })
    for (const [path, location] of [
      ['/zephyrine/quokka-brief?a=b', '/auth/sign-in?return_to=%2Fzephyrine%2Fquokka-brief%3Fa%3Db'],
      ['/nobody/nothing', '/auth/sign-in?return_to=%2Fnobody%2Fnothing'],
      ['//evil.example/', '/auth/sign-in?return_to=%2Fsettings'],
      ['/%5Cevil.example', '/auth/sign-in?return_to=%2F%255Cevil.example'],
    ] as const) {
      const answer = await open(path)
      expect([path, answer.status, answer.headers.location]).toEqual([path, 303, location])
      expect([answer.headers['cache-control'], answer.bytes.length]).toEqual(['no-store', 0])
    }
  })

  test('is nothing on the pages of the sign-in', async () => {
    for (const { method, path } of CELLS.filter(({ isOpen }) => isOpen)) {
      const headers = { Accept: 'text/html', Cookie: 'signed-in=1' }
      const said = JSON.stringify(seen(await hub.ask(method, path, { headers }))).toLowerCase()
      expect([path, SECRET_WORDS.filter((word) => said.includes(word))]).toEqual([path, []])
    }
    const page = await hub.ask('GET', '/settings', { headers: { Accept: 'text/html' } })
    expect(page.bytes.toString()).toContain(
      '<p class="lead">Sign in to Prompt Hub to read, and to publish and manage prompts.</p>',
    )
    expect(page.bytes.toString()).toContain('<p>Prompt Hub is a prompt registry.</p>')
    expect([
      page.status,
      page.bytes.toString().includes('href="/auth/sign-in?provider=github&amp;return_to=%2Fsettings"'),
    ]).toEqual([200, true])
  })

  test('is only whether the hub is alive', async () => {
    const health = await hub.ask('GET', '/healthz')
    expect(Object.keys(JSON.parse(health.bytes.toString()))).toEqual(['status', 'version'])
    const ready = await hub.ask('GET', '/readyz')
    expect(Object.keys(JSON.parse(ready.bytes.toString()))).toEqual(['status', 'version', 'unready'])
    const reader = await hub.ask('GET', '/healthz', hub.readers['a token with read'])
    expect(JSON.parse(reader.bytes.toString()).broken).toHaveLength(1)
  })

  test('says no name of the catalogue, whatever the stranger asks', async () => {
    const known = ['zephyrine', 'quokka-brief', 'pangolinarium', 'narwhal-notes', 'wombatry', 'octocat', '1.0.0']
    const word = fc.oneof(
      fc.constantFrom(...known),
      fc.constantFrom(...ADDRESSES.flatMap(({ path }) => path.split('/').filter((part) => /^[\w.-]+$/.test(part)))),
      fc.constantFrom('..', '%2e%2e', '%2F', '', '.', 'index.json', 'feed.xml', 'quokka'),
      fc.stringMatching(/^[\w%~-]{1,12}$/),
    )
    const path = fc.tuple(
      fc.array(word, { minLength: 1, maxLength: 7 }),
      fc.constantFrom('', '?q=quokka', '?tag=wombatry&page=1', '/'),
    )
    const method = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE')
    const headers = fc.constantFrom<Record<string, string>>(
      ...[{}, { Accept: 'text/html' }, { 'Accept-Encoding': 'gzip, br' }, { 'If-None-Match': '*' }],
      { Range: 'bytes=0-5' },
    )
    const sizes = new Map<string, Set<number>>()
    await fc.assert(
      fc.asyncProperty(path, method, headers, async ([parts, query], verb, sent) => {
        const asked = `/${parts.join('/')}${query}`
        const answer = await hub.ask(verb, asked, { headers: sent })
        // The client sees its own words again in the address that it is led back to.
        const { location: _, ...rest } = answer.headers
        const text = `${JSON.stringify(rest)}${answer.bytes.toString('latin1')}`.toLowerCase()
        expect(SECRET_WORDS.filter((secret) => text.includes(secret))).toEqual([])
        if (answer.status !== 401) return
        const key = `${verb === 'HEAD'} ${asked.startsWith('/mcp')}`
        sizes.set(key, (sizes.get(key) ?? new Set()).add(answer.bytes.length))
      }),
      { numRuns: 100 },
    )
    for (const [key, found] of sizes) expect([key, found.size <= 2]).toEqual([key, true])
  })
})

describe('rights', () => {
  const isIn = async (sender: Sender) => (await hub.ask('GET', '/api/v1/tags', sender)).status === 200

  test('end for everything that a process takes away, at once', async () => {
    const { openPeople } = await import('../../src/state/sessions.ts')
    const secret = await openPeople(hub.state).openSession({ user_id: '7', login: 'octocat' }, new Date())
    const sender = { headers: { Cookie: `__Host-session=${secret}; __Host-other=1` } }
    expect(await isIn(sender)).toBe(true)
    const page = await hub.ask('GET', '/settings/session', sender)
    const [, csrf] = /action="\/auth\/sign-out"[\s\S]*?name="csrf" value="([^"]+)"/.exec(page.bytes.toString()) ?? []
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://hub.example' }
    const out = await hub.ask('POST', '/auth/sign-out', { headers: { ...sender.headers, ...form } }, `csrf=${csrf}`)
    expect(out.status).toBe(303)
    expect(await isIn(sender)).toBe(false)
  })

  test('of two sessions in one request count for nobody', async () => {
    const { Cookie } = hub.readers['a reader who is signed in']!.headers
    expect(await isIn({ headers: { Cookie: `${Cookie}; ${Cookie}` } })).toBe(false)
  })
})

describe('an MCP client with OAuth', () => {
  const METADATA = '/.well-known/oauth-protected-resource'
  const tokens: Record<string, string> = {}

  /** Opens the MCP SDK's own client, which finds the provider and registers there, and signs a person in. */
  async function openClient(login: string) {
    let address: URL | undefined
    const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }
    const authProvider = new InMemoryOAuthClientProvider(CALLBACK, metadata, (url) => {
      address = url
    })
    const ask = (given: string | URL, init?: RequestInit) => {
      const { host, pathname, search } = new URL(given)
      return fetch(host === new URL(SITE_URL).host ? `http://127.0.0.1:${hub.port}${pathname}${search}` : given, init)
    }
    const open = () => new StreamableHTTPClientTransport(new URL(`${SITE_URL}/mcp`), { authProvider, fetch: ask })
    const first = open()
    await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow('Unauthorized')
    const back = await provider.signIn(address!, login)
    await first.finishAuth(back.searchParams.get('code') ?? '')
    return {
      token: authProvider.tokens()?.access_token ?? '',
      async listTools() {
        const client = new Client({ name: 'test', version: '1' })
        await client.connect(open())
        const { tools } = await client.listTools()
        await client.close()
        return tools.map(({ name }) => name)
      },
    }
  }

  test.each([
    ['ada', 200],
    ['eve', 403],
    ['mallory', 403],
  ])('%s signs in at the provider without a pasted token: %s', async (login, status) => {
    const client = await openClient(login)
    tokens[login] = client.token
    const answer = await hub.ask('GET', '/api/v1/tags', { headers: { Authorization: `Bearer ${client.token}` } })
    expect(answer.status).toBe(status)
    if (status === 200) expect(await client.listTools()).toContain('search_prompts')
    else await expect(client.listTools()).rejects.toThrow('may not read this hub')
  })

  test('is out ten minutes after its token was made, and no other token counts', async () => {
    const settings = { issuer: provider.issuer, ...CLIENT }
    const verify = await openAccessTokens(settings, SITE_URL)
    const after = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    expect(await verify(tokens.ada!, after(9))).toMatchObject({
      identity: { subject: 'ada', email: 'ada@acme.example' },
    })
    expect(await verify(tokens.ada!, after(10.2))).toBe(undefined)
    expect(await (await openAccessTokens(settings, 'https://other.example'))(tokens.ada!, after(0))).toBe(undefined)
    const [head, body, signature] = tokens.ada!.split('.')
    const changed = Buffer.from(body!, 'base64url').toString().replace('"ada"', '"eve"')
    for (const token of [
      `${head}.${Buffer.from(changed).toString('base64url')}.${signature}`,
      'a.b.c',
      `${head}.${body}.`,
    ])
      expect(await verify(token, after(0))).toBe(undefined)
    // A provider without keys says nothing of a token, which is asked again.
    const ask = globalThis.fetch
    const { jwks_uri } = await (await ask(`${provider.issuer}/.well-known/openid-configuration`)).json()
    const another = await openAccessTokens(settings, SITE_URL)
    vi.stubGlobal('fetch', (address: string, init?: RequestInit) =>
      String(address) === jwks_uri ? Promise.resolve(new Response('', { status: 404 })) : ask(address, init),
    )
    await expect(another(tokens.ada!, after(0))).rejects.toMatchObject({ code: 'unavailable' })
    vi.unstubAllGlobals()
    expect(await another(tokens.ada!, after(0))).toMatchObject({ identity: { subject: 'ada' } })
  })

  test('finds the metadata of the hub, and 404 where there is none', async () => {
    for (const end of ['', '/mcp']) {
      const answer = await hub.ask('GET', METADATA + end, { headers: {} })
      expect([answer.status, JSON.parse(answer.bytes.toString())]).toMatchObject([
        200,
        { resource: SITE_URL + end, authorization_servers: [provider.issuer] },
      ])
    }
    for (const path of ['oauth-authorization-server', 'openid-configuration', 'oauth-authorization-server/mcp'])
      for (const before of ['', '/mcp'])
        expect([path, (await hub.ask('GET', `${before}/.well-known/${path}`)).status]).toEqual([path, 404])
  })
})

test('the description of the API says that every operation needs a token', async () => {
  const answer = await hub.ask('GET', '/api/v1/openapi.json', hub.readers['a token with read'])
  const { security, paths } = JSON.parse(answer.bytes.toString())
  expect(security).toEqual([{ token: [] }])
  const operations = Object.values(
    paths as Record<string, Record<string, { security?: unknown; responses: object }>>,
  ).flatMap((path) => Object.values(path))
  expect(operations.length).toBeGreaterThan(10)
  for (const operation of operations) {
    expect(operation.security).toBeUndefined()
    expect(Object.keys(operation.responses)).toContain('401')
  }
})

testMembersCaches(hub)
testDoctorOfMembers(hub)
