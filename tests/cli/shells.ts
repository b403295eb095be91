// Runs hubcli for the tests in the shells on this machine. Each run gets a PATH with only the given tools, and a new
// home folder.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { runProgram } from '../clients/both-clients.ts'
import { lastingFolder, temporaryFolder } from '../temporary-folder.ts'
import { HUBCLI } from './assembled.ts'

/** A way to run hubcli. */
export interface Shell {
  name: string
  /** The program and its first arguments, before the path of the script. */
  command: [string, ...string[]]
  /** The only folder in the PATH of a run. It contains the standard tools, curl and python3. */
  tools: string
  /** The same without python3. */
  bare: string
}

/** The result of one run. */
export interface Outcome {
  /** The exit code, or 128 plus the signal number, as in a shell. */
  code: number
  stdout: string
  /** Standard output as raw bytes. */
  bytes: Buffer
  stderr: string
  /** Files left behind in TMPDIR. */
  left: string[]
  /** The delays, in seconds, that hubcli passed to `sleep`, which returns immediately in these tests. */
  slept: string[]
}

/** Options of a run that differ from the defaults. */
export interface RunOptions {
  env?: Record<string, string>
  cwd?: string
  tools?: string
  input?: string | Buffer
  /** Shell arguments before the script, such as `-x`. */
  shellOptions?: string[]
  /** The script to run instead of hubcli. */
  script?: string
  /** Runs hubcli with a terminal as standard output; requires python3. */
  inTerminal?: boolean
  /** Runs the shell script also for a command that it passes on to Python. */
  isWhole?: boolean
  /** Runs only the program in Python, for arguments of `cat`, `pull` or `push` that the shell part passes on. */
  isPassedOn?: boolean
  /** Called with the process as soon as it has started. The process leads its own process group. */
  onStart?: (child: ChildProcess) => void
}

export { HUBCLI }
/** A text of 20 kB with everything that a shell may read otherwise. */
export const TEXT_FILE = path.resolve('clients/hubcli/hubcli')

/** Additional shells in which hubcli must run if they are installed, and shells that it must reject with a message. */
export const OTHER_SHELLS = ['bash', 'busybox ash', 'zsh', 'mksh']
export const REFUSED_SHELLS = ['posh', 'yash']

/**
 * Every external program that hubcli may call. The list is fixed: any addition must be a standard tool that macOS and
 * BusyBox also provide.
 */
export const STANDARD_TOOLS = ['awk', 'cat', 'head', 'mkdir', 'mv', 'od', 'rm', 'sed', 'sha256sum', 'tr', 'wc'] as const

/** Creates an empty folder for one test. */
export const makeFolder = () => temporaryFolder('hubcli-test-')

/** Finds a program in PATH. @returns its absolute path, or undefined if there is none */
export function findProgram(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const candidate = path.join(folder, name)
    try {
      accessSync(candidate, constants.X_OK)
      return candidate
    } catch {
      // The program is not in this folder, so the search continues in the next one.
    }
  }
  return undefined
}

/** The python3 that tests/real-python.ts has put first in PATH, which needs none of the tools that a run does not have. */
export const PYTHON = must('python3')

/** The shell of the tests; other-shells.test.ts tests the others. */
export const SHELL: Shell = {
  name: 'dash',
  command: [findProgram('dash') ?? must('sh')],
  tools: makeTools({ python: PYTHON }, lastingFolder('hubcli-tools-')),
  bare: makeTools({}, lastingFolder('hubcli-tools-')),
}

interface Providers {
  busybox?: string
  python?: string
  awk?: string
}

/**
 * Creates the only folder in the PATH of a run. It contains curl, the standard tools, and a `sleep` that only records
 * its duration.
 *
 * @param from `busybox` is the path of a BusyBox that provides the standard tools; `python` adds python3; `awk` is the
 * command line that runs as awk
 */
export function makeTools({ busybox, python, awk }: Providers = {}, folder = makeFolder()): string {
  for (const tool of STANDARD_TOOLS) {
    if (tool === 'awk' && awk !== undefined) writeScript(folder, 'awk', `exec ${awk} "$@"`)
    else symlinkSync(busybox ?? must(tool), path.join(folder, tool))
  }
  symlinkSync(must('curl'), path.join(folder, 'curl'))
  // This is a script, not a symlink, because Python finds its library relative to its own path.
  if (python !== undefined) writeScript(folder, 'python3', `exec ${python} "$@"`)
  writeScript(folder, 'sleep', 'echo "$1" >>"$SLEEP_NOTES"')
  return folder
}

