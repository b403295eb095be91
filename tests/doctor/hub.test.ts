// Tests what `npm run doctor -- --url` reports about a deployed hub: a healthy hub passes, and a single fault in the
// hub or a proxy is the only problem reported.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { checkSetup, type Setup } from '../../src/doctor/doctor.ts'
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
    SITE_URL: url,
    GITHUB_CLIENT_ID: github.oauth.clientId,
    GITHUB_CLIENT_SECRET: github.oauth.clientSecret,
    GITHUB_OAUTH_URL: github.url,
    GITHUB_API_URL: github.url,
    SESSION_SECRET: '6f1c1d0b5a7e4f3d9c8b2a1f0e9d8c7b',
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
    ...['settings', 'setup', 'hub-reachable', 'hub-readers', 'hub-reading', 'hub-address', 'hub-caching'],
    ...['hub-mcp', 'hub-publishing', 'hub-sign-in'],
  ])
})

/** Changes headers of a response. */
const withHeaders = (headers: Record<string, string>) => (returning: Returning) =>
  void Object.assign(returning.headers, headers)
/** Changes where a sign-in redirects. */
const redirecting = (from: RegExp, to: string) =>
  onPath('/auth/sign-in', ({ headers }) => {
    headers.location = String(headers.location).replace(from, to)
  })
const elsewhere = (returning: Returning) =>
  void Object.assign(returning, { status: 301, headers: { location: 'https://www.hub.example/' } })
const notSetUp = answerError(503, 'unavailable', 'The hub is not set up: GITHUB_TOKEN: expected.')
const withoutQuery: Fault = {
  before: (passing) => {
    passing.path = passing.path.replace('version=1.0.0', 'version=1.0.1')
  },
}

//  check, broken part, how, message
test.each<[string, string, () => Fault, RegExp]>([
  ['hub-reachable', 'a proxy without a hub', () => ({ after: answerPage(502) }), /responds with 502/],
  ['hub-reachable', 'a redirect', () => onPath('/', elsewhere), /redirects to https:\/\/www\.hub\.example/],
  ['hub-reachable', 'a password for the whole site', () => ({ after: answerPage(401) }), /password/],
  [
    'hub-address',
    'a hub built for another URL',
    () => onPath('/api/v1/openapi.json', answerJson({ servers: [{ url: 'https://old.example' }] })),
    /uses https:\/\/old\.example.*SITE_URL=http:\/\/localhost/,
  ],
  ['hub-reading', 'a different website', () => onPath('/api/v1/repos', answerPage(200)), /responds with 200.*\/api/],
  [
    'hub-reading',
    'no search index',
    () => onPath('/api/v1/repos?q=', answerError(503, 'unavailable', 'Search cannot be asked.')),
    /\?q=prompt responds with 503: Search cannot be asked\./,
  ],
  [
    'hub-caching',
    'a page instead of a 404',
    () => ({ after: (returning) => returning.status === 404 && answerPage(200)(returning) }),
    /is-not-there \(200\) arrives as “nothing”.*error pages/,
  ],
  [
    'hub-caching',
    'a browser TTL set by the CDN',
    () => onApi(withHeaders({ 'cache-control': 'public, max-age=14400' })),
    /max-age=14400.*rewrite Cache-Control/,
  ],
  [
    'hub-caching',
    'a version cached for only a minute',
    () => onPath('/api/v1/repos/acme/greet/raw', withHeaders({ 'cache-control': 'public, max-age=60' })),
    /raw\?version=1\.0\.1/,
  ],
  ['hub-caching', 'a cache key without the query', () => withoutQuery, /version=1\.0\.0.*returns 1\.0\.1/],
  [
    'hub-mcp',
    'a Host that is not forwarded',
    () => ({ before: ({ path, headers }) => path === '/mcp' && Object.assign(headers, { host: 'backend.internal' }) }),
    /does not accept the host name.*SITE_URL/,
  ],
  ['hub-mcp', 'no POST to /mcp', () => onPath('/mcp', answerPage(405)), /responds to initialize with 405/],
  [
    'hub-publishing',
    'a hub that is not set up',
    () => onPath('/api/', notSetUp, 'POST'),
    /responds with 503: The hub is not set up: GITHUB_TOKEN.*deploy again/,
  ],
  [
    'hub-publishing',
    'a firewall that blocks POST',
    () => onPath('/api/', answerPage(403), 'POST'),
    /responds with 403.*Authorization/,
  ],
  ['hub-sign-in', 'no settings for it', () => onPath('/settings', answerPage(503)), /503.*Set SESSION_SECRET/],
  [
    'hub-sign-in',
    'a wrong callback URL',
    () => redirecting(/redirect_uri=[^&]*/, 'redirect_uri=https%3A%2F%2Fold.example%2Fauth%2Fcallback'),
    /redirects back to https:\/\/old\.example\/auth\/callback/,
  ],
])('%s: %s', async (check, _, fault, said) => {
  front.spoil(fault())
  await expectIll(setup(), check, said)
})

test('reports an unreachable hub', async () => {
  const gone = { ...setup(), url: 'http://127.0.0.1:9' }
  await expectIll(gone, 'hub-reachable', /does not respond: (?:connect ECONNREFUSED|bad port)/)
})

test('commits nothing while checking', async () => {
  const before = hub.git('rev-parse', 'HEAD')
  expect(illsOf(await checkSetup(setup()))).toEqual({})
  expect(hub.git('rev-parse', 'HEAD')).toBe(before)
})
