// Runs before the tests that start programs: with pyenv, `python3` is a script that takes four times as long to start as
// Python itself, and hubcli compiles its modules in each run. The tests start both a thousand times.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Puts a folder first in PATH whose `python3` starts Python itself, with the modules of hubcli compiled once. */
export function setup(): void {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'python3'))
    .find((path) => existsSync(path))
  if (found === undefined) return
  const real = execFileSync(found, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  const [folder, modules] = [
    resolve('node_modules/.cache/python'),
    resolve('node_modules/.cache/python-modules/hubcli'),
  ]
  for (const made of [folder, modules]) mkdirSync(made, { recursive: true })
  // So hubcli starts its program, and nothing else does.
  const script = `#!/bin/sh
case "$1 $2" in
  '-IS /'*) shift; exec '${real}' -IS '${resolve('tests/compiled_once.py')}' '${modules}' "$@" ;;
esac
exec '${real}' "$@"
`
  writeFileSync(join(folder, 'python3'), script, { mode: 0o755 })
  process.env.PATH = folder + delimiter + process.env.PATH
}
