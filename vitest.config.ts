// Defines the test projects: `unit` needs no server, build or other program; `whole` contains all other tests, and
// installs the packages in tests/package.json for them.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { MissingPrograms } from './tests/missing-programs.ts'

/** The folders and files whose tests need no other process. */
const UNIT = [
  'tests/{domain,linear}/**/*.test.ts',
  'tests/server/**/*.test.ts',
  'tests/clients/**/*-tables.test.ts',
  'tests/publish/{decision,rounds}.test.ts',
  'tests/relevance/data.test.ts',
  'tests/site/{guides,markdown}.test.ts',
  'tests/{architecture,config,documents,limits}.test.ts',
]

/** The slowest test files, slowest first. If one of them started last, it would run alone while the other processor is idle. */
const LONGEST = [
  'tests/operate/guides.test.ts',
  'tests/operate/private-guide.test.ts',
  'tests/e2e/read-preview.test.ts',
  'tests/publish/concurrency-github.test.ts',
  'tests/site/pages.test.ts',
  'tests/cli/lock.test.ts',
  'tests/publish/kills.test.ts',
  'tests/publish/takedown.test.ts',
  'tests/clients/one-lock.test.ts',
  'tests/hubs/several-machines.test.ts',
  'tests/scripts/build.test.ts',
  'tests/publish/faults-github.test.ts',
  'tests/host/faulty-builder.test.ts',
  'tests/cli/hub.test.ts',
  'tests/publish/manage.test.ts',
  'tests/review/pull.test.ts',
  'tests/account/browser.test.ts',
  'tests/e2e/follow.test.ts',
  'tests/publish/bytes.test.ts',
  'tests/publish/newcomer.test.ts',
  'tests/operate/container.test.ts',
]

const placeOf = ({ moduleId }: TestSpecification) => {
  const place = LONGEST.findIndex((path) => moduleId.endsWith(path))
  return place === -1 ? LONGEST.length : place
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b))
  }
}

const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

export default defineConfig({
  // Tests use the same copy of a package as the code they test, even if the packages of the tests include another one.
  resolve: { dedupe: Object.keys({ ...dependencies, ...devDependencies }) },
  // As in src/site/astro/astro-options.ts.
  assetsInclude: ['**/letters.bin'],
  test: {
    reporters: ['default', new MissingPrograms()],
    // One more than the number of processors, because tests often wait for a process to start or a limit to expire.
    maxWorkers: availableParallelism() + 1,
    // Only for tests that hang: on a shared machine, durations mean little.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // A test without assertions would pass regardless of what the code does.
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT, isolate: false } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['tests/**/*.test.ts'],
          exclude: [...UNIT, '**/node_modules/**'],
          globalSetup: 'tests/install-packages.ts',
        },
      },
    ],
  },
})
