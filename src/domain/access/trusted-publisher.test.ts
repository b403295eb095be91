// Tests which jobs an owner trusts: these depend on the event, workflow file, ref and environment.
import { expect, test } from 'vitest'
import { TrustedPublisher } from '../content/front-matter.ts'
import { findRefusal, isTrustedJob, type JobClaims } from './trusted-publisher.ts'

const JOB: JobClaims = {
  aud: 'https://hub.example',
  exp: 1,
  iat: 1,
  jti: 'x',
  repository: 'octo/prompts',
  repository_id: '1',
  repository_owner_id: '2',
  job_workflow_ref: 'octo/prompts/.github/workflows/publish.yml@refs/heads/main',
  workflow_ref: 'octo/prompts/.github/workflows/publish.yml@refs/heads/main',
  event_name: 'push',
  ref: 'refs/heads/main',
  sha: 'a',
  run_id: '3',
}
const ENTRY = { repository: 'octo/prompts', repository_id: 1, repository_owner_id: 2, workflow: 'publish.yml' }
const SHARED = 'big/tools/.github/workflows/publish.yml'
const V1 = `${SHARED}@refs/tags/v1`
const MAIN = 'refs/heads/main'
const at = (job_workflow_ref: string) => ({ job_workflow_ref })

const isRefused = (event: string) =>
  `event_name: only jobs triggered by push, release, workflow_dispatch, schedule may publish, not by ${event}`
const trusts = (workflow: string) => `job_workflow_ref: only the workflow ${workflow} is trusted`
const anotherOf = (what: string) =>
  `${what}_id: the trusted ${what.replace('repository_', '')} has this name but a different ID`
const OWN = 'octo/prompts/.github/workflows'

//  case                                         trusted publisher                claims  problem
test.each<[string, object, Partial<JobClaims>, string | undefined]>([
  ['push', {}, {}, undefined],
  ['release', {}, { event_name: 'release' }, undefined],
  ['workflow_dispatch', {}, { event_name: 'workflow_dispatch' }, undefined],
  ['schedule', {}, { event_name: 'schedule' }, undefined],
  ['issues', {}, { event_name: 'issues' }, isRefused('issues')],
  ['pull_request_target', {}, { event_name: 'pull_request_target' }, isRefused('pull_request_target')],
  ['workflow_run', {}, { event_name: 'workflow_run' }, isRefused('workflow_run')],
  ['issue_comment', {}, { event_name: 'issue_comment' }, isRefused('issue_comment')],
  ['an unknown event name', {}, { event_name: 'Push' }, isRefused('Push')],
  ['a repository recreated under the same name', { repository_id: 9 }, {}, anotherOf('repository')],
  ['an owner recreated under the same name', { repository_owner_id: 9 }, {}, anotherOf('repository_owner')],
  ['owner and repository in another case', { repository: 'Octo/Prompts' }, {}, undefined],
  ['the file in another case', {}, at(`${OWN}/Publish.yml@refs/heads/main`), trusts('publish.yml')],
  [
    'a path that ends the same',
    {},
    at(`${OWN.replace('prompts/', 'prompts/x/')}/publish.yml@${MAIN}`),
    trusts('publish.yml'),
  ],
  ['a file that starts the same', {}, at(`${OWN}/publish.yml.yml@${MAIN}`), trusts('publish.yml')],
  ['the trusted workflow after the @', {}, at(`evil/x@${OWN}/publish.yml`), trusts('publish.yml')],
  ['job_workflow_ref without a ref', {}, at(`${OWN}/publish.yml`), trusts('publish.yml')],
  ['a trusted reusable workflow', { workflow: SHARED }, at(`${SHARED}@refs/tags/v1`), undefined],
  ['of another owner', { workflow: SHARED }, at(`${SHARED.replace('big', 'evil')}@refs/tags/v1`), trusts(SHARED)],
  ['the repository’s own workflow when another one is trusted', { workflow: SHARED }, {}, trusts(SHARED)],
  ['a reusable workflow at the trusted ref', { workflow: V1 }, at(V1), undefined],
  ['owner and repository of it in another case', { workflow: V1 }, at(V1.replace('big/tools', 'Big/Tools')), undefined],
  ['a reusable workflow at another ref', { workflow: V1 }, at(`${V1}.evil`), trusts(V1)],
  ['the trusted branch', { ref: 'refs/heads/main' }, {}, undefined],
  ['another branch', { ref: MAIN }, { ref: `${MAIN}2` }, 'ref: only jobs on refs/heads/main are trusted'],
  ['a tag that matches the pattern', { ref: 'refs/tags/v*' }, { ref: 'refs/tags/v1.0' }, undefined],
  [
    'a branch like a tag',
    { ref: 'refs/tags/v*' },
    { ref: 'refs/heads/v1.0' },
    'ref: only jobs on refs/tags/v* are trusted',
  ],
  ['the trusted environment, in another case', { environment: 'production' }, { environment: 'Production' }, undefined],
  ['none', { environment: 'production' }, {}, 'environment: only jobs in the environment production are trusted'],
  ['any environment if none is configured', {}, { environment: 'staging' }, undefined],
])('%s', (_, entry, claims, refused) => {
  expect(findRefusal({ ...JOB, ...claims }, [TrustedPublisher.parse({ ...ENTRY, ...entry })], 'any')).toBe(refused)
})

// values that a trusted publisher must not contain
test.each([
  { workflow: '../publish.yml' },
  { workflow: 'publish.yml@refs/heads/main' },
  { workflow: 'big/tools/publish.yml' },
  { workflow: 'big/tools/.github/workflows/x/publish.yml' },
  { workflow: `${SHARED}@v1` },
  { ref: 'main' },
  { ref: 'refs/pull/1/merge' },
  { ref: 'refs/heads/*x' },
  { ref: '*' },
  { permissions: [] },
  { permissions: ['label', 'label'] },
])('rejects a trusted publisher with %j', (entry) => {
  expect(TrustedPublisher.safeParse({ ...ENTRY, ...entry }).success).toBe(false)
})

//  case                             trusted publisher             claims  whether the job may read a private hub
test.each<[string, object, Partial<JobClaims>, boolean]>([
  ['a trusted workflow', {}, {}, true],
  ['a workflow that may only read', { permissions: ['read'] }, {}, true],
  ['a workflow that may only move labels', { permissions: ['label'] }, {}, true],
  ['a workflow that is trusted with some prompts', { repos: ['review'] }, {}, true],
  ['a pull request', {}, { event_name: 'pull_request' }, false],
  ['another workflow', { workflow: 'other.yml' }, {}, false],
  ['another repository of the same name', { repository_id: 9 }, {}, false],
  ['another branch', { ref: 'refs/heads/release' }, {}, false],
])('%s', (_, entry, claims, expected) =>
  expect(isTrustedJob({ ...JOB, ...claims }, [TrustedPublisher.parse({ ...ENTRY, ...entry })])).toBe(expected),
)

test('a workflow that may only read may not publish, and no workflow reads without an entry', () => {
  const reader = TrustedPublisher.parse({ ...ENTRY, permissions: ['read'] })
  expect(findRefusal(JOB, [reader], 'review')).toBe('permissions: publish is not listed')
  expect(isTrustedJob(JOB, [])).toBe(false)
})
