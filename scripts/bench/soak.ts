// `npm run bench -- --only soak [--minutes 10]`: runs all attacks by hostile clients in turn, alongside 50 honest readers and two publishers. No honest request may fail, memory use must level off, and every published version must be readable at the end.
import { setMaxListeners } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ATTACKS } from './hostile-clients.ts'
import { type HostileHub, startHostileHub } from './hostile-hub.ts'
import { type Measurement, quantile } from './measure.ts'

const READERS = 50
/** Each reader sends 30 of its 120 allowed requests per minute, each publisher 12 of 30. */
const READ_MS = 2_000
const PUBLISH_MS = 5_000
const SAMPLE_MS = 2_000
/** Maximum memory growth from the second third of the run to the last. */
const MAX_GROWTH_BYTES = 40_000_000
const TIMEOUT_MS = 30_000

interface HonestResult {
  status: number
  text: string
  retryAfter: string | undefined
}
interface Published {
  owner: string
  name: string
  version: string
  content: string
}

/** The honest clients' results. */
interface Seen {
  waits: number[]
  /** Number of requests rejected with Retry-After, due to a documented limit, by kind. */
  limited: Map<string, number>
  failed: string[]
  published: Published[]
}

/** Runs a soak test on a hub with this many prompts. @param dir new folder for it */
export async function measureSoak(dir: string, prompts: number, minutes: number): Promise<Measurement[]> {
  // Attackers and honest clients connect directly, each honest client from its own IP address.
  const hub = await startHostileHub(dir, prompts)
  const seen: Seen = { waits: [], limited: new Map(), failed: [], published: [] }
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const held: { seconds: number; process: number; kernel: number }[] = []
  const started = performance.now()
  const sample = () => held.push({ seconds: (performance.now() - started) / 1000, ...hub.heldBytes() })
  try {
    const tokens = { alice: hub.tokenFor('alice'), bob: hub.tokenFor('bob') }
    const watch = setInterval(sample, SAMPLE_MS)
    const honest = [
      ...Array.from({ length: READERS }, (_, number) =>
        readOn(hub, `127.0.1.${number + 1}`, number, seen, stop.signal),
      ),
      ...Object.entries(tokens).map(([owner, token], number) =>
        publishOn(hub, `127.0.2.${number + 1}`, owner, token, seen, stop.signal),
      ),
    ]
    const attacked = attackOn(hub, stop.signal)
    await sleep(minutes * 60_000)
    stop.abort()
    await Promise.all([...honest, attacked])
    clearInterval(watch)
    if (!hub.isAlive()) seen.failed.push('the process exited')
    const lost = await findLost(hub, seen)
    return describe(seen, held, lost, await attacked)
  } finally {
    stop.abort()
    await hub.stop()
  }
}

async function attackOn(hub: HostileHub, signal: AbortSignal): Promise<number> {
  let rounds = 0
  for (; !signal.aborted && hub.isAlive(); rounds++)
    for (const attack of Object.values(ATTACKS)) {
      if (signal.aborted) break
      // Connections left open by one attack stay open during the next.
      await attack(hub, signal).catch(() => {})
    }
  return rounds
}

function ask(agent: Agent, { port }: HostileHub, path: string, init: { body?: string; token?: string } = {}) {
  return new Promise<HonestResult>((done, fail) => {
    const headers = {
      Host: 'localhost',
      ...(init.token && { Authorization: `Bearer ${init.token}`, 'Content-Type': 'application/json' }),
    }
    const method = init.body === undefined ? 'GET' : 'POST'
    const sent = request({ agent, host: '127.0.0.1', port, path, headers, method, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = []
      response
        .on('data', (chunk) => chunks.push(chunk))
        .on('error', fail)
        .on('end', () =>
          done({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            retryAfter: response.headers['retry-after'],
          }),
        )
    })
    sent.on('timeout', () => sent.destroy(new Error('timed out'))).on('error', fail)
    sent.end(init.body)
  })
}

/** Records the result of an honest request. @returns the response if it is as expected */
async function note(seen: Seen, what: string, expected: readonly number[], work: () => Promise<HonestResult>) {
  const began = performance.now()
  try {
    const answer = await work()
    seen.waits.push(performance.now() - began)
    if (expected.includes(answer.status)) return answer
    const isStated = (answer.status === 429 || answer.status === 503) && answer.retryAfter !== undefined
    const kind = `${answer.status} ${what}`
    if (isStated) seen.limited.set(kind, (seen.limited.get(kind) ?? 0) + 1)
    else seen.failed.push(`${kind}: ${answer.text.slice(0, 200)}`)
  } catch (error) {
    seen.failed.push(`${what}: ${error instanceof Error ? error.message : error}`)
  }
  return undefined
}

