// Lets a small process, git-runner.mjs, start git for this thread.
import { type ChildProcess, fork } from 'node:child_process'

/** A run of git for git-runner.mjs. */
export interface GitRequest {
  id: number
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  input: string | Uint8Array
  maxBytes: number
}

/** The end of a run. */
export interface GitAnswer {
  id: number
  /** The exit status; null if a signal ended git. */
  code: number | null
  stdout: Uint8Array<ArrayBuffer>
  stderr: string
  /** Whether git was stopped because it wrote more than `maxBytes`. */
  isTooLong: boolean
  /** Why git could not be started, with the fields of Node's error. */
  failure?: { message: string; code: string | undefined; syscall: string | undefined }
}

/** The process that starts git for this thread; undefined if this thread starts git itself. */
export let runner: ReturnType<typeof openRunner> | undefined

/** Lets a small process start git from now on: for a thread of a process that becomes large. The process starts with the first run of git. */
export function startGitRunner(): void {
  runner ??= openRunner()
}

function openRunner() {
  const waiting = new Map<number, { resolve(answer: GitAnswer): void; reject(error: unknown): void }>()
  let child: ChildProcess | undefined
  let lastId = 0
  const launch = () => {
    const mine = fork(new URL('./git-runner.mjs', import.meta.url), [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    mine.unref()
    mine.channel?.unref()
    mine.on('message', (answer: GitAnswer) => {
      waiting.get(answer.id)?.resolve(answer)
      waiting.delete(answer.id)
      // The process keeps the hub running only while it is asked something.
      if (waiting.size === 0) mine.channel?.unref()
    })
    const end = (cause?: unknown) => {
      if (child !== mine) return
      child = undefined
      for (const { reject } of waiting.values()) reject(new Error('The process that starts git ended.', { cause }))
      waiting.clear()
    }
    mine.on('error', end)
    // Of its exit, a hub that has nothing else to do would not hear: only the channel keeps it running.
    mine.on('disconnect', () => end())
    return mine
  }
  const send = (id: number, message: GitRequest | { stop: number }) => {
    child ??= launch()
    child.send(message, (error) => error && waiting.get(id)?.reject(error))
  }
  return {
    /** @throws Error if git cannot be started (`code` `ENOENT`: no git), if the signal aborts, or if the process ends */
    async run(request: Omit<GitRequest, 'id'>, signal: AbortSignal | undefined): Promise<GitAnswer> {
      signal?.throwIfAborted()
      const id = ++lastId
      const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>()
      waiting.set(id, { resolve, reject })
      send(id, { id, ...request })
      child?.channel?.ref()
      const stop = () => {
        send(id, { stop: id })
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', stop, { once: true })
      try {
        const answer = await promise
        const { failure } = answer
        if (failure) throw Object.assign(new Error(failure.message), { code: failure.code, syscall: failure.syscall })
        return answer
      } finally {
        signal?.removeEventListener('abort', stop)
      }
    },
  }
}
