// Tests how /mcp responds over HTTP: every check in order, the same headers on every response, and no response later than two seconds.
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { HubError } from '../../src/domain/api/errors.ts'
import { handleMcp } from '../../src/server/mcp/handle-mcp.ts'
import { connectMcp } from '../../src/wiring/mcp.ts'
import { cpuMsSince } from '../cpu-time.ts'
import { ENDPOINT, modern, openMcpHub, post } from '../hubs/mcp.ts'

const hub = openMcpHub('content')
// Errors that are hidden from clients are logged.
vi.spyOn(console, 'error').mockReturnValue(undefined)
afterAll(() => hub.close())
afterEach(() => vi.unstubAllEnvs())

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const LOCAL = 'http://localhost:8888/mcp'
const CANCELLED = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
const JSON_ONLY = { 'Content-Type': 'application/json' }
const bare = (init: RequestInit, address = ENDPOINT) => new Request(address, init)
const sent = (headers: Record<string, string>, body: BodyInit = JSON.stringify(LIST), address = ENDPOINT) =>
  bare({ method: 'POST', headers, body }, address)
const streamed = (bytes: number) => {
  const chunk = new Uint8Array(65_536).fill(32)
  let left = bytes
  const body = new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close()
      left -= chunk.length
      controller.enqueue(chunk)
    },
  })
  const init = { method: 'POST', headers: JSON_ONLY, body, duplex: 'half' }
  return new Request(ENDPOINT, init)
}

/** Returns a response's status, and the JSON-RPC error code or other body. */
async function show(request: Request): Promise<[number, unknown]> {
  const before = process.threadCpuUsage()
  const response = await hub.answer(request)
  const text = await response.text()
  expect(cpuMsSince(before)).toBeLessThan(2000)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Mcp-Session-Id, MCP-Protocol-Version, Retry-After',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(response.headers.has('Mcp-Session-Id')).toBe(false)
  expect(response.headers.has('Access-Control-Allow-Credentials')).toBe(false)
  if (text === '') return [response.status, 'nothing']
  if (response.headers.get('Content-Type') === 'text/event-stream') return [response.status, 'events']
  const { jsonrpc, error, result, id } = JSON.parse(text)
  expect([jsonrpc, id]).toEqual(['2.0', error && response.status >= 400 ? id : 1])
  return [response.status, error ? error.code : Object.keys(result)]
}

describe('rejected requests', () => {
  //  case                                          request                                                          status  code
  test.each<[string, Request, number, unknown]>([
    ['GET', bare({ method: 'GET' }), 405, -32000],
    ['GET for events', bare({ method: 'GET', headers: { Accept: 'text/event-stream' } }), 405, -32000],
    ['HEAD', bare({ method: 'HEAD' }), 405, 'nothing'],
    ['PUT', bare({ method: 'PUT', headers: JSON_ONLY, body: '{}' }), 405, -32000],
    ['DELETE of a session', bare({ method: 'DELETE', headers: { 'Mcp-Session-Id': 'x' } }), 405, -32000],
    ['no media type', sent({}, new Blob([JSON.stringify(LIST)])), 415, -32000],
    ['text', sent({ 'Content-Type': 'text/plain' }), 415, -32000],
    ['a type that begins alike', sent({ 'Content-Type': 'application/json-seq' }), 415, -32000],
    ['too long by its own word', sent({ ...JSON_ONLY, 'Content-Length': '262145' }), 413, -32000],
    ['too long without a word', streamed(400_000), 413, -32000],
    ['an empty batch', post('[]'), 400, -32600],
    ['a batch', post([LIST]), 400, -32600],
    ['a batch behind white space', post(` \n[${JSON.stringify(LIST)}`), 400, -32600],
    ['a batch that cancels itself', post([LIST, CANCELLED]), 400, -32600],
    ['nothing', post(''), 400, -32700],
    ['half of it', post('{"jsonrpc":'), 400, -32700],
    ['bytes that are not UTF-8', sent(JSON_ONLY, new Uint8Array([0x22, 0xff, 0x22])), 400, -32700],
    ['null', post('null'), 400, -32600],
    ['an empty object', post({}), 400, -32600],
    ['another version of JSON-RPC', post({ ...LIST, jsonrpc: '1.0' }), 400, -32600],
    ['id null', post({ ...LIST, id: null }), 400, -32600],
    ['half an id', post({ ...LIST, id: 1.5 }), 400, -32600],
    ['parameters in a list', post({ ...LIST, params: [] }), 400, -32600],
    ['an unknown revision', post(LIST, { 'MCP-Protocol-Version': '1999-01-01' }), 400, -32000],
    ['2026 by header alone', post(LIST, { 'MCP-Protocol-Version': '2026-07-28' }), 400, -32602],
    ['2026, another method in the header', modern('tools/list', {}, { 'Mcp-Method': 'prompts/list' }), 400, -32020],
    ['2026, an unknown method', modern('tools/explode'), 404, -32601],
    ['2026, a method of 2025', modern('ping'), 404, -32601],
  ])('%s', async (_, request, status, code) => {
    expect(await show(request)).toEqual([status, code])
  })

  test('405 has an Allow header, and the error has a null id', async () => {
    const response = await hub.answer(bare({ method: 'GET' }))
    expect(response.headers.get('Allow')).toBe('POST, OPTIONS')
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Use POST. This server is stateless: it has no sessions and no streams.' },
      id: null,
    })
  })

  test('returns the supported protocol versions for an unknown one', async () => {
    const params = {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2030-01-01',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }
    const headers = { 'MCP-Protocol-Version': '2030-01-01', 'Mcp-Method': 'tools/list' }
    const response = await hub.answer(post({ ...LIST, params }, headers))
    expect(response.status).toBe(400)
    expect((await response.json()).error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } })
  })
})

