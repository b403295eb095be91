// Checks that clients that hold many connections, from one address or many, keep nobody else out: at the connection
// limit, connections without a whole request are closed first, and those of the largest network before all others.
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { findConnectionNetworks } from '../../packages/node-server/http/client-addresses.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../packages/node-server/http/http-server.ts'

const LARGE = Buffer.alloc(40_000_000, 'x')
const HOST = 'Host: localhost\r\n'
const READ = `GET /read HTTP/1.1\r\n${HOST}\r\n`
const READ_LARGE = `GET /large HTTP/1.1\r\n${HOST}\r\n`
const HALF = `GET /read HTTP/1.1\r\n${HOST}X-Half: `
const UPLOAD = `POST /upload HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\n`

/** Nothing times out during a test, so only the limits make room. */
const PATIENT = { headersMs: 500_000, requestMs: 600_000, stalledMs: 600_000, unreadMs: 600_000, keepAliveMs: 600_000 }
const CROWDED = { ...PATIENT, connections: 60, checkMs: 50, patienceMs: 100 }
const networksOf = findConnectionNetworks([])

const servers: RunningServer[] = []
const clients: Socket[] = []
/** The server's side of each connection. */
let sides: Socket[] = []
/** The requests that wait for a response that never comes. */
let unanswered = 0
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
})
afterAll(() => Promise.all(servers.map((running) => running.stop(0))))

async function open(options: ServerOptions): Promise<number> {
  const running = await startServer(
    async (incoming, outgoing) => {
      // A body whose connection is closed never ends.
      await incoming
        .resume()
        .toArray()
        .catch(() => {})
      if (incoming.url === '/never') {
        unanswered += 1
        return
      }
      const bodies: Record<string, Buffer> = { '/large': LARGE, '/buffered': LARGE.subarray(0, 1_000_000) }
      outgoing.end(bodies[incoming.url ?? ''] ?? `<${incoming.url}>`)
    },
    0,
    { listenAt: ['127.0.0.1'], networksOf, ...options },
  )
  sides = []
  unanswered = 0
  running.server.on('connection', (socket: Socket) => sides.push(socket))
  servers.push(running)
  return (running.server.address() as AddressInfo).port
}

function dial(port: number, from: string, text: string) {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => socket.write(text))
  const client = { socket, text: '', isClosed: false }
  clients.push(socket)
  socket.on('data', (chunk) => (client.text += chunk))
  socket.on('error', () => {})
  socket.on('close', () => (client.isClosed = true))
  return client
}

/** Opens connections from many addresses. @returns once the server has had time to accept them */
async function crowd(port: number, addresses: readonly string[], each: number, text: string, reads = true) {
  const all = addresses.flatMap((from) => Array.from({ length: each }, () => dial(port, from, text)))
  if (!reads) for (const { socket } of all) socket.removeAllListeners('data').pause()
  await sleep(200)
  return all
}

/** Reads over new connections, one after another. @returns the number of successful reads */
async function readThirty(port: number, from: string): Promise<number> {
  let count = 0
  for (let number = 0; number < 30; number++) {
    const { socket, ...client } = dial(port, from, READ)
    const isDone = Promise.withResolvers<boolean>()
    socket.on('data', (chunk) => String(chunk).includes('</read>') && isDone.resolve(true))
    socket.on('close', () => isDone.resolve(client.text.includes('</read>')))
    if (await Promise.race([isDone.promise, sleep(20_000).then(() => false)])) count++
    socket.destroy()
  }
  return count
}

const TWENTY = Array.from({ length: 20 }, (_, number) => `127.0.1.${number + 1}`)
const ANOTHER = '127.0.2.1'

