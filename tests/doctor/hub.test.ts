// Tests what `npm run doctor -- --url` reports about a deployed hub: a healthy hub passes, and a single fault in the
// hub or a proxy is the only problem reported.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { checkSetup, type Setup } from '../../packages/doctor/doctor.ts'
import { type GitHubStandIn, startGitHubStandIn } from '../github/stand-in.ts'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { type Fault, type Front, type Returning, startFront } from './front.ts'
import { expectIll, expectWell, illsOf, versionFile } from './setups.ts'

const CONTENT = {
  'content/acme/greet/versions/1.0.0.md': versionFile('Greet.'),
  'content/acme/greet/versions/1.0.1.md': versionFile('Greet kindly.'),
}

let hub: BuiltHub
let front: Front
let github: GitHubStandIn
let url: string
beforeAll(async () => {
  const [port, frontPort] = [await freePort(), await freePort()]
  url = `http://localhost:${frontPort}`
  github = await startGitHubStandIn({ redirectUris: [`${url}/auth/callback`] })
  const settings = {
    ...{ SITE_URL: url, GITHUB_CLIENT_ID: github.oauth.clientId, GITHUB_CLIENT_SECRET: github.oauth.clientSecret },
    ...{ GITHUB_OAUTH_URL: github.url, GITHUB_API_URL: github.url, SESSION_SECRET: '6f1c1d0b5a7e4f3d9c8b2a1f0e9d8c7b' },
  }
  ;[hub, front] = await Promise.all([startBuiltHub(port, settings, CONTENT), startFront(frontPort, port)])
})
afterEach(() => front.spoil())
afterAll(async () => {
  await front?.close()
  await hub?.stop()
  await github?.close()
})

const setup = (): Setup => ({ environment: {}, root: process.cwd(), url })
const onApi = (change: (returning: Returning) => void): Fault => ({
  after: (returning, { path }) => path.startsWith('/api/') && change(returning),
})
const onPath = (start: string, change: (returning: Returning) => void, method = ''): Fault => ({
  after: (returning, passing) =>
    passing.path.startsWith(start) && passing.method.startsWith(method) && change(returning),
})
const answerPage = (status: number) => (returning: Returning) => {
  Object.assign(returning, { status, headers: { 'content-type': 'text/html' }, body: Buffer.from('<h1>Hello</h1>') })
}
const answerJson = (value: unknown) => (returning: Returning) => {
  const body = Buffer.from(JSON.stringify(value))
  const { 'content-encoding': _, ...headers } = returning.headers
  Object.assign(returning, { status: 200, body, headers: { ...headers, 'content-type': 'application/json' } })
}
/** Creates the response that the hub's functions return if a setting is missing. */
const answerError = (status: number, code: string, message: string) => (returning: Returning) => {
  const body = Buffer.from(JSON.stringify({ error: { code, message } }))
  Object.assign(returning, { status, body, headers: { 'content-type': 'application/json; charset=utf-8' } })
}

test('a healthy hub behind a transparent proxy passes every check', async () => {
  expect(await expectWell(setup())).toEqual([
    ...['settings', 'git-settings', 'sign-in-settings', 'address', 'proxies', 'read-access'],
    ...['hub-reachable', 'hub-readers', 'hub-build', 'hub-address', 'hub-reading', 'hub-not-found'],
    ...['hub-cache-headers', 'hub-cache-age', 'hub-cache-key'],
    ...['hub-mcp', 'hub-publishing', 'hub-sign-in'],
  ])
})

