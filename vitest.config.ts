// Owns how the tests are divided: `unit` needs no server, no build and no other program, and is done in seconds; `whole` is all the rest.
import { defineConfig } from 'vitest/config'

/** Folders and files that run in this process alone. */
const UNIT = [
  'tests/domain/**/*.test.ts',
  'tests/server/**/*.test.ts',
  'tests/clients/**/*-tables.test.ts',
  'tests/publish/{decision,rounds}.test.ts',
  'tests/relevance/data.test.ts',
  'tests/site/markdown.test.ts',
  'tests/{architecture,config,documents}.test.ts',
]

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT } },
      // A test here waits for other programs; on a busy machine, for long. No time is judged by it.
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['tests/**/*.test.ts'],
          exclude: UNIT,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
