// Starts hubs in their own process groups, waits until they respond, and stops them completely.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { delimiter, dirname } from 'node:path'
import { poll } from '../e2e/client.ts'

/** Options for starting a hub. */
export interface ProcessOptions {
  command: readonly [string, ...string[]]
  /** Environment variables; without a PORT, a free port is chosen. */
  settings?: Readonly<Record<string, string>>
  cwd?: string
  /** Returns whether the hub is ready; usually checks whether it serves a file. If it throws, the hub is not ready. */
  isReady?: (base: string, run: Run) => Promise<boolean>
}

/** Generous, because building the page bundle takes minutes when many other hubs run on few processors. */
const MAX_START_MS = 580_000
/** Seldom, because a hub that starts slowly has no processor time to spare for answers. */
const START_POLL_MS = 200

/**
 * Starts a hub and waits until it is ready. The caller stops `run`. @throws Error with its log if it exits by itself or
 * takes too long
 */
export async function startProcess({
  command: [program, ...parameters],
  settings = {},
  cwd,
  isReady = isServingFiles,
}: ProcessOptions): Promise<{ base: string; run: Run }> {
  const port = Number(settings.PORT) || (await freePort())
  const base = `http://localhost:${port}`
  const run = launch(program, parameters, { ...settings, PORT: String(port) }, cwd)
  const name = [program, ...parameters].join(' ')
  try {
    const look = async () => {
      if (run.ended()) throw new Error(`${name} ended by itself`)
      return (await isReady(base, run).catch(() => false)) || undefined
    }
    await poll(`${name} answers`, MAX_START_MS, look, START_POLL_MS)
  } catch (error) {
    await run.end()
    throw new Error(`${error instanceof Error ? error.message : error}\n${run.log()}`)
  }
  return { base, run }
}

/**
 * Checks static files, because API requests during the first build would use up the rate limit. Pages return 503 until
 * the page bundle is built.
 */
export const isServingFiles = async (base: string): Promise<boolean> =>
  (await fetch(`${base}/data/v1/tags.json`)).ok && (await fetch(`${base}/docs`)).status !== 503

export type Run = {
  child: ChildProcess
  log: () => string
  ended: () => boolean
  closed: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  end: () => Promise<void>
}

/** Variables that the test runner, git and the parent process add to the environment. */
const FOREIGN =
  /^(?:VITEST.*|TEST|NODE_ENV|MODE|DEV|PROD|SSR|BASE_URL|SITE_URL|URL|PORT|CONTENT_DIR|npm_.*|ASTRO_.*|GIT_.*|GITHUB_.*|FORCE_COLOR)$/

/** Returns the environment of a user who sets no variables. */
export const plainEnvironment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name))),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  ASTRO_TELEMETRY_DISABLED: '1',
  NO_COLOR: '1',
})

/** Starts a command in its own process group, with the plain environment and these settings. A hub ends at once, unless they say how long it goes on. */
export function launch(command: string, parameters: string[], settings: Record<string, string>, cwd = '.'): Run {
  const child = spawn(command, parameters, {
    cwd,
    env: { ...plainEnvironment(), DRAIN_SECONDS: '0', ...settings },
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
      for (const pid of family) sendSignal(pid, 'SIGKILL')
    })
  }
  return { child, log: () => log, ended: () => over, closed, end }
}

export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid) sendSignal(-child.pid, signal)
}

/** Signals a process or, with a negative number, its group. One that has ended in the meantime is no error. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Returns the process itself and all of its descendants, including those in other process groups. */
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

/** Below the range from which operating systems assign ports automatically. */
const FIRST_PORT = 20_000
/** A worker of the test runner has a range of its own, which can change between files. */
const PORTS_IN_RANGE = 500
/** Begins at another place in each process, so that two runs of the tests on one machine seldom choose the same port. */
let chosen = process.pid

/** Finds a free port. */
export async function freePort(): Promise<number> {
  const range = FIRST_PORT + PORTS_IN_RANGE * Number(process.env.VITEST_POOL_ID ?? 0)
  for (;;) {
    const port = range + (chosen++ % PORTS_IN_RANGE)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
