// Tests which job a certificate names. tests/attestations has certificates as Sigstore issues them.
import { expect, test } from 'vitest'
import { readSigner } from './attestation-signer.ts'

const WORKFLOW = 'https://github.com/octo/prompts/.github/workflows/publish.yml@refs/heads/main'
/** The text of each extension, by its number. */
const CLAIMS = {
  8: 'https://token.actions.githubusercontent.com',
  9: WORKFLOW,
  12: 'https://github.com/octo/prompts',
  13: 'a'.repeat(40),
  14: 'refs/heads/main',
  15: '1001',
  17: '2002',
  18: WORKFLOW,
  20: 'push',
  21: 'https://github.com/octo/prompts/actions/runs/7/attempts/1',
  23: '',
}
const OVER_HTTP = { ...CLAIMS }
for (const number of [9, 12, 18, 21] as const) OVER_HTTP[number] = CLAIMS[number].replace('https:', 'http:')
const NO_JOB = 'the certificate does not name the CI job that signed'

test.each<[string, Record<number, string | undefined>, string | undefined, string | undefined]>([
  ['a job', {}, WORKFLOW, undefined],
  ['a certificate for another workflow', {}, WORKFLOW.replace('publish', 'other'), 'the certificate was issued for'],
  ['a certificate for nobody', {}, undefined, `${NO_JOB}: identity`],
  ['no issuer', { 8: undefined }, WORKFLOW, NO_JOB],
  ['no repository', { 12: undefined }, WORKFLOW, NO_JOB],
  ['a repository that is no URL', { 12: 'octo/prompts' }, WORKFLOW, NO_JOB],
  ['a server without https', OVER_HTTP, OVER_HTTP[9], NO_JOB],
  [
    'a workflow on another server',
    { 9: WORKFLOW.replace('.com', '.com.evil') },
    WORKFLOW,
    `${NO_JOB}: job_workflow_ref`,
  ],
  ['a caller on another server', { 18: WORKFLOW.replace('github', 'evil') }, WORKFLOW, `${NO_JOB}: workflow_ref`],
  ['a run on another server', { 21: 'https://evil.example/octo/prompts' }, WORKFLOW, `${NO_JOB}: run`],
  ['a ref with a line break', { 14: 'refs/heads/main\n' }, WORKFLOW, `${NO_JOB}: ref`],
])('%s', (_, change, identity, problem) => {
  const named = Object.entries({ ...CLAIMS, ...change }).flatMap(([number, text]): [string, string][] =>
    text === undefined ? [] : [[`1.3.6.1.4.1.57264.1.${number}`, text]],
  )
  const found = readSigner(new Map(named), identity)
  if (problem !== undefined) {
    expect(found.value).toBe(undefined)
    expect(found.problem).toMatch(problem)
    return
  }
  expect(found.value).toEqual({
    issuer: CLAIMS[8],
    claims: {
      repository: 'octo/prompts',
      repository_id: '1001',
      repository_owner_id: '2002',
      job_workflow_ref: WORKFLOW.slice('https://github.com/'.length),
      workflow_ref: WORKFLOW.slice('https://github.com/'.length),
      event_name: 'push',
      ref: 'refs/heads/main',
      sha: CLAIMS[13],
    },
    identity: WORKFLOW,
    runUrl: CLAIMS[21],
  })
})