async function readOn(hub: HostileHub, from: string, number: number, seen: Seen, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: from })
  const paths = [
    `/api/v1/repos/${hub.prompt}`,
    `/data/v1/repos/${hub.prompt}.json`,
    `/api/v1/repos?q=review+${number}`,
    `/${hub.prompt}`,
    `/api/v1/repos/${hub.prompt}/raw`,
  ]
  await pause((READ_MS * number) / READERS, signal)
  for (let turn = number; !signal.aborted; turn++) {
    const path = paths[turn % paths.length]!
    await note(seen, path.replace(/\d+$/, ''), [200], () => ask(agent, hub, path))
    await pause(READ_MS, signal)
  }
  agent.destroy()
}

async function publishOn(
  ...[hub, from, owner, token, seen, signal]: [HostileHub, string, string, string, Seen, AbortSignal]
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: from })
  for (let number = 0; !signal.aborted; number++) {
    const name = `soak-${number % 5}`
    const content = `Text ${number} of ${owner}.\n`
    const body = JSON.stringify({ content, changelog: 'Soak', bump: 'patch' })
    const path = `/api/v1/repos/${owner}/${name}/versions`
    const answer = await note(seen, 'publish', [201], () => ask(agent, hub, path, { body, token }))
    const version = answer && (JSON.parse(answer.text) as { data: { version: string } }).data.version
    if (version) seen.published.push({ owner, name, version, content })
    await pause(PUBLISH_MS, signal)
  }
  agent.destroy()
}

/** Finds published versions that are unreadable or wrong. Reads them from many IP addresses, because the limits apply here too. */
async function findLost(hub: HostileHub, { published }: Seen): Promise<string[]> {
  const lost: string[] = []
  for (const [number, { owner, name, version, content }] of published.entries()) {
    const agent = new Agent({ localAddress: `127.0.3.${1 + Math.floor(number / 100)}` })
    const path = `/api/v1/repos/${owner}/${name}/raw?version=${version}`
    const answer = await ask(agent, hub, path).catch(() => undefined)
    if (answer?.text !== content) lost.push(`${owner}/${name} ${version}: ${answer?.status}`)
    agent.destroy()
  }
  return lost
}

function describe(
  { waits, limited, failed, published }: Seen,
  held: readonly { seconds: number; process: number; kernel: number }[],
  lost: readonly string[],
  rounds: number,
): Measurement[] {
  const third = Math.floor(held.length / 3)
  const level = (from: number) =>
    quantile(
      held.slice(from, from + third).map(({ process, kernel }) => process + kernel),
      0.5,
    )
  const every = Math.max(1, Math.floor(held.length / 30))
  const series = held
    .filter((_, index) => index % every === 0)
    .map(({ seconds, process, kernel }) => `${seconds.toFixed(0)} s ${mega(process)}+${mega(kernel)}`)
  const said = [...limited].map(([kind, count]) => `${count} × ${kind}`).join(', ')
  for (const line of [...failed.slice(0, 10), ...lost.slice(0, 10)]) console.error(`soak: ${line}`)
  return [
    {
      ...{ name: 'soak: honest requests that failed', unit: 'requests', measured: failed.length },
      limit: { of: 'measured', most: 0 },
      note: `of ${waits.length}; refused by a stated limit: ${said || 'none'}; ${rounds} rounds of ${Object.keys(ATTACKS).length} attacks`,
    },
    {
      ...{ name: 'soak: an honest request', unit: 'ms', measured: quantile(waits, 0.99) },
      note: `99 of 100; half of them ${quantile(waits, 0.5).toFixed(1)} ms, the worst ${Math.max(...waits).toFixed(0)} ms`,
    },
    {
      ...{ name: 'soak: published versions that cannot be read', unit: 'requests', measured: lost.length },
      limit: { of: 'measured', most: 0 },
      note: `of ${published.length}`,
    },
    {
      ...{ name: 'soak: memory growth in the last third', unit: 'MB' },
      measured: (level(2 * third) - level(third)) / 1e6,
      limit: { of: 'measured', most: MAX_GROWTH_BYTES / 1e6 },
      note: `levels off at ${mega(level(2 * third))} MB, the most ${mega(Math.max(...held.map((one) => one.process + one.kernel)))} MB; process+kernel: ${series.join(', ')}`,
    },
  ]
}

const mega = (bytes: number) => (bytes / 1e6).toFixed(0)

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