describe('20 addresses that use all connections keep nobody else out', () => {
  test.each([
    ['send slow headers', HALF, true],
    ['send nothing', '', true],
    ['stay idle after a response', READ, true],
    ['read nothing of a long response', READ_LARGE, false],
    ['read nothing of the last response', `GET /large HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, false],
  ])('when they %s', async (_, text, reads) => {
    const port = await open({ limits: CROWDED })
    await crowd(port, TWENTY, 4, text, reads)
    // They replace the connections that they lose.
    const renewing = setInterval(() => void crowd(port, TWENTY.slice(0, 3), 1, text, reads), 100)
    onTestFinished(() => clearInterval(renewing))
    expect(await readThirty(port, ANOTHER)).toBe(30)
  })

  test('and a connection that is in use by another stays open', async () => {
    const port = await open({ limits: CROWDED })
    const idle = dial(port, ANOTHER, READ)
    const busy = dial(port, ANOTHER, `GET /never HTTP/1.1\r\n${HOST}\r\n`)
    await expect.poll(() => idle.text).toContain('</read>')
    for (let round = 0; round < 5; round++) await crowd(port, TWENTY, 4, HALF)
    idle.socket.write(READ)
    await expect.poll(() => idle.text).toMatch(/<\/read>[\s\S]*<\/read>/)
    expect([idle.isClosed, busy.isClosed]).toEqual([false, false])
  })

  test('and get 503 when every connection waits for a response', async () => {
    const port = await open({ limits: { ...CROWDED, connections: 20 } })
    await crowd(port, TWENTY, 1, `GET /never HTTP/1.1\r\n${HOST}\r\n`)
    await expect.poll(() => unanswered).toBe(20)
    const beyond = dial(port, ANOTHER, READ)
    await expect.poll(() => beyond.isClosed).toBe(true)
    expect(beyond.text).toMatch(/^HTTP\/1\.1 503 /)
  })
})

describe('one IPv6 /48', () => {
  /** Stands for IPv6 addresses, of which a machine has only one on loopback: 127.48.a.b is in the /48 of all 127.48, the /56 a and the /64 a.b. */
  const asIPv6 = ({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>) => {
    const [, first, a, b] = remoteAddress.split('.')
    return first === '48' ? [`${a}.${b}/64`, `${a}/56`, '48/48'] : [remoteAddress]
  }
  const many = Array.from({ length: 60 }, (_, number) => `127.48.${number % 6}.${number + 1}`)

  test('cannot take all connections with one from each /64', async () => {
    const port = await open({ limits: CROWDED, networksOf: asIPv6 })
    const others = await crowd(port, TWENTY, 1, HALF)
    await crowd(port, many, 1, HALF)
    expect(others.filter(({ isClosed }) => isClosed)).toEqual([])
    expect(await readThirty(port, ANOTHER)).toBe(30)
  })

  test('has four times the connections of a /64', async () => {
    const port = await open({
      limits: { ...PATIENT, servedOfAddress: 2, connectionsOfAddress: 4 },
      networksOf: asIPv6,
    })
    const never = `GET /never HTTP/1.1\r\n${HOST}\r\n`
    const all = await crowd(port, many, 1, never)
    await expect.poll(() => all.filter(({ text }) => text.startsWith('HTTP/1.1 429')).length).toBe(60 - 16)
  })
})

test('a client with slow headers delays others of its own address only for a moment', async () => {
  const port = await open({ limits: { ...CROWDED, servedOfAddress: 4, connectionsOfAddress: 8 } })
  await crowd(port, [ANOTHER], 4, HALF)
  const waiting = dial(port, ANOTHER, READ)
  await expect.poll(() => waiting.text).toContain('</read>')
  await crowd(port, [ANOTHER], 8, HALF)
  const again = dial(port, ANOTHER, READ)
  await expect.poll(() => again.text, { timeout: 30_000 }).toContain('</read>')
})

test.each([
  ['more than the kernel buffers', READ_LARGE, 25_000_000],
  ['in the kernel’s buffers', `GET /buffered HTTP/1.1\r\n${HOST}\r\n`, 6_000_000],
])(
  'clients leave only so many bytes unread, %s, and the largest network loses its connections first',
  async (_, text, unreadBytes) => {
    const port = await open({ limits: { ...CROWDED, unreadBytes } })
    await crowd(port, [ANOTHER], 1, text, false)
    await crowd(port, TWENTY.slice(0, 2), 8, text, false)
    await expect.poll(() => sides.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(9)
    await sleep(200)
    expect(sides.map(({ destroyed }) => destroyed).filter((isClosed) => !isClosed).length).toBeGreaterThan(4)
    expect(sides[0]!.destroyed).toBe(false)
  },
)

describe('request bodies', () => {
  const limits = { ...PATIENT, bodies: 4, patienceMs: 60_000 }

  test('of a client with several make room for another client, even if they have only just begun', async () => {
    const port = await open({ limits })
    const held = await crowd(port, TWENTY.slice(0, 2), 2, UPLOAD)
    const whole = dial(port, ANOTHER, `${UPLOAD}abc`)
    await expect.poll(() => whole.text).toContain('</upload>')
    await expect.poll(() => held.filter(({ text }) => text.startsWith('HTTP/1.1 503')).length).toBe(1)
  })

  test('of clients with one each do not', async () => {
    const port = await open({ limits })
    await crowd(port, TWENTY.slice(0, 4), 1, UPLOAD)
    const beyond = dial(port, ANOTHER, `${UPLOAD}abc`)
    await expect.poll(() => beyond.text).toMatch(/^HTTP\/1\.1 503 /)
  })

  test('are counted by the client that a proxy reports', async () => {
    const clientNetworksOf: ServerOptions['clientNetworksOf'] = ({ headers }) => [String(headers['x-client'])]
    const port = await open({ limits, clientNetworksOf })
    const by = (client: string) => UPLOAD.replace('\r\n\r\n', `\r\nX-Client: ${client}\r\n\r\n`)
    await crowd(port, ['127.0.0.1'], 4, by('a'))
    const same = dial(port, '127.0.0.1', `${by('a')}abc`)
    await expect.poll(() => same.text).toMatch(/^HTTP\/1\.1 503 /)
    const other = dial(port, '127.0.0.1', `${by('b')}abc`)
    await expect.poll(() => other.text).toContain('</upload>')
  })
})
