// Tests when an attestation counts for one more version: a run signs a text once, but as many archives as it likes.
import { expect, test } from 'vitest'
import { findReplayProblem } from './attested.ts'

const RUN = 'https://github.com/octo/prompts/actions/runs/1/attempts/1'
const bundle = { sha256: 'a'.repeat(64), size_bytes: 1, files: [] }

test.each([
  ['a text of a new run', undefined, [`${RUN}1`], false],
  ['a text of a run that signed another version with it', undefined, [RUN], true],
  ['an archive of such a run', bundle, [RUN], false],
])('%s', (_, archive, runs, isReplayed) => {
  const problem = findReplayProblem({ bundle: archive }, { run_url: RUN }, new Set(runs))
  expect(problem !== undefined).toBe(isReplayed)
})
