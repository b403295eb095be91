// Tests `hubcli result` and the libraries' results with a real hub in this process: each format, a label that needs the
// result, and what is refused before anything is sent.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HubManager, PromptHub } from '../../clients/typescript/source/prompt-hub.ts'
import { requestSettings } from '../../clients/typescript/source/requests.ts'
import { readResults } from '../../clients/typescript/source/results.ts'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { makeFolder, runHubcli, SHELL } from './shells.ts'
import { withStandIn } from './stand-in.ts'

const OWNER = '---\nprotected_labels: [{label: production, requires: [quality]}]\n---\n'
const PROMPTFOO = {
  results: {
    timestamp: '2026-11-21T03:02:50.579Z',
    stats: { successes: 118, failures: 1, errors: 1 },
    results: [],
  },
}
const JUNIT =
  '<testsuites><testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite></testsuites>'
/** What Jest reports if a suite could not run. */
const SUITE_FAILED =
  '<testsuites tests="2" errors="1"><testsuite tests="2"><testcase name="a"/><testcase name="b"/></testsuite><testsuite name="safety" errors="1" tests="0"/></testsuites>'
const BENCHMARK = {
  metadata: { executor_model: 'example-model-1', timestamp: '2026-11-22T10:30:00Z' },
  runs: [{ configuration: 'with_skill', result: { passed: 6, failed: 1, total: 7 } }],
  run_summary: { with_skill: { pass_rate: { mean: 0.85 } } },
}

let world: World
let hub: Hub
let token: string
let url: string
let cwd: string
let close: () => Promise<void>
beforeAll(async () => {
  world = openLocalWorld({ 'content/acme/index.md': OWNER })
  hub = await openHub(world)
  token = await hub.makeToken({ permissions: ['publish', 'maintain'] })
  ;({ url, close } = await serveHub(hub))
  cwd = makeFolder()
  const files = {
    'promptfoo.json': JSON.stringify(PROMPTFOO),
    'junit.xml': JUNIT,
    'failed.xml': SUITE_FAILED,
    'benchmark.json': JSON.stringify(BENCHMARK),
    'rates.json': '{"run_summary":{}}',
    'entities.xml': '<!DOCTYPE a><testsuite><testcase/></testsuite>',
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(cwd, file), text)
})
afterAll(() => close?.())

async function publish(name: string, content = 'One\n'): Promise<void> {
  expect((await hub.publish({ content }, { to: `acme/${name}` })).status).toBe(201)
}
const resultsOf = async (name: string) =>
  JSON.parse((await hub.read(`/api/v1/repos/acme/${name}/versions/1.0.0/results`)).text).data

