// Unpacks and runs the bundles of functions.
import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Unpacks a bundle. @param zip the bundle's file */
export function unpackBundle(zip: string, folder: string): void {
  execFileSync('python3', ['-m', 'zipfile', '-e', zip, folder])
}

/**
 * Runs a module as the platform does: a CommonJS package that requires an ES module fails there.
 *
 * @param cwd also has the compiled modules, which later runs read
 * @param settings environment variables, besides PATH
 * @param parameters in `process.argv` from index 1
 * @returns the JSON that the module writes as its last line
 */
export async function runModule(
  script: string,
  cwd: string,
  settings: Readonly<Record<string, string | undefined>> = {},
  ...parameters: string[]
) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--no-experimental-require-module', '--input-type=module', '-e', script, '--', ...parameters],
    { cwd, env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(cwd, 'compiled'), ...settings } },
  )
  return JSON.parse(stdout.trim().split('\n').at(-1)!)
}
