// Runs before the tests that start programs: with pyenv, `python3` is a script that takes four times as long to start as
// Python itself, and the tests of the clients start it a thousand times.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Puts a folder first in PATH whose `python3` starts Python itself, if the one in PATH is a script. */
export function setup(): void {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'python3'))
    .find((path) => existsSync(path))
  if (found === undefined || readFileSync(found).subarray(0, 2).toString() !== '#!') return
  const real = execFileSync(found, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  const folder = resolve('node_modules/.cache/python')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'python3'), `#!/bin/sh\nexec '${real}' "$@"\n`, { mode: 0o755 })
  process.env.PATH = folder + delimiter + process.env.PATH
}
