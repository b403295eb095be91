// Tests how our own host handles requests that no library would send: each request gets an error response or is
// disconnected, without delaying other clients. An uncaught error in a request stops no process, and causes no endless loop
// where the log has lost its reader. That `npm start` survives one, tests/host/faulty-builder.test.ts tests.

import { execFileSync } from 'node:child_process'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type App, createHandler } from '../../src/hosts/node/http/answer.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../src/hosts/node/http/http-server.ts'
import { toHubError } from '../../src/log.ts'
import { respondWithError } from '../../src/server/refusals.ts'
import { openBody } from '../../src/server/request.ts'
import { FILES_APP } from '../hubs/app.ts'
import { type Run, startProcess } from '../hubs/processes.ts'

interface Raw {
  status: number
  headers: Record<string, string>
  body: string
}

/** `/slow` responds when the test resolves this promise. */
let slow = Promise.withResolvers<void>()
let entered = Promise.withResolvers<void>()
const app: App<unknown> = {
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/slow') {
      entered.resolve()
      await slow.promise
      return new Response('done')
    }
    if (pathname.startsWith('/echo/')) return new Response(pathname)
    if (pathname !== '/body' || request.method !== 'POST') return FILES_APP.fetch(request, { hub: { files: NO_FILES } })
    try {
      const bytes = await openBody(request, 1_048_576, () => new Error('too large')).read()
      return new Response(`${bytes.length} bytes`)
    } catch (thrown) {
      return respondWithError(request, toHubError(thrown))
    }
  },
}
const NO_FILES = { read: async () => undefined }

const servers: RunningServer[] = []
async function open(options: ServerOptions = {}): Promise<number> {
  const handler = createHandler(app, () => ({}))
  const running = await startServer(handler, 0, { listenAt: ['127.0.0.1'], ...options })
  servers.push(running)
  return (running.server.address() as AddressInfo).port
}

const port = await open()
afterAll(() => Promise.all(servers.map((running) => running.stop(0))))
afterEach(() => {
  slow = Promise.withResolvers()
  entered = Promise.withResolvers()
})

/** Sends bytes and reads until the server closes the connection. */
function send(text: string | Buffer, at = port): Promise<Raw[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(at, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on(
      'error',
      (error: NodeJS.ErrnoException) => error.code !== 'EPIPE' && error.code !== 'ECONNRESET' && reject(error),
    )
    socket.on('close', () => resolve(parseAll(Buffer.concat(chunks).toString('latin1'))))
    socket.write(text)
  })
}