export function writeScript(folder: string, name: string, body: string): void {
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
}

/** The commands of which the shell part does more than pass them on to Python. */
const OF_SHELL = [undefined, 'pull', 'cat', 'push', 'help', '-h', '--help', '--version']

/** Runs a command of hubcli, without any of this process's environment variables. If it is not one of the shell, the program runs without it. */
export async function runHubcli(shell: Shell, args: string[], options: RunOptions = {}): Promise<Outcome> {
  const home = makeFolder()
  const temporary = path.join(home, 'a temporary folder')
  const sleepNotes = path.join(home, 'sleep')
  mkdirSync(temporary)
  const { env, cwd = home, tools = shell.tools, isPassedOn = false, ...others } = options
  if (shell === SHELL && tools === SHELL.tools && (isPassedOn || !OF_SHELL.includes(args[0]))) {
    if (Object.values(others).every((value) => !value)) {
      const all = { PATH: tools, HOME: home, TMPDIR: temporary, LC_ALL: 'C', ...env }
      const ran = await runProgram(args, cwd, all)
      return { ...ran, bytes: Buffer.from(ran.stdout), left: readdirSync(temporary), slept: [] }
    }
  }
  const [program, ...first] = shell.command
  const words = [...first, ...(options.shellOptions ?? []), options.script ?? HUBCLI, ...args]
  const command: [string, string[]] = options.inTerminal
    ? [PYTHON, ['-c', IN_TERMINAL, program, ...words]]
    : [program, words]
  const child = spawn(...command, {
    cwd,
    detached: true,
    env: { PATH: tools, HOME: home, TMPDIR: temporary, SLEEP_NOTES: sleepNotes, ...env },
  })
  child.stdin.on('error', () => {}) // If a run never reads its input, it closes the pipe early.
  child.stdin.end(options.input)
  options.onStart?.(child)
  const [stdout, stderr, code] = await Promise.all([
    collect(child.stdout),
    collect(child.stderr),
    new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (status, signal) => resolve(status ?? 128 + (signal === 'SIGTERM' ? 15 : 2)))
    }),
  ])
  return {
    code,
    bytes: stdout,
    stdout: stdout.toString(),
    stderr: stderr.toString(),
    left: readdirSync(temporary),
    slept: existsSync(sleepNotes) ? readFileSync(sleepNotes, 'utf8').trim().split('\n') : [],
  }
}

/**
 * Runs a command in a new terminal, which serves as its standard input, output and error. The result contains all
 * output as standard output.
 */
const IN_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function must(program: string): string {
  const found = findProgram(program)
  if (found === undefined) throw new Error(`The tests of hubcli need ${program} in PATH.`)
  return found
}

/** Returns the quoted command that runs hubcli in a shell, for use in another shell script. */
export function commandLine({ command }: Shell): string {
  return [...command, HUBCLI].map((word) => `'${word}'`).join(' ')
}

export function withoutCurl(): string {
  const tools = makeTools()
  rmSync(path.join(tools, 'curl'))
  return tools
}

/**
 * Creates a PATH in which every program first records its arguments.
 *
 * @param instead a script that runs in place of curl
 */
export function recordingTools(shell: Shell, instead?: string) {
  const [tools, notes] = [makeFolder(), makeFolder()]
  const writeRecorder = (tool: string, then: string) =>
    writeScript(
      tools,
      tool,
      `{ printf '%s\\0' ${tool} "$@"; printf '\\n\\0'; } >>"${notes}/calls"\n{ printf '%s\\0' ${tool} "$(export -p)"; printf '\\n\\0'; } >>"${notes}/environments"\n${then}`,
    )
  for (const tool of readdirSync(shell.tools)) {
    const real = path.join(shell.tools, tool)
    writeRecorder(tool, tool === 'curl' && instead !== undefined ? instead : `exec "${real}" "$@"`)
  }
  const read = (name: string) =>
    readFileSync(path.join(notes, name), 'utf8')
      .split('\n\0')
      .filter(Boolean)
      .map((call) => call.split('\0').slice(0, -1))
  return { tools, calls: () => read('calls'), environments: () => read('environments') }
}