describe('hubcli', () => {
  const name = 'in-shell'
  const prompt = `acme/${name}`
  const run = (...args: string[]) => runHubcli(SHELL, args, { cwd, env: { HUB_URL: url, HUB_TOKEN: token } })

  test('reports each format, and then moves the label that needs it', async () => {
    await publish(name)
    expect(await run('result', prompt, '1.0.0', 'quality', 'promptfoo.json')).toMatchObject({
      code: 0,
      stdout: `${prompt} 1.0.0 quality: 118 passed, 2 failed\n`,
      stderr: '',
      left: [],
    })
    const refused = await run('label', prompt, 'production', '1.0.0')
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toContain(`quality has 2 failed, of 2026-11-21T03:02:50Z, and needs 0.`)
    expect(refused.stderr).toContain(`hubcli result ${prompt} 1.0.0 quality FILE`)
    const options = ['--model', 'm "1"', '--url', 'https://ci.example.org/1']
    expect(await run('result', prompt, '1.0.0', 'quality', 'junit.xml', ...options)).toMatchObject({
      code: 0,
      stdout: `${prompt} 1.0.0 quality: 1 passed, 0 failed, 1 skipped\n`,
      stderr: '',
    })
    expect(await run('result', prompt, '1.0.0', 'skill', 'benchmark.json', '--json')).toMatchObject({ code: 0 })
    expect(await resultsOf(name)).toMatchObject([
      { suite: 'quality', passed: 1, failed: 0, skipped: 1, score: 1, model: 'm "1"', url: 'https://ci.example.org/1' },
      { suite: 'skill', passed: 6, failed: 1, score: 0.85, model: 'example-model-1', at: '2026-11-22T10:30:00Z' },
    ])
    expect(await run('label', prompt, 'production', '1.0.0')).toMatchObject({ code: 0, stderr: '' })
  })

  test('a suite that could not run has failed, and a result can be removed', async () => {
    const [place, shown] = [`${name}-failed`, `${prompt}-failed`]
    await publish(place)
    expect(await run('result', shown, '1.0.0', 'quality', 'failed.xml')).toMatchObject({
      code: 0,
      stdout: `${shown} 1.0.0 quality: 2 passed, 1 failed\n`,
      stderr: '',
    })
    expect((await run('label', shown, 'production', '1.0.0')).code).toBe(4)
    const remove = () => run('result', '--remove', shown, '1.0.0', 'quality')
    expect(await remove()).toMatchObject({ code: 0, stdout: `${shown} 1.0.0 quality removed\n`, stderr: '', left: [] })
    expect(await resultsOf(place)).toEqual([])
    expect(await remove()).toMatchObject({ code: 0, left: [] })
    expect((await run('result', '--remove', shown, '1.0.0', 'quality', 'failed.xml')).code).toBe(1)
  })

  test('sends nothing for a file that it cannot read, and says why', async () => {
    const stranger = { kind: 'answer', status: 500, headers: {}, body: 'x' } as const
    await withStandIn(
      () => stranger,
      async ({ url: HUB_URL, requests }) => {
        //  file            suite      message
        const cases: [string, string, RegExp][] = [
          [
            'rates.json',
            'quality',
            /^hubcli: rates\.json: cannot read the output of a test runner: this benchmark\.json has only rates/,
          ],
          ['entities.xml', 'quality', /^hubcli: entities\.xml: .*expected no DOCTYPE/],
          ['none.xml', 'quality', /^hubcli: there is no file none\.xml/],
          ['junit.xml', '../x', /^hubcli: expected a test suite such as quality, got \.\.\/x/],
          ['junit.xml', 'Quality', /^hubcli: expected a test suite such as quality, got Quality/],
        ]
        for (const [file, suite, message] of cases) {
          const args = ['result', prompt, '1.0.0', suite, file]
          const outcome = await runHubcli(SHELL, args, { cwd, env: { HUB_URL, HUB_TOKEN: token } })
          expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message), left: [] })
        }
        expect(requests).toEqual([])
      },
    )
  })
})

const PYTHON = `
import asyncio, json, sys
from prompt_hub import AsyncPromptHub, HubManager, PromptHub, read_outcome
url, token, name, junit = sys.argv[1:]
prompt = PromptHub(url).get(name)
before = [result._asdict() for result in prompt.results()]
HubManager(token, url).report(name, "1.0.0", "python", **read_outcome(open(junit, "rb").read()).fields())
async def again():
    hub = AsyncPromptHub(url)
    return await hub.results(await hub.get(name))
after = [result.suite for result in asyncio.run(again())]
print(json.dumps([before, sorted(after)]))
`

test('both libraries report results and read them, without those for other bytes', async () => {
  await publish('in-libraries')
  const manager = new HubManager({ url, token })
  const at = '2026-11-21T08:00:00Z'
  const report = () => manager.report('acme/in-libraries', '1.0.0', 'types', { passed: 3, failed: 0, score: 1, at })
  expect((await report()).unchanged).toBe(false)
  expect((await report()).unchanged).toBe(true)
  const wanted = { suite: 'types', passed: 3, failed: 0, skipped: 0, score: 1, model: null, url: null, at }
  const prompt = await new PromptHub({ url }).get('acme/in-libraries')
  expect(await prompt.results()).toMatchObject([{ ...wanted, reported_by: 'acme' }])
  const { stdout } = await promisify(execFile)(
    'python3',
    ['-B', '-c', PYTHON, url, token, 'acme/in-libraries', path.join(cwd, 'junit.xml')],
    { env: { ...process.env, PYTHONPATH: path.resolve('clients/python') } },
  )
  expect(JSON.parse(stdout)).toEqual([[{ ...wanted, reported_by: 'acme' }], ['python', 'types']])
  const other = { suite: 'a', content_sha256: 'b'.repeat(64), passed: 1, failed: 0, skipped: 0, at, reported_by: 'x' }
  const body = JSON.stringify({ data: [other] })
  await withStandIn(
    () => ({ kind: 'answer', status: 200, headers: { 'content-type': 'application/json' }, body }),
    async (standIn) => {
      const of = { name: 'acme/code-review', version: '1.0.0' }
      const settings = requestSettings({}, undefined)
      expect(await readResults(standIn.url, settings, { ...of, sha256: 'a'.repeat(64) })).toEqual([])
      expect(await readResults(standIn.url, settings, { ...of, sha256: 'b'.repeat(64) })).toHaveLength(1)
    },
  )
})