describe('allowed hosts and origins', () => {
  const from = (origin: string) => ({ ...JSON_ONLY, Origin: origin })
  const as = (host: string) => ({ ...JSON_ONLY, Host: host })
  test.each<[string, Request, number]>([
    ['the public name', sent(JSON_ONLY), 200],
    ['another name', sent(JSON_ONLY, undefined, 'https://evil.example/mcp'), 403],
    ['another name in Host', sent(as('evil.example')), 403],
    ['a name that begins alike', sent(as('hub.example.evil.example')), 403],
    ['a name behind a name', sent(as('hub.example@evil.example')), 403],
    ['localhost', sent(JSON_ONLY, undefined, LOCAL), 200],
    ['localhost, any port', sent(as('localhost:1')), 200],
    ['IPv4 loopback', sent(as('127.0.0.1:8888')), 200],
    ['IPv6 loopback', sent(as('[::1]:8888')), 200],
    ['what looks like loopback', sent(as('127.0.0.1.evil.example')), 403],
    ['another address', sent(as('10.0.0.1')), 403],
    ['in public, a page of anybody', sent(from('https://page.example')), 200],
    ['in public, a sandboxed page', sent(from('null')), 200],
    ['in public, an extension', sent(from('chrome-extension://abc')), 403],
    ['in public, a malformed origin', sent(from('not an origin')), 403],
    ['in public, an address', sent(from('https://page.example/path')), 403],
    ['locally, a local page', sent(from('http://localhost:6274'), undefined, LOCAL), 200],
    ['locally, the hub’s own page', sent(from('https://hub.example'), undefined, LOCAL), 200],
    ['locally, a foreign page', sent(from('https://page.example'), undefined, LOCAL), 403],
    ['locally, a sandboxed page', sent(from('null'), undefined, LOCAL), 403],
    ['a preflight of another name', bare({ method: 'OPTIONS', headers: { Host: 'evil.example' } }), 403],
  ])('%s', async (_, request, status) => {
    const [answered, code] = await show(request)
    expect([answered, code]).toEqual([status, status === 403 ? -32000 : ['tools']])
  })

  //  case                             host                                    own
  test.each([
    ['the address of the settings', 'prompts.example.org', true],
    ['the platform’s main address', 'main.example.org', true],
    ['the site’s name', 'my-hub.netlify.app', true],
    ['a preview', 'deploy-preview-7--my-hub.netlify.app', true],
    ['a deploy', '6740aa--my-hub.netlify.app', true],
    ['somebody else’s site', 'evil-my-hub.netlify.app', false],
    ['somebody else’s preview', 'a--my-hub.netlify.app.evil.example', false],
  ])('host on Netlify: %s', async (_, host, isOwn) => {
    vi.stubEnv('SITE_URL', 'https://prompts.example.org')
    vi.stubEnv('URL', 'https://main.example.org')
    vi.stubEnv('SITE_NAME', 'my-hub')
    expect((await connectMcp(post(LIST), { ip: '192.0.2.1' })).isOwnHost(host)).toBe(isOwn)
  })
})

