// Starts hubs in their own process groups, waits until they respond, and stops them completely.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { delimiter, dirname } from 'node:path'
import { poll } from '../e2e/client.ts'

/** How a hub is started. */
export interface ProcessOptions {
  command: readonly [string, ...string[]]
  /** Of the environment, beside PORT. */
  settings?: Readonly<Record<string, string>>
  cwd?: string
  /** Whether it can be used; usually when it serves a file. A look that fails is none. */
  isReady?: (base: string, run: Run) => Promise<boolean>
}

/** A hub that bundles the pages beside many others on few processors takes minutes. */
const MAX_START_MS = 280_000

/** Starts a hub and waits until it can be used. The caller ends `run`. @throws Error with its log when it ends by itself, or takes too long */
export async function startProcess({
  command: [program, ...parameters],
  settings = {},
  cwd,
  isReady = isServingFiles,
}: ProcessOptions): Promise<{ base: string; run: Run }> {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const run = launch(program, parameters, { ...settings, PORT: String(port) }, cwd)
  const name = [program, ...parameters].join(' ')
  try {
    await poll(`${name} answers`, MAX_START_MS, async () => {
      if (run.ended()) throw new Error(`${name} ended by itself`)
      return (await isReady(base, run).catch(() => false)) || undefined
    })
  } catch (error) {
    await run.end()
    throw new Error(`${error instanceof Error ? error.message : error}\n${run.log()}`)
  }
  return { base, run }
}

/** Plain files: asking the API while the first build runs would use up the limit of requests. A document is 503 while the pages are bundled. */
export const isServingFiles = async (base: string): Promise<boolean> =>
  (await fetch(`${base}/data/v1/tags.json`)).ok && (await fetch(`${base}/docs`)).status !== 503

export type Run = {
  child: ChildProcess
  log: () => string
  ended: () => boolean
  closed: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  end: () => Promise<void>
}

/** What the test runner, git and whoever started it put into the environment. */
const FOREIGN =
  /^(?:VITEST.*|TEST|NODE_ENV|MODE|DEV|PROD|SSR|BASE_URL|SITE_URL|URL|PORT|CONTENT_DIR|npm_.*|ASTRO_.*|GIT_.*|GITHUB_.*|FORCE_COLOR)$/

/** The environment as somebody has it who sets nothing. */
export const plainEnvironment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name))),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  ASTRO_TELEMETRY_DISABLED: '1',
  NO_COLOR: '1',
})

/** A command in a process group of its own, in the plain environment and these settings. */
export function launch(command: string, parameters: string[], settings: Record<string, string>, cwd = '.'): Run {
  const child = spawn(command, parameters, {
    cwd,
    env: { ...plainEnvironment(), ...settings },
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

/** Below the ports that systems hand out themselves; each worker of the test runner has a range of its own. */
let nextPort = 20_000 + 500 * Number(process.env.VITEST_POOL_ID ?? 0)

/**
 * Finds a free port. Each test file gets the same ones, because hubs with the same address share a bundle of the pages, which takes 6 s to make.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
