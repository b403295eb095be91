// Tests which jobs an owner trusts: by event, workflow file, ref and environment.
import { expect, test } from 'vitest'
import { findRefusal, type JobClaims } from '../../src/domain/access/trusted-publisher.ts'
import { TrustedPublisher } from '../../src/domain/content/front-matter.ts'

const JOB: JobClaims = {
  aud: 'https://hub.example',
  exp: 1,
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
const at = (job_workflow_ref: string) => ({ job_workflow_ref })

//  case                                            entry                                             claims                                                     refused
test.each<[string, object, Partial<JobClaims>, string | undefined]>([
  ['push', {}, {}, undefined],
  ['release', {}, { event_name: 'release' }, undefined],
  ['workflow_dispatch', {}, { event_name: 'workflow_dispatch' }, undefined],
  ['schedule', {}, { event_name: 'schedule' }, undefined],
  [
    'issues',
    {},
    { event_name: 'issues' },
    'event_name: only jobs of push, release, workflow_dispatch, schedule may publish, not jobs of issues',
  ],
  [
    'a case that GitHub does not use',
    {},
    { event_name: 'Push' },
    'event_name: only jobs of push, release, workflow_dispatch, schedule may publish, not jobs of Push',
  ],
  ['names in another case', { repository: 'Octo/Prompts' }, {}, undefined],
  [
    'the file in another case',
    {},
    at('octo/prompts/.github/workflows/Publish.yml@refs/heads/main'),
    'job_workflow_ref: the workflow publish.yml is trusted',
  ],
  [
    'a reference without a ref',
    {},
    at('octo/prompts/.github/workflows/publish.yml'),
    'job_workflow_ref: the workflow publish.yml is trusted',
  ],
  ['a reusable workflow that is named', { workflow: SHARED }, at(`${SHARED}@refs/tags/v1`), undefined],
  [
    'the same of somebody else',
    { workflow: SHARED },
    at(`evil/tools/.github/workflows/publish.yml@refs/tags/v1`),
    `job_workflow_ref: the workflow ${SHARED} is trusted`,
  ],
  [
    'the own file when another is named',
    { workflow: SHARED },
    {},
    `job_workflow_ref: the workflow ${SHARED} is trusted`,
  ],
  ['a reusable workflow at its ref', { workflow: `${SHARED}@refs/tags/v1` }, at(`${SHARED}@refs/tags/v1`), undefined],
  [
    'at another ref',
    { workflow: `${SHARED}@refs/tags/v1` },
    at(`${SHARED}@refs/tags/v1.evil`),
    `job_workflow_ref: the workflow ${SHARED}@refs/tags/v1 is trusted`,
  ],
  ['the branch', { ref: 'refs/heads/main' }, {}, undefined],
  [
    'another branch',
    { ref: 'refs/heads/main' },
    { ref: 'refs/heads/main2' },
    'ref: only jobs on refs/heads/main are trusted',
  ],
  ['a tag that begins so', { ref: 'refs/tags/v*' }, { ref: 'refs/tags/v1.0' }, undefined],
  [
    'a branch of that name',
    { ref: 'refs/tags/v*' },
    { ref: 'refs/heads/v1.0' },
    'ref: only jobs on refs/tags/v* are trusted',
  ],
  ['the environment', { environment: 'production' }, { environment: 'Production' }, undefined],
  ['none', { environment: 'production' }, {}, 'environment: only jobs in the environment production are trusted'],
  ['any, when none is asked for', {}, { environment: 'staging' }, undefined],
])('%s', (_, entry, claims, refused) => {
  expect(findRefusal({ ...JOB, ...claims }, [TrustedPublisher.parse({ ...ENTRY, ...entry })], 'any')).toBe(refused)
})

//  what an entry may not say
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
])('rejects an entry with %j', (entry) => {
  expect(TrustedPublisher.safeParse({ ...ENTRY, ...entry }).success).toBe(false)
})
