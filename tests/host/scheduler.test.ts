// Checks that one client cannot starve others: requests on one connection are handled one after another, connections
// per IP address are limited, and clients that do not read responses are disconnected.
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findConnectionNetworks } from '../../packages/node-server/http/client-addresses.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../packages/node-server/http/http-server.ts'

const LARGE = Buffer.alloc(40_000_000, 'x')
/** A response that fits in the kernel's buffers. */
const SMALL = Buffer.alloc(500_000, 'x')
const BODIES: Readonly<Record<string, Buffer>> = { '/large': LARGE, '/small': SMALL }
const REQUEST = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const CLOSING = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`

/** The requested paths, in order; then the number of requests in progress, and the highest such number so far. */
let asked: string[]
let answering: number
let mostAtOnce: number
/** Responses to `/held/…` wait until this promise is resolved. */
let held: PromiseWithResolvers<void>
/** The server's side of each connection. */
let sides: Socket[]
beforeEach(() => {
  ;[asked, answering, mostAtOnce, held, sides] = [[], 0, 0, Promise.withResolvers(), []]
})

const servers: RunningServer[] = []
const clients: Socket[] = []
afterEach(() => {
  held.resolve()
  for (const client of clients.splice(0)) client.destroy()
})
afterAll(() => Promise.all(servers.map((running) => running.stop(0))))

async function open(options: ServerOptions = {}): Promise<number> {
  // A server from an earlier test may still be responding to its own requests.
  const own = asked
  const running = await startServer(
    async ({ url = '' }, outgoing) => {
      own.push(url)
      if (own === asked) mostAtOnce = Math.max(mostAtOnce, ++answering)
      outgoing.once('close', () => own === asked && answering--)
      if (url.startsWith('/held')) await held.promise
      outgoing.end(BODIES[url] ?? `<${url}>`)
    },
    0,
    { listenAt: ['127.0.0.1'], ...options },
  )
  running.server.on('connection', (socket: Socket) => sides.push(socket))
  servers.push(running)
  return (running.server.address() as AddressInfo).port
}

/** Opens a client that collects the responses. @param from the client's IP address */
function dial(port: number, text: string, from = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  const client = { socket, text: '', isClosed: false }
  clients.push(socket)
  socket.on('data', (chunk) => (client.text += chunk))
  socket.on('error', () => {})
  socket.on('close', () => (client.isClosed = true))
  socket.write(text)
  return client
}
/**
 * Returns the connections on a port that the kernel still holds, except those in the LISTEN or TIME_WAIT state. See
 * proc_net_tcp(5).
 */
function heldByKernel(port: number): string[] {
  if (process.platform !== 'linux') return []
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1, -1)
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return rows.filter((row) => {
    const [, local = '', , state = ''] = row.trim().split(/\s+/)
    return local.endsWith(suffix) && !['0A', '06'].includes(state)
  })
}
const answersIn = (text: string) => [...text.matchAll(/<(.*?)>/g)].map(([, path]) => path)

describe('many requests on one connection', () => {
  test('are answered in order, one at a time', async () => {
    const port = await open()
    const paths = Array.from({ length: 500 }, (_, number) => `/${number}`)
    const client = dial(port, paths.map(REQUEST).join(''))
    await expect.poll(() => answersIn(client.text)).toEqual(paths)
    expect([asked, mostAtOnce]).toEqual([paths, 1])
  })

  test('are not read while the first is being answered, but all are answered later', async () => {
    const port = await open()
    const client = dial(port, REQUEST('/held') + REQUEST('/x').repeat(20_000))
    await expect.poll(() => asked).toEqual(['/held'])
    await sleep(200)
    expect(sides[0]!.bytesRead).toBeLessThan(200_000)
    expect(asked).toEqual(['/held'])
    held.resolve()
    await expect.poll(() => answersIn(client.text).length, { timeout: 280_000, interval: 1_000 }).toBe(20_001)
    expect(mostAtOnce).toBe(1)
  })

  test('do not block other connections', async () => {
    const port = await open()
    const other = dial(port, REQUEST('/first'))
    await expect.poll(() => other.text).toContain('</first>')
    dial(port, REQUEST('/x').repeat(20_000))
    other.socket.write(REQUEST('/other'))
    await expect.poll(() => other.text).toContain('</other>')
    expect(asked.indexOf('/other')).toBeLessThan(1_000)
  })

  test('over the total queue limit: the connection that sends more is closed', async () => {
    const port = await open({ limits: { waitingRequests: 50 } })
    const within = dial(port, REQUEST('/held/1') + REQUEST('/x').repeat(40))
    await expect.poll(() => asked).toEqual(['/held/1'])
    const beyond = dial(port, REQUEST('/held/2') + REQUEST('/x').repeat(40))
    await expect.poll(() => beyond.isClosed).toBe(true)
    held.resolve()
    await expect.poll(() => answersIn(within.text).length).toBe(41)
    const later = dial(port, REQUEST('/x').repeat(40))
    await expect.poll(() => answersIn(later.text).length).toBe(40)
  })

  test('are parsed correctly when they have bodies', async () => {
    const port = await open()
    const post = `POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc`
    const client = dial(port, post.repeat(3) + REQUEST('/last'))
    await expect.poll(() => answersIn(client.text)).toEqual(['/post', '/post', '/post', '/last'])
  })
})

describe('clients that do not read responses', () => {
  const limits = { unreadMs: 300, lingerMs: 300 }

  test('closes the connection and frees its socket', async () => {
    const port = await open({ limits })
    const client = dial(port, REQUEST('/large'))
    client.socket.pause()
    await expect.poll(() => sides[0]?.destroyed).toBe(true)
    await expect.poll(() => heldByKernel(port)).toEqual([])
  })

  test('serves a client that reads slowly', async () => {
    const port = await open({ limits })
    const client = dial(port, CLOSING('/large'))
    let length = 0
    client.socket.removeAllListeners('data')
    client.socket.on('data', (chunk) => {
      length += chunk.length
      // For longer than the limit, with progress all the time.
      if (length > 6_000_000) return
      client.socket.pause()
      setTimeout(() => client.socket.resume(), 5)
    })
    await expect.poll(() => length).toBeGreaterThan(LARGE.length)
    await expect.poll(() => client.isClosed).toBe(true)
  })

  test.each([
    ['the last response of a connection', CLOSING('/small')],
    ['a response on a keep-alive connection', REQUEST('/small')],
  ])('also closes the connection after %s that fits in the socket buffer', async (_, request) => {
    const port = await open({ limits: { ...limits, keepAliveMs: 300 } })
    const client = dial(port, request)
    client.socket.pause()
    await expect.poll(() => sides[0]?.destroyed).toBe(true)
    await expect.poll(() => heldByKernel(port)).toEqual([])
  })

  test('lets a client wait for a slow response', async () => {
    const port = await open({ limits })
    const client = dial(port, REQUEST('/held'))
    await sleep(1_000)
    held.resolve()
    await expect.poll(() => client.text).toContain('</held>')
  })
})

describe('connections from one IP address', () => {
  const limits = { servedOfAddress: 2, connectionsOfAddress: 5 }
  const networksOf = findConnectionNetworks([])

  test('are served a few at a time, without blocking other addresses', async () => {
    const port = await open({ limits, networksOf })
    dial(port, CLOSING('/held/1'))
    dial(port, CLOSING('/held/2'))
    await expect.poll(() => asked).toHaveLength(2)
    const third = dial(port, REQUEST('/third'))
    const other = dial(port, REQUEST('/other'), '127.0.0.2')
    await expect.poll(() => other.text).toContain('</other>')
    expect(asked).not.toContain('/third')
    held.resolve()
    await expect.poll(() => third.text).toContain('</third>')
  })

  test('are closed when idle, or after a response, if others wait', async () => {
    const port = await open({ limits, networksOf })
    const idle = dial(port, REQUEST('/idle'))
    await expect.poll(() => idle.text).toContain('</idle>')
    const busy = dial(port, REQUEST('/held'))
    await expect.poll(() => asked).toContain('/held')
    const third = dial(port, REQUEST('/third'))
    await expect.poll(() => third.text).toContain('</third>')
    expect(idle.isClosed).toBe(true)
    const more = ['/4', '/5', '/6'].map((path) => dial(port, REQUEST(path)))
    held.resolve()
    for (const [number, client] of more.entries()) await expect.poll(() => client.text).toContain(`</${number + 4}>`)
    await expect.poll(() => busy.isClosed).toBe(true)
  })

  test('are all answered when many open at once', async () => {
    const port = await open({ limits: { servedOfAddress: 2, connectionsOfAddress: 100 }, networksOf })
    const many = Array.from({ length: 100 }, (_, number) => dial(port, REQUEST(`/${number}`)))
    await expect.poll(() => many.filter(({ text }) => text.includes('>')).length).toBe(100)
    expect(mostAtOnce).toBeLessThanOrEqual(2)
  })

  test('get 429 above the limit', async () => {
    const port = await open({ limits, networksOf })
    for (let number = 0; number < 5; number++) dial(port, REQUEST(`/held/${number}`))
    await expect.poll(() => sides.length).toBe(5)
    const beyond = dial(port, REQUEST('/beyond'))
    await expect.poll(() => beyond.isClosed).toBe(true)
    expect(beyond.text).toMatch(/^HTTP\/1\.1 429 /)
    expect(JSON.parse(beyond.text.split('\r\n\r\n')[1]!).error.code).toBe('rate_limited')
    for (const client of clients.splice(0)) client.destroy()
    held.resolve()
    await expect
      .poll(async () => {
        const again = dial(port, REQUEST('/again'))
        await sleep(50)
        return again.text
      })
      .toContain('</again>')
  })

  test('are not counted for a trusted proxy', async () => {
    const port = await open({
      limits,
      networksOf: findConnectionNetworks([{ address: '127.0.0.0', prefix: 8 }]),
    })
    const many = Array.from({ length: 20 }, (_, number) => dial(port, REQUEST(`/held/${number}`)))
    await expect.poll(() => asked).toHaveLength(20)
    held.resolve()
    await expect.poll(() => many.every(({ text }) => text.includes('>'))).toBe(true)
  })
})

test.each([
  ['192.0.2.1', ['192.0.2.1']],
  ['::ffff:192.0.2.1', ['192.0.2.1']],
  ['::ffff:c000:201', ['192.0.2.1']],
  ['2001:db8:1:2:3:4:5:6', ['2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1::/48']],
  ['2001:DB8:1:ab02::', ['2001:db8:1:ab02::/64', '2001:db8:1:ab00::/56', '2001:db8:1::/48']],
  ['10.0.0.1', []],
  ['::ffff:a00:1', []],
])('a connection from %s counts towards the limits of %s', (remoteAddress, counted) => {
  const find = findConnectionNetworks([{ address: '10.0.0.0', prefix: 8 }])
  expect(find({ remoteAddress } as Socket)).toEqual(counted)
})