function parseAll(text: string): Raw[] {
  const answers: Raw[] = []
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`no answer: ${rest}`)
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((header) => [header.split(': ')[0]!.toLowerCase(), header.split(': ')[1]!]),
    )
    const length = Number(headers['content-length'] ?? 0)
    answers.push({ status: Number(line.split(' ')[1]), headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

const HOST = 'Host: localhost\r\n'
const CLOSE = 'Connection: close\r\n\r\n'

describe('unusual requests get a JSON error with the common headers', () => {
  const get = (target: string, headers = HOST) => `GET ${target} HTTP/1.1\r\n${headers}${CLOSE}`
  const post = (headers: string, body: string) => `POST /body HTTP/1.1\r\n${HOST}${headers}${CLOSE}${body}`
  const chunked = 'Transfer-Encoding: chunked\r\n'
  //  case, request
  const refused: [string, string][] = [
    ['NUL', get('/api/\0')],
    ['a path of 30 kB', get(`/api/${'x'.repeat(30_000)}`)],
    ['a user in the Host header', get('/api', 'Host: a@localhost\r\n')],
    ['an invalid IP address in the Host header', get('/api', 'Host: 1.2.3.4.5\r\n')],
    ['an unknown method', `BREW /pot HTTP/1.1\r\n${HOST}${CLOSE}`],
    ['two Content-Length headers', post('Content-Length: 1\r\nContent-Length: 2\r\n', 'xy')],
    ['Content-Length and chunked encoding', post(`Content-Length: 1\r\n${chunked}`, '0\r\n\r\n')],
    ['a coding after chunked', post('Transfer-Encoding: chunked, gzip\r\n', '3\r\nabc\r\n0\r\n\r\n')],
    ['a folded header line', get('/api', `${HOST}X: a\r\n b\r\n`)],
    ['a space before the colon', get('/api', 'Host : localhost\r\n')],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ]
  test.each<[string, string, number, string]>([
    ['a single %', get('/api/v1/%'), 404, 'not_found'],
    ['an incomplete percent-encoded character', get('/api/v1/%E0%A4%A'), 404, 'not_found'],
    ['an absolute-form target', get('http://localhost/api/v1/x'), 404, 'not_found'],
    ['a path of 20 kB', get(`/api/${'x'.repeat(20_000)}`), 404, 'not_found'],
    ['HTTP/1.0 without Host', 'GET /api/v1/x HTTP/1.0\r\n\r\n', 404, 'not_found'],
    ['TRACE', `TRACE /nothing HTTP/1.1\r\n${HOST}${CLOSE}`, 405, 'method_not_allowed'],
    ...refused.map(([said, request]): [string, string, number, string] => [said, request, 400, 'invalid_request']),
  ])('%s', async (_, request, status, code) => {
    const [answer, ...more] = await send(Buffer.from(request, 'latin1'))
    expect(more).toEqual([])
    expect(answer).toMatchObject({
      status,
      headers: {
        'access-control-allow-origin': '*',
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'x-prompt-hub-version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
        'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{8,64}$/),
        date: expect.stringMatching(/ GMT$/),
      },
    })
    const { error, ...rest } = JSON.parse(answer!.body)
    expect(rest).toEqual({})
    expect(error).toEqual({ code, message: expect.stringMatching(/\.$/) })
  })

  test('uses the path of an absolute-form request', async () => {
    const [answer] = await send(`GET http://localhost/echo/a?b HTTP/1.1\r\n${HOST}${CLOSE}`)
    expect(answer?.body).toBe('/echo/a')
  })

  test('accepts a body sent with Expect: 100-continue', async () => {
    const answers = await send(`POST /body HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 3\r\n${CLOSE}abc`)
    expect(answers.at(-1)?.body).toBe('3 bytes')
  })

  test('ignores the rest of a connection after a rejected request', async () => {
    const two = `GET /api HTTP/1.1\r\nHost : x\r\n\r\nGET /echo/smuggled HTTP/1.1\r\n${HOST}${CLOSE}`
    expect((await send(two)).map(({ status }) => status)).toEqual([400])
  })
})

/** Opens connections that send something and then stall. */
async function stall(count: number, text: string, at: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(at, '127.0.0.1').on('error', () => {}))
  await Promise.all(sockets.map((socket) => new Promise<void>((done) => socket.write(text, () => done()))))
  return sockets
}
const ended = (socket: Socket): Promise<string> => {
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  return new Promise((resolve) => socket.on('close', () => resolve(text)))
}
const upload = (length: number, sent: string) =>
  `POST /body HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n\r\n${sent}`

describe('slow clients', () => {
  const limits = { headersMs: 300, requestMs: 900, checkMs: 50 }

  test('a request that does not arrive in time gets an error, and its connection is closed', async () => {
    const at = await open({ limits })
    const drips: NodeJS.Timeout[] = []
    const said = await Promise.all(
      Object.entries({
        'incomplete headers': 'GET / HTTP/1.1\r\nHost: lo',
        'no headers': '',
        'an incomplete body': upload(10, 'abc'),
        'an incomplete chunked body': `POST /body HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`,
        'a body in small pieces': upload(1_000, 'a'),
      }).map(async ([what, text]) => {
        const [socket] = await stall(1, text, at)
        if (what.endsWith('pieces')) drips.push(setInterval(() => socket!.write('a'), 100))
        const [answer] = parseAll(await ended(socket!))
        return [what, answer?.status, JSON.parse(answer?.body ?? '{}').error?.message]
      }),
    )
    for (const drip of drips) clearInterval(drip)
    for (const [what, ...rest] of said)
      expect([what, ...rest]).toEqual([what, 400, 'The request timed out. Send it again.'])
  })

  test('logs no error for an aborted upload', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const [socket] = await stall(1, upload(10, 'abc'), port)
    await sleep(50)
    socket!.destroy()
    await sleep(50)
    expect(log.mock.calls).toEqual([])
    log.mockRestore()
  })

  test('a response may take longer than a request, and than a stalled connection', async () => {
    const at = await open({ limits: { ...limits, stalledMs: 300 } })
    const answering = send(`GET /slow HTTP/1.1\r\n${HOST}${CLOSE}`, at)
    await sleep(1_200)
    slow.resolve()
    expect((await answering)[0]?.body).toBe('done')
  })

  test('closes the connection of a client that sends and reads nothing', async () => {
    const at = await open({ limits: { stalledMs: 300, headersMs: 50_000, requestMs: 60_000 } })
    const [socket] = await stall(1, upload(10, 'abc'), at)
    expect(await ended(socket!)).toBe('')
  })

  test('gets 503 while bodies of 64 MiB are arriving', async () => {
    const at = await open({ limits: { headersMs: 50_000, requestMs: 60_000 } })
    const stalled = Array.from({ length: 64 }, () => connect(at, '127.0.0.1').on('error', () => {}))
    for (const socket of stalled) socket.write(upload(1_048_576, 'a'.repeat(1_048_000)))
    const body = 'b'.repeat(100_000)
    const refused = async () => {
      const [answer] = await send(`POST /body HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n${CLOSE}${body}`, at)
      return [answer?.status, answer?.headers['retry-after']]
    }
    await expect.poll(refused).toEqual([503, '1'])
    for (const socket of stalled) socket.destroy()
    await expect.poll(refused).toEqual([200, undefined])
  })

  test('closes a connection above the limit at once', async () => {
    const at = await open({ limits: { connections: 2 } })
    const kept = await stall(2, `GET /echo/x HTTP/1.1\r\n${HOST}\r\n`, at)
    await Promise.all(kept.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
    expect(await send(`GET /echo/y HTTP/1.1\r\n${HOST}${CLOSE}`, at)).toEqual([])
    kept[0]!.destroy()
    await expect.poll(async () => (await send(`GET /echo/y HTTP/1.1\r\n${HOST}${CLOSE}`, at))[0]?.body).toBe('/echo/y')
    for (const socket of kept) socket.destroy()
  })
})

describe('shutdown', () => {
  test('finishes running requests and closes idle connections', async () => {
    const handler = createHandler(app, () => ({}))
    const running = await startServer(handler, 0, { listenAt: ['127.0.0.1'] })
    const at = (running.server.address() as AddressInfo).port
    const [idle] = await stall(1, `GET /echo/x HTTP/1.1\r\n${HOST}\r\n`, at)
    const idleEnded = ended(idle!)
    const answering = send(`GET /slow HTTP/1.1\r\n${HOST}\r\n`, at)
    await entered.promise
    const stopped = running.stop()
    await idleEnded
    await expect(send(`GET / HTTP/1.1\r\n${HOST}${CLOSE}`, at)).rejects.toThrow('ECONNREFUSED')
    slow.resolve()
    const [answer] = await answering
    expect([answer?.body, answer?.headers.connection]).toEqual(['done', 'close'])
    await stopped
  })

  test('aborts requests that exceed the grace period', async () => {
    const handler = createHandler(app, () => ({}))
    const running = await startServer(handler, 0, { listenAt: ['127.0.0.1'] })
    const answering = send(`GET /slow HTTP/1.1\r\n${HOST}\r\n`, (running.server.address() as AddressInfo).port)
    await entered.promise
    await running.stop(100)
    expect(await answering).toEqual([])
  })
})

test('listens only on the given local addresses', async () => {
  const running = await startServer(async () => new Response('here'), 0, { listenAt: ['127.0.0.1', '127.0.0.2'] })
  servers.push(running)
  const at = (running.server.address() as AddressInfo).port
  const ask = (host: string) =>
    fetch(`http://${host}:${at}/`).then(
      (answer) => answer.text(),
      () => 'nobody',
    )
  expect([await ask('127.0.0.1'), await ask('127.0.0.2'), await ask('127.0.0.3')]).toEqual(['here', 'here', 'nobody'])
  await running.stop()
  expect(await ask('127.0.0.2')).toBe('nobody')
})

test('a sender who holds many bodies leaves room for others', async () => {
  const open = (size: number, end: Promise<void>) => {
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(size))
        await end
        controller.close()
      },
    })
    return openBody(
      new Request('http://hub', { method: 'POST', body, duplex: 'half' } as RequestInit),
      size,
      () => new Error(),
    )
  }
  const { promise: stalled, resolve: end } = Promise.withResolvers<void>()
  const size = 12 * 1_048_576
  const waiting = [open(size, stalled).read('slow'), open(size, stalled).read('slow')]
  await sleep(0)
  await expect(open(1, stalled).read('slow')).rejects.toMatchObject({ code: 'unavailable' })
  expect(await open(size, Promise.resolve()).read('other')).toHaveLength(size)
  end()
  await Promise.all(waiting)
  expect(await open(1, Promise.resolve()).read('slow')).toHaveLength(1)
})

