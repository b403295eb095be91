// Defines the test projects: `unit` needs no server, build or other program; `shared` and `whole` contain all other
// tests, and install the packages in tests/package.json for them.
import { hash } from 'node:crypto'
import { availableParallelism, homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { MissingPrograms } from './tests/missing-programs.ts'

/** Tests beside what they test, and others that need no server and no build. They take less than half a minute together. */
const UNIT = ['{packages,scripts,src}/**/*.test.ts', 'tests/*.test.ts', 'tests/{relevance,server}/**/*.test.ts']

/**
 * The folders with the longest tests outside of `SHARED`, longest first. A long test that started last would run alone.
 */
const LONG = ['operate', 'e2e', 'hubs', 'site', 'editor', 'linear', 'netlify', 'publish', 'host', 'cli', 'clients']

/**
 * Folders and files whose tests leave nothing in their process that another test could notice. They share the processes
 * of the test runner: a process of its own, with the code of the hub, takes half a second of processor time per file, and
 * as much for each client that tests/loaded.ts keeps. A file that starts many programs gains nothing, because a large
 * process takes longer to start one.
 */
const SHARED = [
  'tests/{channels,formats,github,models,oidc,review,stores}/**/*.test.ts',
  'tests/account/{find-reader,open-id,session,settings,sign-in,tokens,views}.test.ts',
  'tests/attestations/{predicate,replay,verify}.test.ts',
  'tests/cli/{check,export,lock-above,push-many,ranges,recompose,result}.test.ts',
  'tests/clients/{age-and-models,breaking,dependencies,fork,label-reads,manage,many-versions}.test.ts',
  'tests/clients/{npx-*,own-changes,places,prompt-copies,skill-agents,skill-folders,skill-push,skill-read,splits}.test.ts',
  'tests/clients/{typescript*,update-blocked}.test.ts',
  'tests/mcp/{chat,menu,skills,tools,tools-list}.test.ts',
  'tests/openapi/{every-operation,linter}.test.ts',
  'tests/publish/{answer,body-*,bump,bytes,chat,check,clock,compose,concurrency-*}.test.ts',
  'tests/publish/{dangerous-content,faults-github,fresh,label-reads,manage,many-versions,moderation}.test.ts',
  'tests/publish/{names-and-paths,order,owner,prompt-file,proposals,quota}.test.ts',
  'tests/publish/{repeated,results,same-record,skill,skill-*,tokens,warnings}.test.ts',
  'tests/scripts/import-*.test.ts',
  'tests/site/{feed-dates,filling-guide,long-texts,open-in,part-changes,results,site-data,source-links}.test.ts',
]

/**
 * Sorts folders with long tests first, and the files of a folder in another order in each run, so that no test comes to
 * depend on those before it. The run begins with its seed; `--sequence.seed` repeats an order.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      // A process goes on to the next file only if that is the next in line.
      if (project.name === 'shared') return LONG.length + 1
      const at = LONG.findIndex((folder) => moduleId.includes(`/tests/${folder}/`))
      return at < 0 ? LONG.length : at
    }
    const { seed } = this.ctx.config.sequence
    const drawn = new Map(files.map((file) => [file, hash('sha256', `${seed} ${relative('.', file.moduleId)}`)]))
    return files.toSorted((a, b) => rank(a) - rank(b) || (drawn.get(a)! < drawn.get(b)! ? -1 : 1))
  }
}

const SETUP = ['install-packages', 'real-python', 'memory-folder', 'make-pages'].map((name) => `tests/${name}.ts`)

/** Test processes have hundreds of megabytes, and one that starts git itself waits 20 ms each time. The hub does the same. */
const RUNNER = ['tests/start-git-runner.ts']

/** What Node has compiled. The processes of the test runner read the variable when they start, before `env` is set. */
const COMPILED = resolve('node_modules/.cache/compile')
process.env.NODE_COMPILE_CACHE = COMPILED

export default defineConfig({
  test: {
    reporters: ['default', new MissingPrograms()],
    // Node loads the code, as in the product. Vite would transform each module and send it to each process, which takes up
    // to a fifth of the processor time. No test mocks a module, or imports what only Vite can load.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The tests start thousands of processes from TypeScript and Python files. With these caches, a start takes a third of
    // the CPU time.
    env: {
      NODE_COMPILE_CACHE: COMPILED,
      PYTHONPYCACHEPREFIX: resolve('node_modules/.cache/python-modules'),
      PYTHONDONTWRITEBYTECODE: '',
      // tests/own-home.ts empties the home folder, but what npm has downloaded for it is of use.
      npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
      // Nobody's identity and settings, not even those that git guesses from the name of the machine. Git's maintenance
      // after each commit is a process of its own, and finds nothing to do in these small repositories.
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'maintenance.auto',
      GIT_CONFIG_VALUE_0: 'false',
      GIT_CONFIG_KEY_1: 'user.useConfigOnly',
      GIT_CONFIG_VALUE_1: 'true',
    },
    // One more than the number of processors, because tests often wait for a process to start or a limit to expire. With
    // two more, no processor was idle for longer, and limits of the product ended requests.
    maxWorkers: availableParallelism() + 1,
    setupFiles: ['tests/own-home.ts', 'tests/remove-folders.ts'],
    // Only for tests that hang: on a shared machine, durations mean little.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // A test without assertions would pass regardless of what the code does.
    expect: { requireAssertions: true, poll: { timeout: 120_000 } },
    sequence: { sequencer: LongestFirst, shuffle: { files: true } },
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT, isolate: false } },
      {
        extends: true,
        test: { name: 'shared', include: SHARED, isolate: false, globalSetup: SETUP, setupFiles: RUNNER },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['tests/**/*.test.ts'],
          exclude: [...UNIT, ...SHARED, '**/node_modules/**'],
          globalSetup: SETUP,
          setupFiles: RUNNER,
        },
      },
    ],
  },
})
