// `npm run test:packages`: installs the packages that only the checks and tests use, unless they are up to date. Vitest
// runs it before the tests that need them.
import { execSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DIR = import.meta.dirname
const LOCK = join(DIR, 'package-lock.json')
/** A copy of the lock file that was installed. npm's own copy does not tell: `npm install --package-lock-only` changes it. */
const INSTALLED = join(DIR, 'node_modules/.installed-lock.json')

/** Runs before the tests. @throws if npm cannot install the packages; standard error has its message */
export function setup(): void {
  if (existsSync(INSTALLED) && readFileSync(INSTALLED).equals(readFileSync(LOCK))) return
  console.log('Installing the packages in tests/package.json, which takes a minute or two.')
  // npm first deletes node_modules, so an installation that is interrupted leaves no copy.
  execSync('npm ci --include=dev --no-audit --no-fund --loglevel=error', { cwd: DIR, stdio: 'inherit' })
  copyFileSync(LOCK, INSTALLED)
}

if (import.meta.main) {
  try {
    setup()
  } catch {
    // npm has already written what is wrong.
    process.exitCode = 1
  }
}
