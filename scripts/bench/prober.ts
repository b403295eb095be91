// An innocent reader as a separate process: requests one URL repeatedly and reports how long it waited. Usage: prober.ts PORT PATH [ITS OWN IP ADDRESS]; on SIGTERM, it prints its figures as JSON and exits.
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from './measure.ts'

const PAUSE_MS = 5
const [port = '', path = '', from = '127.0.0.1'] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: from })
const waits: number[] = []

function ask(): Promise<number> {
  const started = performance.now()
  return new Promise((done, fail) => {
    get({ agent, host: '127.0.0.1', port, path }, (response) => {
      if (response.statusCode !== 200) fail(new Error(`${path} responded with ${response.statusCode}`))
      response.resume().on('end', () => done(performance.now() - started))
    }).on('error', fail)
  })
}

process.once('SIGTERM', () => {
  console.log(JSON.stringify({ worst: Math.max(...waits), p99: quantile(waits, 0.99), count: waits.length }))
  process.exit(0)
})

// The first responses include compilation.
for (let count = 0; count < 50; count++) await ask()
for (;;) {
  waits.push(await ask())
  await sleep(PAUSE_MS)
}
