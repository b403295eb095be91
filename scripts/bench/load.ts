// A load generator as a separate process: N connections, each of which sends the next request as soon as it gets a response. Usage: load.ts PORT CONNECTIONS SECONDS FILE_OF_PATHS [HEADER]
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Duration of the warm-up, in which the server's code is compiled; longer if not every URL has been requested by then. */
const WARM_UP_MS = 1_000

const [port = '', connections = '', seconds = '', pathsFile = '', header = ''] = process.argv.slice(2)
const more = header === '' ? '' : `${header}\r\n`
const requests = readFileSync(pathsFile, 'utf8')
  .trimEnd()
  .split('\n')
  .map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`))
let sent = 0
let answered = 0

/** Opens a connection. Uses raw sockets, because an HTTP client would use more processor time than the measured server. */
function ask(): void {
  const socket = connect(Number(port), '127.0.0.1').setNoDelay()
  let head = Buffer.alloc(0)
  let missing = 0
  const send = () => socket.write(requests[sent++ % requests.length]!)
  socket.on('connect', send)
  socket.on('error', fail)
  socket.on('data', (chunk) => {
    if (missing > 0) missing -= chunk.length
    else {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      const text = head.toString('latin1', 0, end)
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
      if (!text.startsWith('HTTP/1.1 200 ') || length === undefined) return fail(text)
      missing = Number(length) - (head.length - end - 4)
      head = Buffer.alloc(0)
    }
    if (missing < 0) return fail('more bytes were received than announced')
    if (missing > 0) return
    answered++
    send()
  })
}

function fail(reason: unknown): void {
  console.error(reason instanceof Error ? reason.message : reason)
  process.exit(1)
}

/** Keeps this process from sleeping, because waking it would cost the measured server more time than a read. */
function stayAwake(): void {
  setImmediate(stayAwake)
}

stayAwake()
for (let count = 0; count < Number(connections); count++) ask()
await sleep(WARM_UP_MS)
while (answered < requests.length) await sleep(20)
const before = answered
const started = performance.now()
await sleep(Number(seconds) * 1000)
console.log(((answered - before) / (performance.now() - started)) * 1000)
process.exit(0)
