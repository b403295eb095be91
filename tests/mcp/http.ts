// Tests how /mcp responds over HTTP: the order of the checks, the same headers on every response, and a response within
// two seconds.
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { HubError } from '../../src/domain/api/errors.ts'
import { openHub } from '../../src/hub/open-hub.ts'
import { handleMcp } from '../../src/server/mcp/handle-mcp.ts'
import { cpuMsSince } from '../cpu-time.ts'
import { ENDPOINT, modern, openMcpHub, post } from '../hubs/mcp.ts'

const hub = openMcpHub('content')
// Silences the log, which receives the details that are hidden from clients.
vi.spyOn(console, 'error').mockReturnValue(undefined)
const environment = process.env
afterEach(() => {
  process.env = environment
})
afterAll(() => {
  vi.restoreAllMocks()
  hub.close()
})

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const LOCAL = 'http://localhost:8888/mcp'
/** An object with this many keys. */
const manyKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, 1]))
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const handshakeWith = (capabilities: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'tester', version: '1' } },
})
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
    ['GET for an event stream', bare({ method: 'GET', headers: { Accept: 'text/event-stream' } }), 405, -32000],
    ['HEAD', bare({ method: 'HEAD' }), 405, 'nothing'],
    ['PUT', bare({ method: 'PUT', headers: JSON_ONLY, body: '{}' }), 405, -32000],
    ['DELETE of a session', bare({ method: 'DELETE', headers: { 'Mcp-Session-Id': 'x' } }), 405, -32000],
    ['no Content-Type', sent({}, new Blob([JSON.stringify(LIST)])), 415, -32000],
    ['text/plain', sent({ 'Content-Type': 'text/plain' }), 415, -32000],
    ['another charset', sent({ 'Content-Type': 'application/json; charset=utf-16' }), 415, -32000],
    ['a media type that starts the same', sent({ 'Content-Type': 'application/json-seq' }), 415, -32000],
    ['too large, according to Content-Length', sent({ ...JSON_ONLY, 'Content-Length': '262145' }), 413, -32000],
    ['too large, without Content-Length', streamed(400_000), 413, -32000],
    ['an empty batch', post('[]'), 400, -32600],
    ['a batch', post([LIST]), 400, -32600],
    ['a batch after whitespace', post(` \n[${JSON.stringify(LIST)}`), 400, -32600],
    ['a batch that cancels its own request', post([LIST, CANCELLED]), 400, -32600],
    ['an empty body', post(''), 400, -32700],
    ['incomplete JSON', post('{"jsonrpc":'), 400, -32700],
    ['bytes that are not UTF-8', sent(JSON_ONLY, new Uint8Array([0x22, 0xff, 0x22])), 400, -32700],
    ['null', post('null'), 400, -32600],
    ['an empty object', post({}), 400, -32600],
    ['another version of JSON-RPC', post({ ...LIST, jsonrpc: '1.0' }), 400, -32600],
    ['id null', post({ ...LIST, id: null }), 400, -32600],
    ['a fractional id', post({ ...LIST, id: 1.5 }), 400, -32600],
    ['params as a list', post({ ...LIST, params: [] }), 400, -32600],
    ['1,001 keys', post({ ...LIST, params: manyKeys(1001) }), 400, -32600],
    ['1,001 values', post({ ...LIST, params: { a: Array(1001).fill(0) } }), 400, -32600],
    ['33 nested arrays', post({ ...LIST, params: { a: JSON.parse(nested(33)) } }), 400, -32600],
    // The library described each wrong value, which took 0.1 s for 20,000.
    ['a handshake with 20,000 wrong values', post(handshakeWith({ experimental: manyKeys(20_000) })), 400, -32600],
    ['an unknown protocol version', post(LIST, { 'MCP-Protocol-Version': '1999-01-01' }), 400, -32000],
    ['2026 only in the header', post(LIST, { 'MCP-Protocol-Version': '2026-07-28' }), 400, -32602],
    ['2026 with another method in the header', modern('tools/list', {}, { 'Mcp-Method': 'prompts/list' }), 400, -32020],
    ['2026 with another tool in the header', modern('tools/call', { name: 'x' }, { 'Mcp-Name': 'y' }), 400, -32020],
    ['2026 with an unknown method', modern('tools/explode'), 404, -32601],
    ['2026 with a method of 2025', modern('ping'), 404, -32601],
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
    ['the public host', sent(JSON_ONLY), 200],
    ['another host in the URL', sent(JSON_ONLY, undefined, 'https://evil.example/mcp'), 403],
    ['another host in the Host header', sent(as('evil.example')), 403],
    ['a host that starts the same', sent(as('hub.example.evil.example')), 403],
    ['a host after a user name', sent(as('hub.example@evil.example')), 403],
    ['localhost', sent(JSON_ONLY, undefined, LOCAL), 200],
    ['localhost on any port', sent(as('localhost:1')), 200],
    ['IPv4 loopback', sent(as('127.0.0.1:8888')), 200],
    ['IPv6 loopback', sent(as('[::1]:8888')), 200],
    ['a host that looks like loopback', sent(as('127.0.0.1.evil.example')), 403],
    ['an IP address', sent(as('10.0.0.1')), 200],
    ['an IPv6 address', sent(as('[2001:db8::1]:8888')), 200],
    ['public hub, any page', sent(from('https://page.example')), 200],
    ['public hub, sandboxed page', sent(from('null')), 200],
    ['public hub, extension', sent(from('chrome-extension://abc')), 403],
    ['public hub, malformed origin', sent(from('not an origin')), 403],
    ['public hub, origin with a path', sent(from('https://page.example/path')), 403],
    ['local hub, local page', sent(from('http://localhost:6274'), undefined, LOCAL), 200],
    ['local hub, its own page', sent(from('https://hub.example'), undefined, LOCAL), 200],
    ['local hub, another site’s page', sent(from('https://page.example'), undefined, LOCAL), 403],
    ['local hub, sandboxed page', sent(from('null'), undefined, LOCAL), 403],
    ['local hub, another port of its public host', sent(from('https://hub.example:8443'), undefined, LOCAL), 403],
    ['a preflight request for another host', bare({ method: 'OPTIONS', headers: { Host: 'evil.example' } }), 403],
  ])('%s', async (_, request, status) => {
    const [answered, code] = await show(request)
    expect([answered, code]).toEqual([status, status === 403 ? -32000 : ['tools']])
  })

  //  case                             host                                    own
  test.each([
    ['the host of SITE_URL', 'prompts.example.org', true],
    ['the main domain on Netlify', 'main.example.org', true],
    ['the site’s netlify.app name', 'my-hub.netlify.app', true],
    ['a deploy preview', 'deploy-preview-7--my-hub.netlify.app', true],
    ['a deploy', '6740aa--my-hub.netlify.app', true],
    ['another site', 'evil-my-hub.netlify.app', false],
    ['another site’s preview', 'a--my-hub.netlify.app.evil.example', false],
  ])('host on Netlify: %s', async (_, host, isOwn) => {
    // Settings are parsed once for each environment object.
    process.env = {
      ...environment,
      SITE_URL: 'https://prompts.example.org',
      URL: 'https://main.example.org',
      SITE_NAME: 'my-hub',
    }
    expect((await openHub(post(LIST), { client: '192.0.2.1' })).isOwnHost(host)).toBe(isOwn)
  })
})

