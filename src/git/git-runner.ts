// A small process that starts git for a large one. Starting a process copies the page tables of the one that starts it: a hub with 10,000 prompts would stand still for 20 to 80 ms, this process does for 2 to 7.
import { type ChildProcess, spawn } from 'node:child_process'

/** A message from the hub: a run of git, or the end of one. */
export type RunnerMessage =
  | {
      kind: 'run'
      id: number
      args: readonly string[]
      cwd: string
      env: NodeJS.ProcessEnv
      input: string | Uint8Array
      maxBytes: number
    }
  | { kind: 'stop'; id: number }

/** The answer to a run. */
export interface RunnerAnswer {
  id: number
  /** The exit status; null if a signal ended git. */
  code: number | null
  stdout: Uint8Array
  stderr: string
  /** Whether git was stopped because it wrote more than `maxBytes`. */
  isTooLong: boolean
  /** Why git could not be started, with the fields of Node's error. */
  failure?: { message: string; code: string | undefined; syscall: string | undefined }
}

const running = new Map<number, ChildProcess>()

function run({ id, args, cwd, env, input, maxBytes }: Extract<RunnerMessage, { kind: 'run' }>): void {
  const child = spawn('git', args, { cwd, env, windowsHide: true })
  running.set(id, child)
  const out: Buffer[] = []
  const err: Buffer[] = []
  let left = maxBytes
  const answer = (rest: Pick<RunnerAnswer, 'code'> & Partial<RunnerAnswer>) => {
    if (!running.delete(id)) return
    process.send?.({
      id,
      stdout: Buffer.concat(out),
      stderr: Buffer.concat(err).toString(),
      isTooLong: left < 0,
      ...rest,
    })
  }
  child.stdout.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left >= 0) out.push(chunk)
    else child.kill()
  })
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.on('error', ({ message, code, syscall }: NodeJS.ErrnoException) =>
    answer({ code: null, failure: { message, code, syscall } }),
  )
  child.on('close', (code) => answer({ code }))
  // If git exits before it has read all input, the pipe breaks; the exit status shows the reason.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
}

process.on('message', (message: RunnerMessage) => {
  if (message.kind === 'run') run(message)
  else running.get(message.id)?.kill()
})
// The hub ends this process: a terminal sends its signals to all processes at once, and the hub still completes its writes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
