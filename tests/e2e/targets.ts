// Starts the three ways to serve the hub, each in a process group of its own on a free port, and ends them.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { openClient, poll } from './client.ts'

export type Server = {
  base: string
  log: () => string
  stop: () => Promise<void>
}

export type Target = {
  name: string
  /** Where it runs already. Left out, `start` starts it. */
  address?: string
  start: (settings: { contentDir: string; limit: number }) => Promise<Server>
  /** How many repositories of the starter catalogue are looked at version by version; the rare states always are. */
  sample: number
  /** The local Netlify server sets Cache-Control of files itself, asks a 404 up to five times, and ends at some requests. */
  netlify?: boolean
}

const READY: Record<string, RegExp> = { preview: /Loaded function read\b/ }

export const npmTarget = (script: 'start' | 'dev' | 'preview', sample = Number.POSITIVE_INFINITY): Target => ({
  name: `npm run ${script}`,
  sample,
  netlify: script === 'preview',
  start: async ({ contentDir, limit }) => {
    const port = await freePort()
    const run = launch('npm', ['run', script], {
      PORT: String(port),
      CONTENT_DIR: contentDir,
      RATE_LIMIT_PER_MINUTE: String(limit),
    })
    const base = `http://localhost:${port}`
    const ask = openClient(base)
    const stop = async () => {
      await run.end()
      await poll(`port ${port} is free again`, 60_000, () =>
        ask('/').then(
          () => undefined,
          () => true,
        ),
      )
    }
    try {
      // Plain files and their 404 count against no limit.
      await poll(`npm run ${script} answers`, 240_000, async () => {
        if (run.ended()) throw new Error(`npm run ${script} ended by itself:\n${run.log()}`)
        const [file, missing] = await Promise.all([ask('/data/v1/tags.json'), ask('/data/v1/nothing.json')]).catch(
          () => [],
        )
        const loaded = READY[script]?.test(run.log()) ?? true
        return file?.status === 200 && missing?.status === 404 && loaded ? true : undefined
      })
    } catch (error) {
      await stop()
      throw new Error(`${error instanceof Error ? error.message : error}\n${run.log()}`)
    }
    return { base, log: run.log, stop }
  },
})

export type Run = {
  child: ChildProcess
  log: () => string
  ended: () => boolean
  closed: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  end: () => Promise<void>
}

/** A command in a process group of its own, without what the test runner put into the environment. */
export function launch(command: string, parameters: string[], settings: Record<string, string>): Run {
  const runner = /^(VITEST.*|TEST|NODE_ENV|MODE|DEV|PROD|SSR|BASE_URL|SITE_URL|PORT|npm_.*|ASTRO_.*|FORCE_COLOR)$/
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !runner.test(name)))
  const child = spawn(command, parameters, {
    env: { ...inherited, ASTRO_TELEMETRY_DISABLED: '1', NO_COLOR: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let log = ''
  const keep = (chunk: Buffer) => {
    log += chunk.toString('utf8')
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  let over = false
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => {
      over = true
      resolve({ code, signal })
    }),
  )
  const end = async () => {
    const family = descendants(child.pid)
    signalGroup(child, 'SIGTERM')
    const gone = () => Promise.resolve(over && !family.some(alive) ? true : undefined)
    await poll('the processes end', 15_000, gone).catch(() => {
      signalGroup(child, 'SIGKILL')
      for (const pid of family.filter(alive)) process.kill(pid, 'SIGKILL')
    })
  }
  return { child, log: () => log, ended: () => over, closed, end }
}

export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid) process.kill(-child.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The process itself and all that it started, also in other groups. */
export function descendants(pid: number | undefined): number[] {
  if (!pid) return []
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
  const family = [pid]
  for (const known of family) for (const [child, parent] of rows) if (parent === known && child) family.push(child)
  return family
}

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/** A hub that runs already, on the repository's own content. */
export const runningAt = (address: string): Target => ({
  name: address,
  address,
  sample: Number.POSITIVE_INFINITY,
  start: () => Promise.reject(new Error(`${address} runs already`)),
})
