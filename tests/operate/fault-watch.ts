// What the table of faults needs beside the hubs: Prometheus with the rules of `deploy/`, and a proxy before the database.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { poll } from '../e2e/client.ts'
import { freePort } from '../hubs/processes.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** The rules wait for minutes. Here, each time in them is this much shorter. */
const FASTER = 30
const LATE_MS = 1_600
/** Rules look back for up to an hour, two minutes here. */
const QUIET_MS = 300_000
const SECONDS = { m: 60, h: 3_600, d: 86_400 } as const

/** Starts Prometheus. @param ports of the hubs */
export async function startPrometheus(ports: readonly string[]) {
  const dir = temporaryFolder('hub-prometheus-')
  const port = await freePort()
  const rules = readFileSync('deploy/prometheus-alerts.yml', 'utf8').replace(
    /(?<=for: |\[)(\d+)([mhd])\b/g,
    (_, count: string, unit: keyof typeof SECONDS) =>
      `${Math.max(2, Math.round((Number(count) * SECONDS[unit]) / FASTER))}s`,
  )
  writeFileSync(join(dir, 'rules.yml'), rules)
  const targets = ports.map((at) => `"localhost:${at}"`).join(', ')
  writeFileSync(
    join(dir, 'prometheus.yml'),
    `global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs: [{job_name: prompt-hub, static_configs: [{targets: [${targets}]}]}]
`,
  )
  const places = [`--config.file=${dir}/prometheus.yml`, `--storage.tsdb.path=${dir}/data`]
  const child = spawn('prometheus', [...places, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  // A table that fails stops it, too.
  process.once('exit', () => child.kill('SIGTERM'))
  const ask = async (): Promise<{ labels: { alertname: string }; state: string }[]> =>
    (await (await fetch(`http://127.0.0.1:${port}/api/v1/alerts`)).json()).data.alerts
  await poll('Prometheus answers', 60_000, () => ask().catch(() => undefined))
  return {
    /** Waits until no alarm rings or is about to, and notes which ring from then on. @returns those that rang, with their seconds, and what ends it */
    async listen() {
      await poll('no alarm rings', QUIET_MS, async () => (await ask()).length === 0 || undefined)
      const beganMs = Date.now()
      const rang = new Map<string, number>()
      const timer = setInterval(async () => {
        for (const { labels, state } of await ask().catch(() => []))
          if (state === 'firing' && !rang.has(labels.alertname))
            rang.set(labels.alertname, Math.round((Date.now() - beganMs) / 1_000))
      }, 500)
      return { rang: rang as ReadonlyMap<string, number>, end: () => clearInterval(timer) }
    },
    stop: () => child.kill('SIGTERM'),
  }
}

/** Opens a proxy before the database that can swallow, or delay, everything. */
export async function openDatabaseProxy(database: string) {
  const url = new URL(database)
  const target = Number(url.port)
  let mode: 'through' | 'hole' | 'late' = 'through'
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const behind = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
      from.on('data', async (bytes) => {
        if (mode === 'hole') return
        if (mode === 'late' && from === behind) await sleep(LATE_MS)
        to.write(bytes)
      })
    }
  })
  const port = await freePort()
  await listen(server, port)
  url.port = String(port)
  return {
    url: url.href,
    set(next: typeof mode): void {
      // What was swallowed is lost, so these connections are of no use.
      if (mode === 'hole') for (const socket of open) socket.destroy()
      mode = next
    },
    close: () => server.close(),
  }
}
