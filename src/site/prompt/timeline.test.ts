// Tests how versions are arranged by major version, and which patches are folded.
import { expect, test } from 'vitest'
import { arrangeTimeline } from './timeline.ts'

test.each([
  ['no versions', '', '', ''],
  ['one version', '1.0.0', '', '1: 1.0.0'],
  ['a patch alone stays', '1.1.0 1.0.1 1.0.0', '', '1: 1.1.0 1.0.1 1.0.0'],
  ['two patches are folded', '1.0.2 1.0.1 1.0.0', '', '1: (1.0.2 1.0.1) 1.0.0'],
  [
    'a marked patch stays, and parts a run',
    '1.0.4 1.0.3 1.0.2 1.0.1 1.0.0',
    '1.0.2',
    '1: (1.0.4 1.0.3) 1.0.2 1.0.1 1.0.0',
  ],
  ['each major version has its own', '2.0.1 1.0.1', '', '2: 2.0.1; 1: 1.0.1'],
  ['runs end with their major version', '10.0.2 10.0.1 9.1.1 9.0.1', '', '10: (10.0.2 10.0.1); 9: (9.1.1 9.0.1)'],
])('%s', (_, versions, marked, arranged) => {
  const rows = versions
    .split(' ')
    .filter(Boolean)
    .map((version) => ({ version }))
  const eras = arrangeTimeline(rows, ({ version }) => marked.split(' ').includes(version))
  const words = eras.map(({ major, entries }) => {
    const drawn = entries.map((entry) =>
      'row' in entry ? entry.row.version : `(${entry.folded.map(({ version }) => version).join(' ')})`,
    )
    return `${major}: ${drawn.join(' ')}`
  })
  expect(words.join('; ')).toBe(arranged)
})