describe('an uncaught error', () => {
  /** A server that throws in the way that the path names. */
  const SERVER = `
  import { Worker } from 'node:worker_threads'
  const { startServer } = await import(process.cwd() + '/src/hosts/node/http/http-server.ts')
  const { logUncaughtErrors } = await import(process.cwd() + '/src/hosts/node/http/uncaught-errors.ts')
  const KINDS = {
    answer: () => { throw new Error('thrown in answer') },
    rejection: () => void Promise.reject(new Error('thrown in rejection')),
    callback: () => setTimeout(() => { throw new Error('thrown in callback') }),
    thread: () => new Worker("throw new Error('thrown in thread')", { eval: true }),
    'memory limit': () => new Worker('const all = []; for (;;) all.push(new Array(1000).fill({}))', {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: 4 },
    }),
    'without a text representation': () => setTimeout(() => { throw Object.create(null) }),
  }
  await startServer(async ({ url }) => {
    KINDS[decodeURI(new URL(url).pathname.slice(1))]?.()
    return new Response('answered')
  }, Number(process.env.PORT))
  logUncaughtErrors()
`
  describe('a request that throws', () => {
    let base: string
    let run: Run
    beforeAll(async () => {
      const isReady = async (at: string) => (await fetch(`${at}/`)).ok
      const started = await startProcess({ command: ['node', '--input-type=module', '-e', SERVER], isReady })
      base = started.base
      run = started.run
    })
    afterAll(() => run.end())

    test.each([
      ['rejection', 'thrown in rejection'],
      ['callback', 'thrown in callback'],
      ['thread', 'thrown in thread'],
      ['memory limit', 'memory limit'],
      ['without a text representation', 'a value without a text representation'],
    ])('%s: is logged, and the server keeps running', async (kind, said) => {
      expect(await (await fetch(`${base}/${kind}`)).text()).toBe('answered')
      await expect.poll(run.log).toContain(said)
      expect(await (await fetch(`${base}/`)).text()).toBe('answered')
      expect(run.ended()).toBe(false)
    })

    test('in the handler is logged, and answered as an error', async () => {
      expect((await fetch(`${base}/answer`)).status).toBe(500)
      await expect.poll(run.log).toContain('"cause":"thrown in answer"')
      expect(await (await fetch(`${base}/`)).text()).toBe('answered')
    })
  })

  /**
   * A hub that forwards the log of a child process, such as the builder. It reports the number of uncaught errors on file
   * descriptor 3.
   */
  const HUB = `
  import { spawn } from 'node:child_process'
  import { writeSync } from 'node:fs'
  const { logUncaughtErrors } = await import(process.cwd() + '/src/hosts/node/http/uncaught-errors.ts')
  let caught = 0
  const report = (text) => { writeSync(3, text); process.exit() }
  process.on('uncaughtException', () => { if (++caught === 1000) report('a loop') })
  logUncaughtErrors()
  const child = spawn(process.execPath, ['-e', 'setInterval(() => console.error("a line"), 50); setTimeout(() => process.exit(), 900)'])
  child.stderr.pipe(process.stderr)
  setTimeout(() => { throw new Error('of one request') }, 300)
  setTimeout(() => report(String(caught)), 1_300)
`

  test('an uncaught error is handled once when the log has no reader', () => {
    const command = `{ "$NODE" --input-type=module -e "$HUB" 2>&1 1>/dev/null 3>&3 | true; } 3>&1`
    const said = execFileSync('sh', ['-c', command], { env: { ...process.env, NODE: process.execPath, HUB } })
    expect(said.toString()).toBe('1')
  })
})
