// Tests how a hub ends: behind a load balancer, it first says that it is not ready, keeps responding while the balancer
// notices, and then exits; in a socket of a service manager, requests wait for the next one. That Ctrl-C ends it without
// waiting, faulty-builder.test.ts tests. And its connections in a company's network, with a private authority and an
// outbound proxy of the test's own: Node, git and the database driver follow the same settings, and the doctor names a
// certificate as the cause.

import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createProxy } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcp, type Server } from 'node:net'
import { join, resolve } from 'node:path'
import * as tls from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findGivenSocket } from '../../src/hosts/node/http/given-socket.ts'
import { versionFile } from '../doctor/setups.ts'
import { poll } from '../e2e/client.ts'
import { isServingFiles, launch, type Run } from '../hubs/processes.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

describe('the end of a hub', () => {
  /**
   * What systemd does with a socket unit and a service that restarts: it listens, and starts the command again when it has
   * ended. Each argument is DRAIN_SECONDS of one start.
   */
  const MANAGER = `
import os, signal, socket, sys
listening = socket.create_server(("127.0.0.1", 0))
print("port", listening.getsockname()[1], flush=True)
child = 0
signal.signal(signal.SIGHUP, lambda *_: os.kill(child, signal.SIGTERM))
for seconds in sys.argv[2:]:
    child = os.fork()
    if child == 0:
        os.dup2(listening.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", DRAIN_SECONDS=seconds)
        os.execv(sys.argv[1], [sys.argv[1], "scripts/start.ts"])
    print("ended", os.waitpid(child, 0)[1], flush=True)
`

  let run: Run
  let base = ''
  beforeAll(async () => {
    const repository = makeRepository()
    repository.commit({ 'content/acme/one/versions/1.0.0.md': versionFile('One.\n') })
    run = launch('python3', ['-c', MANAGER, process.execPath, '1', '300'], {
      CONTENT_DIR: join(repository.folder, 'content'),
      SITE_URL: 'https://hub.example',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_REQUESTS: 'off',
    })
    const port = await poll('the socket listens', 300_000, async () => /^port (\d+)$/m.exec(run.log())?.[1])
    base = `http://127.0.0.1:${port}`
  })
  afterAll(() => run?.end())

  const started = () => run.log().split('Prompt Hub is running').length - 1

  /** Waits until the hub is ready that was started as the given one. */
  async function isReady(start: number): Promise<void> {
    await expect.poll(started).toBe(start)
    const look = async () => ((await fetch(`${base}/readyz`)).ok && (await isServingFiles(base))) || undefined
    await poll('the hub is ready', 300_000, look, 200)
  }
  const stop = () => process.kill(run.child.pid!, 'SIGHUP')

  test('in a socket of systemd, reads, pages, publishes and MCP calls wait for a restart', async () => {
    await isReady(1)
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_prompt', arguments: { owner: 'acme', name: 'one' } },
    }
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(base + path, {
        ...init,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...init.headers },
      })
      return [path, answer.status]
    }
    const seen: (string | number)[][] = []
    stop()
    while (started() === 1)
      seen.push(
        ...(await Promise.all([
          ask('/api/v1/repos/acme/one/raw'),
          ask('/acme/one'),
          ask('/mcp', { method: 'POST', body: JSON.stringify(call) }),
          ask('/api/v1/repos/acme/one/versions', { method: 'POST', body: '{}' }),
        ])),
      )
    expect(new Set(seen.map(String))).toEqual(
      new Set(['/api/v1/repos/acme/one/raw,200', '/acme/one,200', '/mcp,200', '/api/v1/repos/acme/one/versions,401']),
    )
  })

  test('after SIGTERM, /readyz returns 503 while everything else still responds, until a second signal', async () => {
    await isReady(2)
    stop()
    let unready: Response
    do unready = await fetch(`${base}/readyz?exclude=state`)
    while (unready.ok)
    expect(unready.status).toBe(503)
    expect((await unready.json()).unready).toEqual([
      { part: 'server', reason: 'The hub is shutting down. Use another one.' },
    ])
    for (const path of ['/', '/docs', '/api/v1/repos/acme/one/raw', '/cli/hubcli', '/healthz']) {
      const answer = await fetch(base + path)
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.headers.get('connection')).toBe('close')
    }
    expect(run.log().match(/^ended/gm)).toHaveLength(1)
    stop()
    await run.closed
    expect(run.log().match(/^ended.*/gm)).toEqual(['ended 0', 'ended 0'])
  })

  test.each([
    [{}, undefined],
    [{ LISTEN_PID: '7', LISTEN_FDS: '1' }, undefined],
    [{ LISTEN_PID: '8', LISTEN_FDS: '1' }, 3],
  ])('of %o, process 8 takes the socket %o', (environment, socket) => {
    expect(findGivenSocket(environment, 8)).toBe(socket)
  })

  test('two sockets are refused', () => {
    expect(() => findGivenSocket({ LISTEN_PID: '8', LISTEN_FDS: '2' }, 8)).toThrow(
      'LISTEN_FDS: expected 1, got 2. Use one ListenStream in the socket unit.',
    )
  })
})