//  broken part                               how                                                                       check                message
test.each<[string, () => Fault, string, RegExp]>([
  ['a proxy without a hub', () => ({ after: answerPage(502) }), 'hub-reachable', /responds with 502/],
  [
    'an address that redirects elsewhere',
    () =>
      onPath('/', (returning) => {
        Object.assign(returning, { status: 301, headers: { location: 'https://www.hub.example/' } })
      }),
    'hub-reachable',
    /redirects to https:\/\/www\.hub\.example/,
  ],
  ['password protection for the whole site', () => ({ after: answerPage(401) }), 'hub-reachable', /password/],
  ['a different website', () => onPath('/data/', answerPage(200)), 'hub-build', /not the hub’s list.*dist\//],
  [
    'an invalid prompt',
    () =>
      onPath('/healthz', answerJson({ status: 'degraded', failure: null, broken: ['content/a/b/index.md: titel'] })),
    'hub-build',
    /older version of the content: content\/a\/b\/index\.md: titel/,
  ],
  [
    'a hub built for another URL',
    () => onPath('/api/v1/openapi.json', answerJson({ servers: [{ url: 'https://old.example' }] })),
    'hub-address',
    /uses https:\/\/old\.example.*SITE_URL=http:\/\/localhost/,
  ],
  ['no functions', () => onPath('/api/v1/repos', answerPage(404)), 'hub-reading', /responds with 404.*\/api/],
  [
    'missing headers',
    () => onApi(({ headers }) => void delete headers['access-control-allow-origin']),
    'hub-reading',
    /Access-Control-Allow-Origin/,
  ],
  [
    'no search index',
    () => onPath('/api/v1/repos?q=', answerError(503, 'unavailable', 'Search cannot be asked.')),
    'hub-reading',
    /Search responds with 503: Search cannot be asked\..*included_files/,
  ],
  [
    'a page instead of a 404',
    () => ({ after: (returning) => returning.status === 404 && answerPage(200)(returning) }),
    'hub-not-found',
    /returns 200 and text\/html/,
  ],
  [
    'a browser TTL set by the CDN',
    () => onApi(({ headers }) => void Object.assign(headers, { 'cache-control': 'public, max-age=14400' })),
    'hub-cache-headers',
    /max-age=14400.*rewrites Cache-Control/,
  ],
  [
    'a version cached for only a minute',
    () =>
      onPath(
        '/api/v1/repos/acme/greet/raw',
        ({ headers }) => void Object.assign(headers, { 'cache-control': 'public, max-age=60' }),
      ),
    'hub-cache-headers',
    /a version \(.*raw\?version=1\.0\.1/,
  ],
  [
    'a cache that keeps lists for a day',
    () => onApi(({ headers }) => void Object.assign(headers, { age: '80000' })),
    'hub-cache-age',
    /80000 s.*CDN-Cache-Control/,
  ],
  [
    'a cache key without the query',
    () => ({
      before: (passing) => {
        passing.path = passing.path.replace('version=1.0.0', 'version=1.0.1')
      },
    }),
    'hub-cache-key',
    /version=1\.0\.0.*returns 1\.0\.1/,
  ],
  [
    'a Host that is not forwarded',
    () => ({ before: ({ path, headers }) => path === '/mcp' && Object.assign(headers, { host: 'backend.internal' }) }),
    'hub-mcp',
    /does not accept the host name.*SITE_URL/,
  ],
  ['no POST to /mcp', () => onPath('/mcp', answerPage(405)), 'hub-mcp', /responds to initialize with 405/],
  [
    'publishing that is not set up',
    () => onPath('/api/', answerError(503, 'unavailable', 'The hub is not set up: GITHUB_TOKEN: expected.'), 'POST'),
    'hub-publishing',
    /responds with 503: The hub is not set up: GITHUB_TOKEN.*deploy again/,
  ],
  [
    'a firewall that blocks POST',
    () => onPath('/api/', answerPage(403), 'POST'),
    'hub-publishing',
    /responds with 403.*Authorization/,
  ],
  [
    'sign-in that is not configured',
    () =>
      onPath('/settings', (returning) => {
        answerPage(503)(returning)
        returning.body = Buffer.from('SESSION_SECRET: expected, because sign-in with GitHub is enabled')
      }),
    'hub-sign-in',
    /SESSION_SECRET expected/,
  ],
  [
    'a sign-in with a wrong callback URL',
    () =>
      onPath('/auth/sign-in', ({ headers }) => {
        headers.location = String(headers.location).replace(
          /redirect_uri=[^&]*/,
          'redirect_uri=https%3A%2F%2Fold.example%2Fauth%2Fcallback',
        )
      }),
    'hub-sign-in',
    /redirects back to https:\/\/old\.example\/auth\/callback/,
  ],
  [
    'a client ID that GitHub does not know',
    () =>
      onPath('/auth/sign-in', ({ headers }) => {
        headers.location = String(headers.location).replace(/client_id=[^&]*/, 'client_id=Iv1.unknown')
      }),
    'hub-sign-in',
    /responds with 40\d to a sign-in.*client ID/,
  ],
])('%s', async (_, fault, check, said) => {
  front.spoil(fault())
  await expectIll(setup(), check, said)
})

test('reports an unreachable hub', async () => {
  const gone = { ...setup(), url: 'http://127.0.0.1:9' }
  await expectIll(gone, 'hub-reachable', /does not respond: (?:connect ECONNREFUSED|bad port)/)
})

test('commits nothing while checking', async () => {
  expect(illsOf(await checkSetup(setup()))).toEqual({})
  expect(hub.git('rev-list', '--count', 'HEAD').trim()).toBe('2')
})
