// A reader that runs during other work: a separate process that requests one URL repeatedly and reports how long it waited.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { quantile } from './measure.ts'

const PAUSE_MS = 5
/** The work lasts at least this long, so that there are enough reads. */
const MIN_MS = 3_000

/** How long the reads waited, in milliseconds. */
interface Waits {
  worst: number
  p50: number
  p99: number
  count: number
}

/** Measures a reader's waits during some work. @param from the reader's own IP address @throws Error if a read fails */
export async function measureReader(
  port: number,
  path: string,
  work: () => Promise<unknown>,
  from = '127.0.0.1',
): Promise<Waits> {
  const parameters = [fileURLToPath(import.meta.url), String(port), path, from]
  const reader = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
  let answer = ''
  reader.stdout.on('data', (text) => (answer += text))
  const closed = once(reader, 'close')
  // It says when it begins to measure.
  await Promise.race([once(reader.stdout, 'data'), closed])
  answer = ''
  await Promise.all([work(), sleep(MIN_MS)]).finally(() => reader.kill('SIGTERM'))
  await closed
  if (answer === '') throw new Error('a read failed')
  return JSON.parse(answer)
}

/** Reads until the process receives SIGTERM. */
async function read(port: string, path: string, from: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: from })
  const waits: number[] = []
  const ask = () => {
    const started = performance.now()
    return new Promise<number>((done, fail) => {
      get({ agent, host: '127.0.0.1', port, path }, (response) => {
        if (response.statusCode !== 200) fail(new Error(`${path} responded with ${response.statusCode}`))
        response.resume().on('end', () => done(performance.now() - started))
      }).on('error', fail)
    })
  }
  process.once('SIGTERM', () => {
    const result: Waits = {
      worst: Math.max(...waits),
      count: waits.length,
      p50: quantile(waits, 0.5),
      p99: quantile(waits, 0.99),
    }
    console.log(JSON.stringify(result))
    process.exit(0)
  })
  // The first responses include compilation.
  for (let count = 0; count < 50; count++) await ask()
  console.log('begins')
  for (;;) {
    waits.push(await ask())
    await sleep(PAUSE_MS)
  }
}

if (import.meta.main) {
  const [port = '', path = '', from = ''] = process.argv.slice(2)
  await read(port, path, from)
}
