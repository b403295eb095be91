// Runs the three clients that support lock files (hubcli and both libraries) from source.
import { spawn, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { HUBCLI } from '../cli/assembled.ts'

/** The result of a command. */
export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** One client: its command line, and a command line with which the nth file rename fails. */
export interface Client {
  name: string
  command: string[]
  failingRename(nth: number): string[]
}

const COMMAND = resolve('clients/typescript/source/command.ts')

const PATCH = `import os, sys
real, calls = os.replace, [0]
def replace(*given, **more):
    calls[0] += 1
    if calls[0] == NTH:
        raise OSError(16, 'Device or resource busy', given[1])
    return real(*given, **more)
os.replace = replace
`
const PATCH_OF_NODE = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { rename } = fs.promises
let calls = 0
fs.promises.rename = (...given) => ++calls === NTH ? Promise.reject(new Error('EBUSY: device or resource busy')) : rename(...given)
syncBuiltinESMExports()`

const nth = (program: string, number: number) => program.replace('NTH', String(number))

/** The PATH determines which python3 hubcli uses. */
export const CLIENTS: Client[] = [
  {
    name: 'hubcli',
    command: ['sh', HUBCLI],
    failingRename: (number) => {
      const program = `${nth(PATCH, number)}sys.argv = sys.argv[2:]\nexec(compile(open(sys.argv[0]).read(), 'program', 'exec'), {'__name__': '__main__'})`
      // The patched wrapper is called python3 and comes first in PATH.
      return ['env', `PATCHED=${program}`, 'sh', '-c', PATCHED_PYTHON, HUBCLI]
    },
  },
  {
    name: 'the TypeScript client',
    command: [process.execPath, COMMAND],
    failingRename: (number) => [
      process.execPath,
      '--import',
      `data:text/javascript,${encodeURIComponent(nth(PATCH_OF_NODE, number))}`,
      COMMAND,
    ],
  },
  {
    name: 'the Python client',
    command: ['python3', '-m', 'prompt_hub'],
    failingRename: (number) => [
      'python3',
      '-c',
      `${nth(PATCH, number)}from prompt_hub.__main__ import main\nsys.exit(main(sys.argv[1:]))`,
    ],
  },
]

const PATCHED_PYTHON = `tools=$(mktemp -d) && trap 'rm -rf "$tools"' EXIT && real=$(python3 -c 'import sys; print(sys.executable)') &&
printf '#!/bin/sh\nexec %s -IS -c "$PATCHED" "$@"\n' "$real" >"$tools/python3" && chmod +x "$tools/python3" && PATH=$tools:$PATH sh "$0" "$@"`

/** Runs a command in a folder, against a hub. */
export function runClient([program, ...first]: string[], args: string[], cwd: string, hub: string): Promise<Ran> {
  const child = spawn(program!, [...first, ...args], { cwd, env: environment(hub) })
  const ran: Ran = { code: -1, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (ran.stdout += chunk))
  child.stderr.on('data', (chunk) => (ran.stderr += chunk))
  return new Promise((done, reject) => {
    child.on('error', reject)
    child.on('close', (code) => done({ ...ran, code: code ?? -1 }))
  })
}

/** Returns the environment variables that every client needs. */
export function environment(hub: string): NodeJS.ProcessEnv {
  const python = { PYTHONPATH: resolve('clients/python'), PYTHONDONTWRITEBYTECODE: '1' }
  return { ...process.env, ...python, HUB_URL: hub, NODE_NO_WARNINGS: '1' }
}

/** Whether the current user may mount a small disk for the test. */
export const CAN_MOUNT = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
