// Starts a benchmark's processes, measures their time and memory, and stops all of them at the end.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, connect as openSocket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The project's own folder. */
export const PROJECT_DIR = fileURLToPath(new URL('../../', import.meta.url))

const SAMPLE_MS = 100
const START_MS = 60_000
const STOP_MS = 3_000

const running = new Set<ChildProcess>()

/** The folder and settings that a process runs with. */
interface ProcessSurroundings {
  cwd: string
  /** Settings in addition to those of this process. */
  settings?: Readonly<Record<string, string>>
}

/** The result of running a process. */
export interface ProcessResult {
  log: string
  seconds: number
  /** The resources used; undefined if the operating system does not report them. */
  usage: Usage | undefined
}

/** The resources used by a process. */
export interface Usage {
  peakBytes: number
  /** Processor time, which is nearly the same on a busy machine, unlike wall-clock time. */
  processorSeconds: number
}

/** Returns Node's arguments for `npm start` or `npm run build`, so that the measurement matches real use. */
export function parametersOf(script: 'start' | 'build'): string[] {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(join(PROJECT_DIR, 'package.json'), 'utf8'),
  )
  const [, ...parameters] = scripts[script]!.split(' ')
  return parameters.map((one) => (one.endsWith('.ts') ? join(PROJECT_DIR, one) : one))
}

/**
 * Runs a Node script until it exits.
 *
 * @throws Error with its log if it fails or misses the deadline
 */
export async function runNode(
  parameters: readonly string[],
  { cwd, settings }: ProcessSurroundings,
  deadlineMs: number,
): Promise<ProcessResult> {
  const started = performance.now()
  const child = launch(parameters, { cwd, settings: settings ?? {} })
  const readUsage = watchUsage(child)
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs)
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (log += text))
  const code = await new Promise((done) => child.once('close', done))
  clearTimeout(timer)
  const usage = readUsage()
  if (code !== 0) throw new Error(`${parameters.join(' ')} exited with ${code}:\n${log.trimEnd()}`)
  return { log, seconds: (performance.now() - started) / 1000, usage }
}

/** Starts a server on a free port, in its setting `PORT`, and waits until it accepts connections. */
export async function startNode(
  parameters: readonly string[],
  { cwd, settings }: ProcessSurroundings,
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const port = await findPort()
  const child = launch(parameters, { cwd, settings: { ...settings, PORT: String(port) } })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (log += text))
  const deadline = performance.now() + START_MS
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop(child)
      throw new Error(`${parameters.join(' ')} did not start:\n${log.trimEnd()}`)
    }
    await sleep(50)
  }
  return { port, pid: child.pid!, stop: () => stop(child) }
}

/** Stops all processes that are still running. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop))
}

function launch(parameters: readonly string[], { cwd, settings }: ProcessSurroundings): ChildProcess {
  const child = spawn(process.execPath, parameters, {
    cwd,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((done) => child.once('close', done))
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  child.kill('SIGTERM')
  await closed
  clearTimeout(timer)
}

async function findPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  if (typeof address !== 'object' || address === null) throw new Error('No free port was found on this machine.')
  return address.port
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = openSocket(port, '127.0.0.1')
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** Samples the resources of a process and its threads, from /proc. @returns a function that stops and reports */
function watchUsage({ pid }: ChildProcess): () => Usage | undefined {
  let usage: Usage | undefined
  const timer = setInterval(() => {
    usage = readUsage(pid) ?? usage
  }, SAMPLE_MS)
  return () => {
    clearInterval(timer)
    return usage
  }
}

/** Linux reports processor time in hundredths of a second, regardless of its own clock rate. proc_pid_stat(5) */
const TICKS_A_SECOND = 100

/** @returns undefined if the process has exited, or if the operating system has no /proc */
function readUsage(pid: number | undefined): Usage | undefined {
  try {
    const peak = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    // A process that has ended, but whose exit has not been read yet, has no memory any more.
    if (peak === undefined) return undefined
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may contain spaces. The 12th to 15th fields after it are the user and system time of the process, and of the child processes that have ended.
    const ticks = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
    return {
      peakBytes: Number(peak) * 1024,
      processorSeconds: ticks.reduce((sum, one) => sum + Number(one), 0) / TICKS_A_SECOND,
    }
  } catch {
    return undefined
  }
}
