// Starts a benchmark's processes, measures their time and memory, and stops all of them at the end.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, connect as openSocket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The project's own folder. */
export const PROJECT_DIR = fileURLToPath(new URL('../../', import.meta.url))

const SAMPLE_MS = 100
const START_MS = 20_000
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

/** The resources used by a process and its descendants. */
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

/**
 * Starts a server and waits until it accepts connections.
 *
 * @param parametersFor Node's arguments for a port
 */
export async function startNode(
  parametersFor: (port: number) => { parameters: readonly string[]; surroundings: ProcessSurroundings },
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const port = await findPort()
  const { parameters, surroundings } = parametersFor(port)
  const child = launch(parameters, surroundings)
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

/**
 * Samples the resources of a process and its descendants, from /proc.
 *
 * @returns a function that stops and reports; the peak is the largest sum at any time, and at least each process's own peak
 */
function watchUsage(child: ChildProcess): () => Usage | undefined {
  let peakBytes = 0
  const processorSeconds = new Map<number, number>()
  const timer = setInterval(() => {
    const processes = child.pid === undefined ? [] : readTree(child.pid)
    const together = processes.reduce((sum, { residentBytes }) => sum + residentBytes, 0)
    peakBytes = Math.max(peakBytes, together, ...processes.map((process) => process.peakBytes))
    for (const process of processes) processorSeconds.set(process.pid, process.processorSeconds)
  }, SAMPLE_MS)
  return () => {
    clearInterval(timer)
    if (peakBytes === 0) return undefined
    return { peakBytes, processorSeconds: [...processorSeconds.values()].reduce((sum, seconds) => sum + seconds, 0) }
  }
}

interface ProcessUsage extends Usage {
  pid: number
  parent: number
  residentBytes: number
}

function readTree(root: number): ProcessUsage[] {
  if (process.platform !== 'linux') return []
  const all = readdirSync('/proc').flatMap((name) => readProcess(Number(name)) ?? [])
  const tree = new Set([root])
  // A child's PID may be lower than its parent's after PIDs wrap around, so one pass is not enough.
  for (let size = 0; size !== tree.size; ) {
    size = tree.size
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid)
  }
  return all.filter(({ pid }) => tree.has(pid))
}

/** Linux reports processor time in hundredths of a second, regardless of its own clock rate. proc_pid_stat(5) */
const TICKS_A_SECOND = 100

function readProcess(pid: number): ProcessUsage | undefined {
  if (!Number.isInteger(pid)) return undefined
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const numberAfter = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may contain spaces; user and system time are the 12th and 13th fields after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      pid,
      parent: numberAfter('PPid'),
      residentBytes: numberAfter('VmRSS') * 1024,
      peakBytes: numberAfter('VmHWM') * 1024,
      processorSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
    }
  } catch {
    // The process exited between being listed and being read.
    return undefined
  }
}

/** Returns the memory used by a process, including its threads. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}
