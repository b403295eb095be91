// Runs git: without a shell, without the user's hooks and GIT_* variables, and with the hub's identity. A thread may let a small process, git-runner.mjs, start it.
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { GitFailure, OutputTooLong } from './git-failure.ts'
import { openObjectReader } from './object-reader.ts'

interface GitRun {
  /** Passed to standard input; if in parts, each is read when git has taken the one before. */
  input?: string | Uint8Array | Generator<string | Uint8Array> | AsyncGenerator<string | Uint8Array>
  /** Stops the process; never used for a process that holds one of the user's locks. */
  signal?: AbortSignal
  /** The longest output. Git is stopped when it has written more. */
  maxBytes?: number
  /** The absolute path of an index to use instead of the working tree's index. */
  indexFile?: string
  /** Called with the ID of the process. */
  onStart?: (pid: number | undefined) => void
  /** Settings for this run only, passed through the environment so that a secret in them does not appear in any process list or file. */
  config?: Readonly<Record<string, string>>
}

/** The processes that read the objects of folders; undefined in a thread that asks rarely. */
let readers: Map<string, ReturnType<typeof openObjectReader>> | undefined

/** Keeps a process for the objects of each folder that is opened from now on: for a thread that asks often. */
export function keepObjectReaders(): void {
  readers ??= new Map()
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

/**
 * Overrides the user's configuration, which could reject a commit with a reference-transaction hook, start a file system monitor, print signature checks between commits, leave out what the first commit added, or set a different encoding for commit messages.
 */
const SETTINGS = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'log.showSignature=false', 'log.showRoot=true'],
  ...['i18n.commitEncoding=UTF-8', 'i18n.logOutputEncoding=UTF-8'],
].flatMap((setting) => ['-c', setting])

/** Says whom git trusts, and not which repository it uses. */
const CERTIFICATES = 'GIT_SSL_CAINFO'

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
  return Object.assign(
    { GIT_CONFIG_COUNT: String(pairs.length) },
    ...pairs.map(([key, value], at) => ({ [`GIT_CONFIG_KEY_${at}`]: key, [`GIT_CONFIG_VALUE_${at}`]: value })),
  )
}

/** The folder of a hub's own files, which belong to no repository around it. */
const OWN = '.hub'

/** Finds the folder above which git need not look for its repository, without starting git. @returns undefined if there is no such folder, or nothing that says so */
export function findTop(dir: string): string | undefined {
  if (!existsSync(dir)) return undefined
  for (let folder = realpathSync(dir), last = ''; folder !== last; [folder, last] = [dirname(folder), folder])
    if (existsSync(join(folder, '.git')) || basename(dirname(folder)) === OWN) return folder
  return undefined
}

/**
 * Opens git in a folder. If the repository there is damaged, git fails, and uses none in a folder above.
 *
 * @param folder its working directory
 * @param environment usually `process.env`, for PATH and HOME; all GIT_* variables but that of the certificates are removed, because they could point to another repository (git sets them for hooks, and some editors export them)
 * @param own the GIT_* variables of the hub's own, such as `GIT_DIR`
 */
export function createGit(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>> = {},
) {
  const kept = Object.entries(environment).filter(
    ([name]) => name === CERTIFICATES || !name.toUpperCase().startsWith('GIT_'),
  )
  const top = findTop(folder)
  const env = {
    ...Object.fromEntries(kept),
    ...(top !== undefined && { GIT_CEILING_DIRECTORIES: dirname(top) }),
    ...IDENTITY,
    LC_ALL: 'C',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    ...own,
  }
  const placeOf = ({ indexFile, config }: GitRun) => ({
    cwd: folder,
    env: { ...env, ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }), ...(config && writeConfig(config)) },
  })
  /** @throws Error `EMFILE` if too many files are open: such a process has no streams, and its own error comes later */
  const start = (args: readonly string[], run: GitRun = {}) => {
    const child = spawn('git', [...SETTINGS, ...args], {
      ...placeOf(run),
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      ...(run.signal && { signal: run.signal }),
    })
    child.on('error', () => {})
    if (!child.stdout)
      throw Object.assign(new Error('git cannot be started: too many files are open'), { code: 'EMFILE' })
    return child
  }
  /** Runs git and accepts any exit status. @throws Error if it cannot be started (`code` `ENOENT`: no git) or was aborted */
  const tryRun = async (args: readonly string[], run: GitRun = {}): Promise<GitResult> => {
    const { input = '', signal, maxBytes = Number.POSITIVE_INFINITY, onStart } = run
    const tooLong = () => new OutputTooLong(`git ${args[0]} wrote more than ${maxBytes} bytes`)
    if (runner && !onStart && (typeof input === 'string' || input instanceof Uint8Array)) {
      const request = { args: [...SETTINGS, ...args], ...placeOf(run), input, maxBytes }
      const { code, stdout, stderr, isTooLong } = await runner.run(request, signal)
      if (isTooLong) throw tooLong()
      return { code, stdout: Buffer.from(stdout.buffer, stdout.byteOffset, stdout.byteLength), stderr }
    }
    return new Promise((resolve, reject) => {
      const child = start(args, run)
      onStart?.(child.pid)
      const out: Buffer[] = []
      const err: Buffer[] = []
      let left = maxBytes
      child.stdout.on('data', (chunk: Buffer) => {
        left -= chunk.length
        if (left >= 0) out.push(chunk)
        else {
          child.kill()
          reject(tooLong())
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
    /** For another thread, which opens git in the same place. */
    place: { folder, own },
    /** Reads objects without a process of its own for each question; undefined in threads that ask rarely. */
    objects: readers && getOrAdd(readers, JSON.stringify([folder, own]), () => openObjectReader((args) => start(args))),
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
    /** Starts git, whose output is read as it comes. @returns also when git has ended, which never fails */
    open(
      args: readonly string[],
      { input = '', ...run }: Pick<GitRun, 'signal'> & { input?: Uint8Array | string } = {},
    ) {
      const child = start(args, run)
      child.stderr.resume()
      child.stdin.on('error', () => {})
      child.stdin.end(input)
      return { output: child.stdout, pid: child.pid, ended: endOf(child).catch(() => null) }
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

function getOrAdd<Value>(values: Map<string, Value>, key: string, make: () => Value): Value {
  const value = values.get(key) ?? make()
  values.set(key, value)
  return value
}

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
    // Also if a message cannot be sent.
    mine.on('error', end)
    // Of its exit, a hub that has nothing else to do would not hear: only the channel keeps it running.
    mine.on('disconnect', () => end())
    return mine
  }
  return {
    /** @throws Error if git cannot be started (`code` `ENOENT`: no git), if the signal aborts, or if the process ends */
    async run(request: Omit<GitRequest, 'id'>, signal: AbortSignal | undefined): Promise<GitAnswer> {
      signal?.throwIfAborted()
      const id = ++lastId
      const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>()
      waiting.set(id, { resolve, reject })
      child ??= launch()
      child.send({ id, ...request } satisfies GitRequest)
      child.channel?.ref()
      const stop = () => {
        child?.send({ stop: id })
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