describe('accepted requests', () => {
  const accepting = (accept: string) => post(LIST, { Accept: accept })
  test.each<[string, Request, number, unknown]>([
    ['both media types', post(LIST), 200, ['tools']],
    ['JSON alone', accepting('application/json'), 200, ['tools']],
    ['anything', accepting('*/*'), 200, ['tools']],
    ['no Accept', sent(JSON_ONLY), 200, ['tools']],
    ['something else', accepting('text/html'), 200, ['tools']],
    ['events alone', accepting('text/event-stream'), 200, 'events'],
    ['a parameter on the media type', sent({ 'Content-Type': 'Application/JSON; charset=utf-8' }), 200, ['tools']],
    ['without initialize, with a session of before', post(LIST, { 'Mcp-Session-Id': 'gone' }), 200, ['tools']],
    ['with a revision', post(LIST, { 'MCP-Protocol-Version': '2025-06-18' }), 200, ['tools']],
    ['a byte order mark', post(`\uFEFF${JSON.stringify(LIST)}`), 200, ['tools']],
    ['ping', post({ ...LIST, method: 'ping' }), 200, []],
    ['a notification', post({ jsonrpc: '2.0', method: 'notifications/initialized' }), 202, 'nothing'],
    ['a cancelling', post(CANCELLED), 202, 'nothing'],
    ['an answer to nothing', post({ jsonrpc: '2.0', id: 7, result: {} }), 202, 'nothing'],
    ['an unknown method', post({ ...LIST, method: 'tools/explode' }), 200, -32601],
    [
      'a method that is not declared',
      post({ ...LIST, method: 'logging/setLevel', params: { level: 'info' } }),
      200,
      -32601,
    ],
    ['a name that every object has', post({ ...LIST, method: 'constructor' }), 200, -32601],
    ['2026', modern('tools/list'), 200, ['tools', 'ttlMs', 'cacheScope', 'resultType', '_meta']],
    [
      '2026, a subscription to nothing',
      modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
      200,
      'events',
    ],
  ])('%s', async (_, request, status, answer) => {
    expect(await show(request)).toEqual([status, answer])
  })

  test('an event stream has one response and then ends', async () => {
    const response = await hub.answer(post({ ...LIST, method: 'ping' }, { Accept: 'text/event-stream' }))
    expect(await response.text()).toBe('event: message\ndata: {"result":{},"jsonrpc":"2.0","id":1}\n\n')
  })

  test('a preflight returns the allowed methods and headers', async () => {
    const response = await hub.answer(bare({ method: 'OPTIONS', headers: { Origin: 'https://page.example' } }))
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      allow: 'POST, OPTIONS',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers':
        '*, Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID',
      'access-control-max-age': '86400',
    })
  })
})

describe('errors', () => {
  test.each([
    ['in arguments', '{"name":"list_tags","arguments":{"q":', '}}'],
    ['in values', '{"name":"get_prompt","arguments":{"repo":"acme/x","variables":{"a":', '}}}'],
    ['in an unknown key', '{"name":"list_tags","arguments":{"x":', '}}'],
    ['beside the arguments', '{"name":"list_tags","x":', '}'],
    ['in the metadata', '{"name":"list_tags","_meta":{"x":', '}}'],
  ])('returns a tool result for 100,000 nested arrays %s', async (_, before, after) => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${before}${deep}${after}}`
    const [status, keys] = await show(post(body))
    expect(status).toBe(200)
    expect(keys).toContain('content')
  })

  test('returns 504 at the deadline when the store does not answer', async () => {
    const stuck = openMcpHub('content', { siteFiles: { read: () => new Promise(() => {}) }, deadlineMs: 50 })
    const call = { ...LIST, method: 'tools/call', params: { name: 'get_prompt', arguments: { repo: 'acme/x' } } }
    const response = await stuck.answer(post(call))
    expect([response.status, (await response.json()).error.code]).toEqual([504, -32603])
    stuck.close()
  })

  test.each([
    [
      'a setting that is wrong',
      new HubError('unavailable', 'The hub is not set up: X.'),
      503,
      'The hub is not set up: X.',
    ],
    ['a fault of ours', new Error('secret of /srv'), 500, 'Internal error'],
  ])('%s', async (_, error, status, message) => {
    const response = await handleMcp(post(LIST), () => {
      throw error
    })
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ jsonrpc: '2.0', error: { code: -32603, message }, id: null })
  })

  test('hides the details of an internal error in a method', async () => {
    const search = () => {
      throw new Error('secret of /srv')
    }
    const broken = openMcpHub('content', { search })
    await expect(broken.call('prompts/list')).rejects.toMatchObject({ code: -32603, message: 'Internal error' })
    broken.close()
  })
})
