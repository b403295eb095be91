// Tests how a hub ends: behind a load balancer, it first says that it is not ready, keeps responding while the balancer
// notices, and then exits. In a socket of a service manager, requests wait for the next one.
// That Ctrl-C ends it without waiting, tests/host/faulty-builder.test.ts tests.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findGivenSocket } from '../../src/hosts/node/http/given-socket.ts'
import { versionFile } from '../doctor/setups.ts'
import { poll } from '../e2e/client.ts'
import { isServingFiles, launch, type Run } from '../hubs/processes.ts'
import { makeRepository } from '../stores/local-repository.ts'

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
