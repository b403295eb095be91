// Attacks from many IP addresses on the limits that all clients share: connections and request bodies. Each attack used to keep all other clients out.
import { setTimeout as sleep } from 'node:timers/promises'
import { open, requestFor, type Target } from './hostile-clients.ts'

const ATTACK_MS = 12_000
/** How soon a client replaces a connection that the hub has closed. */
const RENEWAL_MS = 2_000
/** The pause after opening one connection from each address. */
const PAUSE_MS = 30

interface Crowd {
  addresses: number
  /** The number of connections from each address. The hub allows 256, and 4,096 in total. */
  connections: number
  send: string
  /** Whether the clients read what the hub sends. */
  reads: boolean
}

/** Keeps connections from many addresses open until the attack ends. */
async function crowd(target: Target, { addresses, connections, send, reads }: Crowd): Promise<void> {
  const over = new AbortController()
  const signal = AbortSignal.any([target.signal, over.signal])
  const network = target.from.split('.').at(-1)
  const keepOpen = (from: string) => {
    if (signal.aborted) return
    const socket = open({ ...target, from, signal }, send)
    if (reads) socket.resume()
    socket.once('close', () => setTimeout(keepOpen, RENEWAL_MS, from))
  }
  const end = performance.now() + ATTACK_MS
  // Not all at once: the kernel would drop connections of everybody, whatever the hub does.
  for (let count = 0; count < connections; count++) {
    for (let address = 1; address <= addresses; address++) keepOpen(`127.${network}.0.${address}`)
    await sleep(PAUSE_MS)
  }
  await sleep(Math.max(0, end - performance.now()))
  over.abort()
}

const upload = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n{`

/** The attacks by name. The reader opens a new connection for each read. */
export const CROWD_ATTACKS: Readonly<Record<string, (target: Target) => Promise<void>>> = {
  '20 addresses that send slow headers': (target) =>
    crowd(target, {
      addresses: 20,
      connections: 210,
      send: 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
      reads: true,
    }),
  '20 addresses that send nothing': (target) =>
    crowd(target, { addresses: 20, connections: 210, send: '', reads: true }),
  '20 addresses that stay idle after a response': (target) =>
    crowd(target, { addresses: 20, connections: 210, send: requestFor('/healthz'), reads: true }),
  '20 addresses that send slow bodies': (target) =>
    crowd(target, { addresses: 20, connections: 40, send: upload('/mcp'), reads: true }),
  '20 addresses that ask for index.json and read nothing': (target) =>
    crowd(target, { addresses: 20, connections: 210, send: requestFor('/data/v1/index.json'), reads: false }),
}
