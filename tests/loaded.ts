// Runs scripts one after another in a process that has loaded their modules, which takes a tenth of the time of a process for each.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** The result of a command. */
export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** A program that runs a command for each line of JSON, and its processes that do nothing now. */
interface Loader {
  command: readonly [string, ...string[]]
  env?: NodeJS.ProcessEnv
  idle: { child: ChildProcessByStdio<Writable, Readable, null>; lines: Interface }[]
}

const SCRIPTS: Loader = { command: [process.execPath, resolve('tests/script-runner.ts')], idle: [] }

/** Runs a TypeScript file, as a command line `node script args...` with exactly these environment variables. It must keep nothing in its modules that a later run would notice, and not read standard input. */
export const runScript = (
  script: string,
  args: readonly string[],
  { cwd = process.cwd(), env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> => runLoaded(SCRIPTS, [resolve(script), args, cwd, env])

/** Runs one command of a loader in a process of its own or, if another run has ended, in that one's. */
export async function runLoaded({ command: [program, ...args], env, idle }: Loader, given: unknown[]): Promise<Ran> {
  let loaded = idle.pop()
  if (!loaded) {
    // Its input ends with this process, and it does then.
    const child = spawn(program, args, { env: env ?? process.env, stdio: ['pipe', 'pipe', 'inherit'] })
    loaded = { child, lines: createInterface(child.stdout) }
  }
  const stopping = new AbortController()
  const { signal } = stopping
  // The error of a process that cannot start is on standard error.
  const ended = once(loaded.child, 'exit', { signal }).then(([code]) => Promise.reject(new Error(`ended with ${code}`)))
  const answered = Promise.race([once(loaded.lines, 'line', { signal }), ended])
  loaded.child.stdin.write(`${JSON.stringify(given)}\n`)
  const [line] = await answered
  stopping.abort()
  await ended.catch(() => {})
  idle.push(loaded)
  return JSON.parse(line)
}
