// `npm run test:packages`: installs the packages that only the checks and tests use, unless they are up to date. Vitest
// runs it before the tests that need them.
import { execSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The packages in a lock file, by path. */
type Packages = Record<string, { version?: string; integrity?: string; optional?: boolean }>

const DIR = import.meta.dirname

const readPackages = (path: string): Packages =>
  (JSON.parse(readFileSync(join(DIR, path), 'utf8')) as { packages: Packages }).packages

/** npm writes a second lock file at the end of an installation. It has no packages for other platforms. */
function areInstalled(): boolean {
  let installed: Packages
  try {
    installed = readPackages('node_modules/.package-lock.json')
  } catch {
    return false
  }
  const { '': _project, ...wanted } = readPackages('package-lock.json')
  return (
    Object.keys(installed).every((path) => path in wanted) &&
    Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
      const found = installed[path]
      return found ? found.version === version && found.integrity === integrity : optional
    })
  )
}

/** Runs before the tests. @throws if npm cannot install the packages; standard error has its message */
export function setup(): void {
  if (areInstalled()) return
  console.log('Installing the packages in tests/package.json, which takes a minute or two.')
  execSync('npm ci --include=dev --no-audit --no-fund --loglevel=error', { cwd: DIR, stdio: 'inherit' })
}

if (import.meta.main) setup()
