// Runs git: without a shell, without the user's hooks and GIT_* variables, and with the hub's identity.
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { Readable } from 'node:stream'

interface GitRun {
  /** Passed to standard input; if in parts, each is read when git has taken the one before. */
  input?: string | Uint8Array | Generator<string | Uint8Array>
  /** Stops the process; never used for a process that holds one of the user's locks. */
  signal?: AbortSignal
  /** The longest output. Git is stopped when it has written more. */
  maxBytes?: number
  /** The absolute path of an index to use instead of the working tree's index. */
  indexFile?: string
  /** Settings for this run only, passed through the environment so that a secret in them does not appear in any process list or file. */
  config?: Readonly<Record<string, string>>
}

/** How long a run may block its thread. */
const MAX_SYNC_MS = 600_000

/** Git's exit status for an unknown option. */
export const GIT_USAGE = 129

interface GitResult {
  /** The exit status, or null if a signal terminated the process. */
  code: number | null
  stdout: Buffer<ArrayBuffer>
  stderr: string
}

/** Runs git in a fixed folder. */
export type Git = ReturnType<typeof createGit>

/** A failed run. The error's message contains git's output, so it is logged but never sent to a client. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure'
}

/** Git wrote more than `maxBytes`. */
export class OutputTooLong extends Error {
  override readonly name = 'OutputTooLong'
}

/**
 * Overrides the user's configuration, which could reject a commit with a reference-transaction hook, start a file system monitor, print signature checks between commits, leave out what the first commit added, or set a different encoding for commit messages.
 */
const SETTINGS = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'log.showSignature=false', 'log.showRoot=true'],
  ...['i18n.commitEncoding=UTF-8', 'i18n.logOutputEncoding=UTF-8'],
].flatMap((setting) => ['-c', setting])

/** The hub's commits are not the user's, and a new clone has no configured identity. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Prompt Hub',
  GIT_AUTHOR_EMAIL: 'prompt-hub@localhost',
  GIT_COMMITTER_NAME: 'Prompt Hub',
  GIT_COMMITTER_EMAIL: 'prompt-hub@localhost',
}

/** @see https://git-scm.com/docs/git-config#ENVIRONMENT */
function writeConfig(config: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(config)
  if (pairs.length === 0) return {}
  return Object.assign(
    { GIT_CONFIG_COUNT: String(pairs.length) },
    ...pairs.map(([key, value], at) => ({ [`GIT_CONFIG_KEY_${at}`]: key, [`GIT_CONFIG_VALUE_${at}`]: value })),
  )
}

const tooLong = (args: readonly string[], maxBytes: number) =>
  new OutputTooLong(`git ${args.find((arg) => /^[a-z]+(?:-[a-z]+)*$/.test(arg))} wrote more than ${maxBytes} bytes`)

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
let runner: ReturnType<typeof openRunner> | undefined

/** Lets a small process start git from now on: for a thread of a process that becomes large. Call it early. */
export function startGitRunner(): void {
  runner ??= openRunner()
}

function openRunner() {
  const waiting = new Map<number, { resolve(answer: GitAnswer): void; reject(error: unknown): void }>()
  let child: ChildProcess | undefined
  let lastId = 0
  /** The process keeps the hub running only while it is asked something. */
  const settle = () => {
    if (waiting.size === 0) child?.channel?.unref()
  }
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
      settle()
    })
    const end = (cause?: unknown) => {
      if (child !== mine) return
      child = undefined
      for (const { reject } of waiting.values()) reject(new Error('The process that starts git ended.', { cause }))
      waiting.clear()
    }
    mine.on('error', end)
    mine.on('exit', () => end())
    return mine
  }
  child = launch()
  const send = (id: number, message: GitRequest | { stop: number }) => {
    child ??= launch()
    child.send(message, (error) => error && waiting.get(id)?.reject(error))
  }
  return {
    /** @throws Error like `tryRun` */
    async run({ args, ...rest }: Omit<GitRequest, 'id'>, signal: AbortSignal | undefined): Promise<GitResult> {
      signal?.throwIfAborted()
      const id = ++lastId
      const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>()
      waiting.set(id, { resolve, reject })
      send(id, { id, args, ...rest })
      child?.channel?.ref()
      const stop = () => {
        send(id, { stop: id })
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', stop, { once: true })
      try {
        const { code, stdout, stderr, isTooLong, failure } = await promise
        if (failure) throw Object.assign(new Error(failure.message), { code: failure.code, syscall: failure.syscall })
        if (isTooLong) throw tooLong(args, rest.maxBytes)
        return { code, stdout: Buffer.from(stdout.buffer, stdout.byteOffset, stdout.byteLength), stderr }
      } finally {
        signal?.removeEventListener('abort', stop)
      }
    },
  }
}