describe('the network of a company', async () => {
  const folder = temporaryFolder('hub-network-')
  const authority = join(folder, 'authority.pem')
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const listen = (server: Server) =>
    new Promise<number>((done) => server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port)))

  let servers: Server[] = []
  let [web, database, proxy] = [0, 0, 0]
  const tunnels: string[] = []

  beforeAll(async () => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', authority, '-subj', '/CN=Test authority')
    const own = ['-CA', authority, '-CAkey', 'ca.key', '-addext', 'subjectAltName=DNS:localhost,DNS:git.acme.test']
    openssl('req', '-x509', ...key, ...own, '-keyout', 'own.key', '-out', 'own.pem', '-subj', '/CN=localhost')
    const identity = { key: readFileSync(join(folder, 'own.key')), cert: readFileSync(join(folder, 'own.pem')) }
    const secure = createServer(identity, (_, outgoing) => outgoing.writeHead(404).end('over there'))
    // Accepts the driver's request for TLS, and closes the connection after the handshake.
    const postgres = createTcp((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write('S')
        new tls.TLSSocket(socket, { isServer: true, ...identity }).on('data', () => socket.end()).on('error', () => {})
      })
    })
    const tunnel = createProxy().on('connect', (request, socket) => {
      tunnels.push(String(request.url))
      const there = connect(web, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      there.pipe(socket).pipe(there)
      for (const one of [there, socket]) one.on('error', () => {})
    })
    servers = [secure, postgres, tunnel]
    web = await listen(secure)
    database = await listen(postgres)
    proxy = await listen(tunnel)
  })
  afterAll(() => {
    for (const server of servers) server.close()
  })

  /** Connects with Node, git and the driver, as a hub does after it has read its settings. */
  const CONNECT = `
const [root, web, database, name] = process.argv.slice(1)
const { readConfig } = await import(root + '/src/config.ts')
const { openNetwork } = await import(root + '/src/hosts/node/network.ts')
const { createGit } = await import(root + '/src/git/git-command.ts')
const { default: pg } = await import(root + '/node_modules/pg/lib/index.js')
const { findCertificateCause } = await import(root + '/src/doctor/certificate-cause.ts')
openNetwork(readConfig(process.env))
const node = await fetch('https://' + name + ':' + web).then((answer) => answer.text(), (error) => findCertificateCause('It', error)?.problem ?? String(error.cause))
const git = (await createGit('.', process.env).tryRun(['ls-remote', 'https://' + name + ':' + web + '/a.git'])).stderr
const client = new pg.Client({ connectionString: 'postgresql://hub:x@localhost:' + database + '/hub?sslmode=verify-full' })
client.on('error', () => {})
const driver = await client.connect().catch((error) => error.code ?? error.message)
console.log(JSON.stringify({ node, git, driver }))
process.exit()
`
  async function connectWith(
    settings: Record<string, string>,
    name = 'localhost',
  ): Promise<Record<'node' | 'git' | 'driver', string>> {
    const args = ['--input-type=module', '--eval', CONNECT, resolve('.'), String(web), String(database), name]
    const env = { PATH: process.env.PATH, HOME: folder, ...settings }
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env })
    return JSON.parse(stdout)
  }

  const NOT_TRUSTED = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'

  test('without the authority, no connection is trusted, and the cause is the certificate', async () => {
    const { node, git, driver } = await connectWith({})
    expect(node).toBe(`The certificate of It is not signed by an authority that this machine trusts (${NOT_TRUSTED}).`)
    expect(git).toMatch(/certificate/)
    expect(driver).toBe(NOT_TRUSTED)
  })

  test('EXTRA_CA_CERTS is trusted by Node, git and the database driver, besides the usual authorities', async () => {
    const { node, git, driver } = await connectWith({ EXTRA_CA_CERTS: authority })
    expect(node).toBe('over there')
    expect(git).toMatch(/repository .* not found/)
    expect(driver).toMatch(/terminated|ECONNRESET/)
    const trusted = readFileSync(join(folder, '.hub/ca-certificates.pem'), 'utf8')
    expect(trusted.split('BEGIN CERTIFICATE').length).toBeGreaterThan(100)
    expect(tunnels).toEqual([])
  })

  test('Node and git use the proxy, except for hosts in NO_PROXY', async () => {
    const settings = { EXTRA_CA_CERTS: authority, HTTPS_PROXY: `http://127.0.0.1:${proxy}` }
    const through = await connectWith(settings, 'git.acme.test')
    expect(through).toMatchObject({ node: 'over there', git: expect.stringMatching(/not found/) })
    expect(new Set(tunnels)).toEqual(new Set([`git.acme.test:${web}`]))
    const count = tunnels.length
    expect(count).toBeGreaterThanOrEqual(2)
    expect(await connectWith({ ...settings, NO_PROXY: 'localhost' })).toMatchObject({ node: 'over there' })
    expect(tunnels).toHaveLength(count)
  })

  test('a file without a certificate is named', async () => {
    writeFileSync(join(folder, 'none.pem'), 'none')
    await expect(connectWith({ EXTRA_CA_CERTS: join(folder, 'none.pem') })).rejects.toThrow(
      'EXTRA_CA_CERTS: expected the path of a PEM file',
    )
  })
})
