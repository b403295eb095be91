// Tests the end of a run: which skipped tests it lists, and how to run them.
import { expect, test } from 'vitest'
import { describeSkipped } from './missing-programs.ts'

const SKIPPED = [
  'tests/host/caches.test.ts > nginx > caches',
  'tests/operate/container.test.ts > every build step runs',
]

test('lists skipped tests, and names what to install', () => {
  expect(describeSkipped(SKIPPED, (name) => name !== 'nginx' && name !== 'root')).toEqual([
    '2 tests skipped:',
    ...SKIPPED.map((name) => `  ${name}`),
    'Not installed: nginx',
    'Install with: sudo apt-get install nginx-light',
    'Some tests need root: sudo env "PATH=$PATH" npm test',
  ])
  expect(describeSkipped(SKIPPED.slice(1), () => true)).toEqual(['1 test skipped:', `  ${SKIPPED[1]}`])
  expect(describeSkipped([], () => false)).toEqual([])
})
