// Tests the end of a run: which skipped tests it lists, why they were skipped, and how to run them.
import { expect, test } from 'vitest'
import { describeSkipped } from './missing-programs.ts'

const GUIDE =
  'tests/operate/guides.test.ts > a hub on one machine, set up by the guide (needs root on Debian) > is installed'

test('names the programs to install, and what only root can run', () => {
  const skipped = [
    GUIDE,
    'tests/host/caches.test.ts > nginx > caches',
    'tests/operate/company-guide.test.ts > a hub for a company (needs caddy) > has these code blocks',
    'tests/operate/container.test.ts > every build step runs',
  ]
  expect(describeSkipped(skipped, () => false)).toEqual([
    '4 tests skipped.',
    '  nginx is not installed: 1 test',
    `    ${skipped[1]}`,
    '  caddy is not installed: 1 test',
    `    ${skipped[2]}`,
    '  the tests do not run as root: 2 tests',
    `    ${GUIDE}`,
    `    ${skipped[3]}`,
    'Install with: sudo apt-get install nginx-light caddy',
    'Run with: sudo env "PATH=$PATH" npm test',
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
