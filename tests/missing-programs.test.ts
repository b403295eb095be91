// Tests the end of a run: which skipped tests it lists, why they were skipped, and how to run them.
import { expect, test } from 'vitest'
import { describeSkipped } from './missing-programs.ts'

const GUIDE =
  'tests/operate/guides.test.ts > a hub on one machine, set up by the guide (needs root on Debian) > is installed'

test('names the programs to install, and what only root can run', () => {
  expect(describeSkipped([GUIDE, 'tests/host/caches.test.ts > nginx > caches'], () => false)).toEqual([
    '2 tests skipped.',
    '  nginx is not installed: 1 test',
    '    tests/host/caches.test.ts > nginx > caches',
    '  the tests do not run as root: 1 test',
    `    ${GUIDE}`,
    'Install with: sudo apt-get install nginx-light',
    'Run with: sudo env "PATH=$PATH" npx vitest run tests/operate',
  ])
})

test('lists a test without a missing program by itself, and nothing if none was skipped', () => {
  expect(describeSkipped([GUIDE], () => true)).toEqual([
    '1 test skipped.',
    '  For another reason, which the name of the test gives:',
    `    ${GUIDE}`,
  ])
  expect(describeSkipped([], () => false)).toEqual([])
})
