// Checks the table of ranges shared by all resolvers (docs/lock-file.md) against node-semver.
import { maxSatisfying, validRange } from 'semver'
import { expect, test } from 'vitest'
import { words } from '../words.ts'

/** The published versions of a repository, according to `versions.json` and its record. */
interface Published {
  versions: string[]
  yanked: string[]
  labels: Record<string, string>
}

/**
 * The input, and the version that it resolves to in each repository: null if nothing matches, or `malformed` if the
 * input is neither a range nor a label name.
 */
type Row = [written: string, expected: Record<string, string | null>]

const REPOSITORIES: Record<string, Published> = {
  empty: { versions: [], yanked: [], labels: {} },
  one: { versions: ['1.0.0'], yanked: [], labels: { production: '1.0.0' } },
  usual: {
    versions: words`
      1.0.0 1.0.1 1.1.0 1.2.0 1.2.1 1.2.3 1.2.10 1.3.0 1.10.0 2.0.0 2.0.1 2.1.0
    `,
    yanked: [],
    labels: { production: '1.2.3', next: '2.1.0', '1': '2.0.0', x: '1.0.0' },
  },
  zero: {
    versions: ['0.0.0', '0.0.1', '0.0.2', '0.0.10', '0.1.0', '0.1.1', '0.2.0', '0.2.3', '0.2.9', '0.10.0', '1.0.0'],
    yanked: [],
    labels: {},
  },
  yanked: {
    versions: ['1.0.0', '1.1.0', '1.2.0', '1.2.1', '1.3.0', '2.0.0', '3.0.0'],
    yanked: ['1.2.1', '1.3.0', '3.0.0'],
    labels: { stable: '1.2.0' },
  },
  withdrawn: { versions: ['1.0.0', '1.0.1'], yanked: ['1.0.0', '1.0.1'], labels: {} },
  large: { versions: ['9.9.9', '10.0.0', '99999.0.1', '999999.999999.999999'], yanked: [], labels: {} },
}

const PARTIALS = [
  '0 1 2 3 0.0 0.1 0.2 1.0 1.2 1.10 2.0 2.2 0.0.0 0.0.1 0.2.3 1.0.0 1.2.1 1.2.2 1.2.10 1.3.0 2.0.1',
  '2.1.1 999999.999999.999999',
].flatMap((line) => line.split(' '))
const WILD = [
  '* x X 1.x 1.* 1.X.x 1.2.x 1.2.* 1.x.3 *.1.2 0.x 0.0.x 0.x.1 x.x.x ^* ~x ^1.x ~1.x ^1.2.x ~1.2.x',
  '^0.x ^0.0.x ~0.0.x ^1.x.9',
].flatMap((line) => line.split(' '))
const LABELS = [
  'production',
  'next',
  'stable',
  'latest',
  'constructor',
  '-',
  'a--b',
  'Production',
  'a'.repeat(36),
  'a'.repeat(37),
]
const MALFORMED = [
  '',
  ' ',
  'v1.2.3',
  '=1.2.3',
  '>=1.0.0',
  '<2',
  '1.2.3 ',
  ' 1.2.3',
  '^ 1.2',
  '~>1.2',
  '1 || 2',
  '1.0.0 - 2.0.0',
  '1.2.3.4',
  '01.2.3',
  '1.02',
  '1.2.03',
  '1.2.3-beta',
  '1.2.3+build',
  '1..2',
  '.1',
  '1.',
  '^',
  '~',
  '^^1',
  '~^1',
  '1000000',
  '^1.1000000',
  '-1',
  '1,2',
  '١.٢',
  '1.2.3\n',
  '1\n',
  '%31',
  '../1',
  '**',
  'xx.1',
]

/** Ranges as defined in docs/lock-file.md. node-semver accepts more forms, but the clients support only these. */
const NUMBER = '(?:0|[1-9][0-9]{0,5})'
const RANGE = new RegExp(
  `^[~^]?(?:${NUMBER}(?:[.]${NUMBER}){0,2}|(?:${NUMBER}[.]${NUMBER}[.]|${NUMBER}[.](?:[xX*][.])?|(?:[xX*][.]){0,2})[xX*])$`,
)
const LABEL = /^(?=.{1,36}$)[a-z0-9]+(?:-[a-z0-9]+)*$/

function expected(written: string, { versions, yanked, labels }: Published): string | null {
  const active = versions.filter((version) => !yanked.includes(version))
  if (RANGE.test(written)) {
    expect(validRange(written), written).not.toBeNull()
    return maxSatisfying(active, written)
  }
  if (!LABEL.test(written) || written === 'latest') return 'malformed'
  const target = Object.hasOwn(labels, written) ? (labels[written] ?? null) : null
  return target !== null && active.includes(target) ? target : null
}

const FEW = ['*', '1', '^1.0.0', '~9.9', '1.0.0', '^10', '999999.x', 'production']

function listRows(): Row[] {
  const usual = [...PARTIALS.flatMap((partial) => [partial, `^${partial}`, `~${partial}`]), ...WILD, ...LABELS]
  return [...new Set([...usual, ...FEW, ...MALFORMED])].map((written) => {
    const names = MALFORMED.includes(written) ? ['usual'] : []
    if (usual.includes(written)) names.push('usual', 'zero', 'yanked')
    if (FEW.includes(written)) names.push('empty', 'one', 'withdrawn', 'large')
    return [written, Object.fromEntries(names.map((name) => [name, expected(written, REPOSITORIES[name]!)]))]
  })
}

/** Formats one range per line, so that changes are easy to review. */
function formatTable(rows: Row[]): string {
  const repositories = Object.entries(REPOSITORIES).map(
    ([name, published]) => `    "${name}": ${JSON.stringify(published)}`,
  )
  return `{
  "about": "What a range or label's name means in a repository: written, and the version in each repository (null: nothing matches; malformed: refused). Made by node-semver; docs/lock-file.md.",
  "repositories": {
${repositories.join(',\n')}
  },
  "cases": [
${rows.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}
  ]
}
`
}

test('the range table matches node-semver and has at least 300 cases', async () => {
  const rows = listRows()
  expect(rows.flatMap(([, expected]) => Object.keys(expected)).length).toBeGreaterThanOrEqual(300)
  // To add a new case, run `npx vitest run tests/cli/ranges.test.ts -u`, which writes it to the table.
  await expect(formatTable(rows)).toMatchFileSnapshot('../fixtures/ranges.json')
})