describe('accepted requests', () => {
  const accepting = (accept: string) => post(LIST, { Accept: accept })
  test.each<[string, Request, number, unknown]>([
    ['Accept with both media types', post(LIST), 200, ['tools']],
    ['Accept: application/json', accepting('application/json'), 200, ['tools']],
    ['Accept: */*', accepting('*/*'), 200, ['tools']],
    ['no Accept', sent(JSON_ONLY), 200, ['tools']],
    ['Accept: text/html', accepting('text/html'), 200, ['tools']],
    ['Accept: text/event-stream', accepting('text/event-stream'), 200, ['tools']],
    ['a parameter of the media type', sent({ 'Content-Type': 'Application/JSON; charset=utf-8' }), 200, ['tools']],
    ['an old session ID without initialize', post(LIST, { 'Mcp-Session-Id': 'gone' }), 200, ['tools']],
    ['a protocol version', post(LIST, { 'MCP-Protocol-Version': '2025-06-18' }), 200, ['tools']],
    ['a byte order mark', post(`\uFEFF${JSON.stringify(LIST)}`), 200, ['tools']],
    ['ping', post({ ...LIST, method: 'ping' }), 200, []],
    ['a notification', post({ jsonrpc: '2.0', method: 'notifications/initialized' }), 202, 'nothing'],
    ['a cancellation', post(CANCELLED), 202, 'nothing'],
    ['a response without a request', post({ jsonrpc: '2.0', id: 7, result: {} }), 202, 'nothing'],
    ['an unknown method', post({ ...LIST, method: 'tools/explode' }), 200, -32601],
    ['an undeclared method', post({ ...LIST, method: 'logging/setLevel', params: { level: 'info' } }), 200, -32601],
    ['an inherited property name as the method', post({ ...LIST, method: 'constructor' }), 200, -32601],
    ['2026', modern('tools/list'), 200, ['tools', 'ttlMs', 'cacheScope', 'resultType', '_meta']],
    [
      '2026 with an empty subscription',
      modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
      200,
      'events',
    ],
  ])('%s', async (_, request, status, answer) => {
    expect(await show(request)).toEqual([status, answer])
  })

  // The library serves a call whose name is encoded in the header.
  test.each(['list_tags', 'nothing'])('2026: the answer to a call of %s is the one of the library', async (name) => {
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`
    const read = async (headers = {}) => {
      const response = await hub.answer(modern('tools/call', { name }, headers))
      return [response.status, await response.json()]
    }
    expect(await read()).toEqual(await read({ 'Mcp-Name': encoded }))
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
  const clientInfo = { name: 'tester', version: '1' }
  const handshake = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  test.each<[string, unknown]>([
    ['no parameters', undefined],
    ['empty parameters', {}],
    ['a number as the version', { ...handshake, protocolVersion: 5 }],
    ['no capabilities', { ...handshake, capabilities: null }],
    ['a nested value of the wrong type', { ...handshake, capabilities: { roots: 5 } }],
    ['an incomplete clientInfo', { ...handshake, clientInfo: { name: 'tester' } }],
    ['a long value of the wrong type', { ...handshake, clientInfo: { name: 'x'.repeat(9_000), version: 7 } }],
  ])('initialize with %s returns one sentence', async (_, params) => {
    const response = await hub.answer(post({ jsonrpc: '2.0', id: 1, method: 'initialize', params }))
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32602,
        message:
          'initialize: expected the string "protocolVersion", the object "capabilities", and "clientInfo" with the strings "name" and "version".',
      },
    })
  })

  test.each([
    ['in arguments', '{"name":"list_tags","arguments":{"q":', '}}'],
    ['in values', '{"name":"get_prompt","arguments":{"name":"acme/x","variables":{"a":', '}}}'],
    ['under an unknown key', '{"name":"list_tags","arguments":{"x":', '}}'],
    ['next to the arguments', '{"name":"list_tags","x":', '}'],
    ['in the metadata', '{"name":"list_tags","_meta":{"x":', '}}'],
  ])('returns a tool result for 25 nested arrays %s', async (_, before, after) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${before}${nested(25)}${after}}`
    const [status, keys] = await show(post(body))
    expect(status).toBe(200)
    expect(keys).toContain('content')
  })

  test('arguments as JSON text have the limits of a message', async () => {
    const given = JSON.stringify(manyKeys(1001))
    const call = { ...LIST, method: 'tools/call', params: { name: 'list_tags', arguments: given } }
    const { error } = await (await hub.answer(post(call))).json()
    expect(error).toMatchObject({
      code: -32602,
      message: 'arguments: expected an object, for example {"owner": "acme"}.',
    })
  })

  test('returns 504 at the deadline when the store does not respond', async () => {
    const stuck = { ...hub.hub, siteFiles: { read: () => new Promise<never>(() => {}) } }
    const call = { ...LIST, method: 'tools/call', params: { name: 'get_prompt', arguments: { name: 'acme/x' } } }
    const response = await handleMcp(post(call), () => stuck, 50)
    expect([response.status, (await response.json()).error.code]).toEqual([504, -32603])
  })

  test.each([
    ['an invalid setting', new HubError('unavailable', 'The hub is not set up: X.'), 503, 'The hub is not set up: X.'],
    ['an internal error', new Error('secret of /srv'), 500, 'Internal error'],
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
    const { error } = await (await hub.answer(post({ ...LIST, method: 'prompts/list' }), { search })).json()
    expect(error).toEqual({ code: -32603, message: 'Internal error' })
  })
})
