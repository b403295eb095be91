// Measures how much one hostile client slows other readers, and how much memory each attack leaves in use.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Measurement } from './measure.ts'
import { parametersOf, residentBytes, startNode } from './processes.ts'
import { type BenchSite, PROJECT_DIR } from './site.ts'

const PROBER = fileURLToPath(new URL('prober.ts', import.meta.url))
/** Maximum wait for a reader, and maximum memory used by an attack. */
const MOST = { waitMs: 100, bytes: 150_000_000 }
/** Minimum duration of an attack. */
const MIN_MS = 3_000

interface Target {
  url: string
  port: number
  token: string
}
type Attack = (target: Target) => Promise<unknown>

const ATTACKS: Readonly<Record<string, Attack>> = {
  'publishes of 95,000 keys': ({ url, token }) => {
    const parameters = Object.fromEntries(Array.from({ length: 95_000 }, (_, number) => [`k${number}`, 1]))
    const body = JSON.stringify({ content: 'Attacked.', parameters })
    return inTurn(12, 12, () => post(`${url}/api/v1/repos/attacker/keys/versions`, body, token, 422))
  },
  'questions of 100 words': ({ url }) =>
    inTurn(85, 8, (number) => ask(url, number % 2 ? 'a '.repeat(100) : 'reveiw '.repeat(28), 200)),
  'fills of 52,428 placeholders': (target) => inTurn(8, 8, () => refuseFilling(target)),
  'questions of 2,964 shapes': ({ url }) =>
    inTurn(2_964, 16, (number) =>
      ask(url, `${'ab '.repeat(number % 39)}c`, 200, '&tag=code'.repeat(Math.floor(number / 39) % 9)),
    ),
  'half-sent uploads': async ({ port, token }) => {
    const head = `POST /api/v1/repos/attacker/half/versions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n`
    const sockets = Array.from({ length: 400 }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write(head + 'x'.repeat(524_288)))
      return socket.on('error', () => socket.destroy()).resume()
    })
    await sleep(MIN_MS)
    for (const socket of sockets) socket.destroy()
  },
}

/** Measures each attack next to a reader; hub and reader are separate processes. */
export async function measureAttacks(site: BenchSite): Promise<Measurement[]> {
  const { owner, name } = site.catalogue.listed.top[0]!
  const token = prepare(site)
  const hub = await startNode((port) => ({
    parameters: parametersOf('serve'),
    surroundings: {
      cwd: site.dir,
      settings: {
        ...site.settings,
        PORT: String(port),
        RATE_LIMIT_PER_MINUTE: '0',
        SITE_URL: `http://localhost:${port}`,
      },
    },
  }))
  const target = { url: `http://127.0.0.1:${hub.port}`, port: hub.port, token }
  const path = `/api/v1/repos/${owner}/${name}`
  try {
    // Each target is first used once, so that code loaded on first use does not count.
    const filled = JSON.stringify({ content: '{{a}}'.repeat(52_428), variables: [{ name: 'a' }] })
    await post(`${target.url}/api/v1/repos/attacker/filled/versions`, filled, token, 201)
    await ask(target.url, 'warm', 200)
    await callTool(target, { name: `${owner}/${name}` })
    const idle = await beside(target, path, () => sleep(MIN_MS))
    const measurements: Measurement[] = []
    for (const [what, attack] of Object.entries(ATTACKS)) {
      const before = residentBytes(hub.pid)
      let peak = before
      const watch = setInterval(() => (peak = Math.max(peak, residentBytes(hub.pid))), 20)
      const { worst, p99, count } = await beside(target, path, () => attack(target))
      clearInterval(watch)
      measurements.push(
        {
          name: `attacks: ${what}`,
          unit: 'ms',
          measured: worst,
          floor: idle.worst,
          limit: { of: 'measured', most: MOST.waitMs },
          note: `worst of ${count} reads; p99 ${p99.toFixed(1)} ms, idle ${idle.p99.toFixed(1)} ms`,
        },
        {
          name: `attacks: ${what}, memory`,
          unit: 'MB',
          measured: (peak - before) / 1e6,
          limit: { of: 'measured', most: MOST.bytes / 1e6 },
          note: `of the serving process, over ${(before / 1e6).toFixed(0)} MB before`,
        },
      )
    }
    return measurements
  } finally {
    await hub.stop()
  }
}

/** Turns the content into a repository for publishing. @returns a token for it */
function prepare({ dir }: BenchSite): string {
  const git = (...command: string[]) => execFileSync('git', command, { cwd: dir, stdio: 'pipe' })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'bench')
  git('config', 'user.email', 'bench@example.com')
  mkdirSync(join(dir, 'content/attacker'), { recursive: true })
  writeFileSync(join(dir, 'content/attacker/index.md'), '---\nname: Attacker\n---\n')
  git('add', 'content')
  git('commit', '-q', '-m', 'Content')
  const command = [join(PROJECT_DIR, 'scripts/token.ts'), 'attacker']
  return execFileSync(process.execPath, command, { cwd: dir }).toString().trim()
}

/** Measures a reader's waits during some work, for at least three seconds. @param from the reader's own IP address */
export async function beside(
  { port }: Pick<Target, 'port'>,
  path: string,
  work: () => Promise<unknown>,
  from = '127.0.0.1',
) {
  const prober: ChildProcess = spawn(process.execPath, [PROBER, String(port), path, from], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let answer = ''
  prober.stdout!.on('data', (text) => (answer += text))
  const closed = once(prober, 'close')
  await sleep(1_000)
  await Promise.all([work(), sleep(MIN_MS)]).finally(() => prober.kill('SIGTERM'))
  await closed
  return JSON.parse(answer) as { worst: number; p99: number; count: number }
}

/** Calls `count` times with limited concurrency. */
async function inTurn(count: number, atOnce: number, call: (number: number) => Promise<void>): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < count) await call(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

async function post(url: string, body: string, token: string, expected: number): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  const text = await response.text()
  if (response.status !== expected) throw new Error(`POST ${url} answered ${response.status}: ${text.slice(0, 300)}`)
}

async function ask(url: string, question: string, expected: number, more = ''): Promise<void> {
  const response = await fetch(`${url}/api/v1/repos?q=${encodeURIComponent(question.slice(0, 200))}${more}`)
  await response.arrayBuffer()
  // If a query takes too long or there are too many, the response is 503: that is the defence.
  if (response.status !== expected && response.status !== 503) throw new Error(`q answered ${response.status}`)
}

/** Fetches a prompt over MCP. @returns the text of the response */
async function callTool({ url, token }: Target, given: object): Promise<string> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_prompt', arguments: given } }
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-11-25',
  }
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
  return response.text()
}

async function refuseFilling(target: Target): Promise<void> {
  const text = await callTool(target, { name: 'attacker/filled', variables: { a: 'x'.repeat(10_000) } })
  if (!/bytes/.test(text)) throw new Error(`The filling was not refused: ${text.slice(0, 300)}`)
}
