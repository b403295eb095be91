// Tests results in a build: which are served, what a broken one changes, and that a restart and a broken prompt keep them.
import { hash } from 'node:crypto'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { MadeBuild } from '../../src/build/site-data.ts'
import { groupProblems } from '../../src/catalogue/last-good.ts'
import { versionFile } from '../fixtures/prompt-files.ts'
import { openHostSite } from '../hubs/host-site.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

let dir = ''
const open: ReturnType<typeof openHostSite>[] = []
const put = (path: string, text: string) => writeFiles(dir, { [`content/${path}`]: text })
const result = (content: string, more = '') =>
  `content_sha256: ${hash('sha256', `${content}\n`)}\npassed: 3\nfailed: 0\nat: "2026-11-21T08:00:00Z"\nreported_by: acme\n${more}`

beforeEach(() => {
  dir = temporaryFolder('prompt-hub-results-')
  put('acme/a/versions/1.0.0.md', versionFile('One'))
  put('acme/a/versions/1.1.0.md', versionFile('Two'))
  put('acme/a/results/1.0.0/quality.yml', result('One'))
  put('acme/a/results/1.1.0/quality.yml', result('Two'))
  put('acme/a/results/1.1.0/safety.yml', result('Two', 'model: example-model-1\n').replace('T08', 'T09'))
})
afterEach(() => {
  for (const site of open.splice(0)) site.close()
})

/** Opens the site as a new process would, and builds it. */
async function build(): Promise<MadeBuild & { data: (path: string) => unknown }> {
  for (const site of open.splice(0)) site.close()
  const contentDir = join(dir, 'content')
  const site = openHostSite(join(dir, 'hub/site.db'), { contentDir, baseUrl: 'https://hub.test' })
  open.push(site)
  const state = await site.makeBuild('2026-11-26')
  const files = site.readAll()
  return {
    ...state,
    data: (path) => {
      const text = files.get(`/data/v1/repos/acme/a${path}`)
      return text === undefined ? undefined : JSON.parse(text).data
    },
  }
}
const suites = (data: unknown) =>
  (data as { version: string; suite: string }[] | undefined)?.map((one) => `${one.version} ${one.suite}`)
const latest = ({ catalogue }: MadeBuild) => suites(catalogue.entries.get('acme/a')?.repository.results)

test('results are files beside the versions, and in the record of the latest', async () => {
  const state = await build()
  expect(state.problems).toEqual([])
  expect(latest(state)).toEqual(['1.1.0 safety', '1.1.0 quality'])
  expect(suites(state.data('/results/1.0.0.json'))).toEqual(['1.0.0 quality'])
  expect(suites(state.data('/results.json'))).toEqual(['1.1.0 safety', '1.1.0 quality', '1.0.0 quality'])
  expect(state.data('/versions/1.1.0.json')).not.toHaveProperty('results')
  rmSync(join(dir, 'content/acme/a/results'), { recursive: true })
  const after = await build()
  expect([latest(after), after.data('/results/1.0.0.json'), after.data('/results.json')]).toEqual([
    [],
    undefined,
    undefined,
  ])
})

test('a result that cannot be read, or is for other bytes, is reported by every build and hides nothing else', async () => {
  await build()
  put('acme/a/results/1.1.0/safety.yml', 'passed: many\n')
  put('acme/a/results/1.1.0/cost.yml', result('One'))
  put('acme/a/results/9.0.0/quality.yml', result('One'))
  put('acme/a/versions/1.2.0.md', versionFile('Three'))
  for (let time = 0; time < 2; time++) {
    const state = await build()
    expect(new Set(state.problems.map(({ file, rule }) => `${file} ${rule}`))).toEqual(
      new Set([
        'content/acme/a/results/1.1.0/safety.yml result',
        'content/acme/a/results/1.1.0/cost.yml results-of-these-bytes',
        'content/acme/a/results/9.0.0/quality.yml results-have-versions',
      ]),
    )
    expect(state.catalogue.entries.get('acme/a')?.repository.latest_version).toBe('1.2.0')
    expect(suites(state.data('/results/1.1.0.json'))).toEqual(['1.1.0 quality'])
    // Copies of the prompt do not outlast the build because of it.
    expect([...groupProblems(state.problems).keys()]).toEqual([])
  }
})

test('a broken version keeps its results with its last good content', async () => {
  await build()
  put('acme/a/versions/1.1.0.md', 'no front matter')
  const state = await build()
  expect(state.problems.map(({ rule }) => rule)).toEqual(['front-matter'])
  expect(latest(state)).toEqual(['1.1.0 safety', '1.1.0 quality'])
  expect(suites(state.data('/results/1.0.0.json'))).toEqual(['1.0.0 quality'])
})

test('a label on a missing version serves what was there before, with its results', async () => {
  await build()
  put('acme/a/index.md', '---\nlabels: {production: 9.0.0}\n---\n')
  put('acme/a/results/1.0.0/safety.yml', result('One'))
  const state = await build()
  expect(state.problems.map(({ rule }) => rule)).toEqual(['labels-point-at-active-versions'])
  expect(latest(state)).toEqual(['1.1.0 safety', '1.1.0 quality'])
  expect(suites(state.data('/results/1.0.0.json'))).toContain('1.0.0 quality')
})

test('a link in place of the results is no result', async () => {
  rmSync(join(dir, 'content/acme/a/results/1.1.0'), { recursive: true })
  symlinkSync('1.0.0', join(dir, 'content/acme/a/results/1.1.0'))
  const state = await build()
  expect(state.problems.map(({ rule }) => rule)).toEqual(['regular-file'])
  expect([latest(state), suites(state.data('/results/1.0.0.json'))]).toEqual([[], ['1.0.0 quality']])
})