/**
 * Opens git in a folder.
 *
 * @param folder its working directory
 * @param environment usually `process.env`, for PATH and HOME; all GIT_* variables are removed, because they could point to another repository (git sets them for hooks, and some editors export them)
 * @param own the GIT_* variables of the hub's own, such as `GIT_DIR`
 */
export function createGit(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>> = {},
) {
  const kept = Object.entries(environment).filter(([name]) => !name.toUpperCase().startsWith('GIT_'))
  const env = {
    ...Object.fromEntries(kept),
    ...IDENTITY,
    LC_ALL: 'C',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    ...own,
  }
  const placeOf = ({ indexFile, config = {} }: GitRun) => ({
    cwd: folder,
    env: { ...env, ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }), ...writeConfig(config) },
  })
  const start = (args: readonly string[], run: GitRun = {}) =>
    spawn('git', [...SETTINGS, ...args], {
      ...placeOf(run),
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      ...(run.signal && { signal: run.signal }),
    })
  /** Runs git and accepts any exit status. @throws Error if it cannot be started (`code` `ENOENT`: no git) or was aborted */
  const tryRun = (args: readonly string[], run: GitRun = {}): Promise<GitResult> => {
    const { input = '', signal, maxBytes = Number.POSITIVE_INFINITY } = run
    if (runner && (typeof input === 'string' || input instanceof Uint8Array)) {
      const { cwd, env } = placeOf(run)
      return runner.run({ args: [...SETTINGS, ...args], cwd, env, input, maxBytes }, signal)
    }
    return new Promise((resolve, reject) => {
      const child = start(args, run)
      const out: Buffer[] = []
      const err: Buffer[] = []
      let left = maxBytes
      child.stdout.on('data', (chunk: Buffer) => {
        left -= chunk.length
        if (left >= 0) out.push(chunk)
        else {
          child.kill()
          reject(tooLong(args, maxBytes))
        }
      })
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }))
      // If git exits before it has read all input, the pipe breaks; the exit status shows the reason.
      child.stdin.on('error', () => {})
      if (typeof input === 'object' && 'next' in input)
        Readable.from(input)
          .on('error', (error) => {
            child.kill()
            reject(error)
          })
          .pipe(child.stdin)
      else child.stdin.end(input)
    })
  }
  return {
    tryRun,
    /** Runs git while nothing else happens: for a thread that has nothing else to do, and that cannot be stopped meanwhile. @returns standard output @throws GitFailure; Error `ETIMEDOUT` after ten minutes */
    runSync(args: readonly string[], input: string, maxBytes: number): Buffer<ArrayBuffer> {
      const run = spawnSync('git', [...SETTINGS, ...args], {
        cwd: folder,
        env,
        input,
        maxBuffer: maxBytes,
        timeout: MAX_SYNC_MS,
        killSignal: 'SIGKILL',
        windowsHide: true,
      })
      if (run.error) throw run.error
      if (run.status !== 0)
        throw new GitFailure(`git ${args[0]} ended with ${run.status ?? run.signal}: ${run.stderr.toString().trim()}`)
      return run.stdout
    },
    /** Runs git and throws if it fails. @returns standard output @throws GitFailure */
    async run(args: readonly string[], run?: GitRun): Promise<Buffer<ArrayBuffer>> {
      const { code, stdout, stderr } = await tryRun(args, run)
      if (code !== 0) throw new GitFailure(`git ${args[0]} ended with ${code}: ${stderr.trim()}`)
      return stdout
    },
    /** Runs git to look something up. @returns standard output, trimmed; undefined if git fails, for example because it does not exist @throws Error like `tryRun` */
    async find(args: readonly string[]): Promise<string | undefined> {
      const { code, stdout } = await tryRun(args)
      return code === 0 ? stdout.toString().trim() : undefined
    },
    /** Yields git's output as NUL-terminated records; git waits until the next record is requested. @throws GitFailure */
    async *records(args: readonly string[], run?: Pick<GitRun, 'signal'>): AsyncGenerator<string, void> {
      const child = start(args, run)
      const ended = endOf(child)
      let stderr = ''
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString()
      })
      child.stdin.on('error', () => {})
      child.stdin.end()
      try {
        let rest = Buffer.alloc(0)
        for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
          const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
          let from = 0
          for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, from)) {
            yield bytes.toString('utf8', from, end)
            from = end + 1
          }
          rest = Buffer.from(bytes.subarray(from))
        }
        const code = await ended
        if (code !== 0) throw new GitFailure(`git ${args[0]} ended with ${code}: ${stderr.trim()}`)
      } finally {
        child.kill()
      }
    },
  }
}

/** Waits for the end of a process. @returns its exit status @throws Error if it cannot be started or was aborted */
function endOf(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  // If the caller stops reading early, nobody awaits this promise, so its rejection is handled here.
  ended.catch(() => {})
  return ended
}
