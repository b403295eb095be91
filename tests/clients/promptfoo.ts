// Checks the prompt function of the guide to test results with promptfoo itself, which adds variables of its own.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openFaultHub, sha256 } from './fault-hub.ts'
import { makeProject } from './installed.ts'

const run = promisify(execFile)
const PROMPTFOO = resolve('.hub/promptfoo/node_modules/promptfoo/dist/src/entrypoint.js')
const NO_PROMPTFOO = existsSync(PROMPTFOO) ? '' : ' (SKIPPED: promptfoo is missing)'
const CHAT = '{{role "system"}}\nBe {{tone}}.\n\n{{role "user"}}\n{{question}}'
const CONFIG = `
prompts: [file://prompt.mjs]
providers: [echo]
tests:
  - vars: { question: "Refund?", tone: formal }
    assert: [{ type: contains, value: "Be formal." }, { type: contains, value: "Refund?" }]
  - vars: { question: "Hi", tone: friendly }
    assert: [{ type: contains, value: "nothing of this" }]
`

test.skipIf(NO_PROMPTFOO !== '')(`promptfoo fills in a prompt of the hub${NO_PROMPTFOO}`, async () => {
  const hub = await openFaultHub()
  const variables = [{ name: 'question' }, { name: 'tone' }]
  const content = { format: 'chat', content: CHAT, content_sha256: sha256(CHAT), variables, parameters: {} }
  const [facts, labels] = [
    { full_name: 'acme/help-desk', status: 'active', status_message: null },
    { staging: { version: '1.0.0', split: null } },
  ]
  const version = { version: '1.0.0', latest_version: '1.0.0', versions: ['1.0.0'] }
  for (const path of ['help-desk.json', 'help-desk/versions/1.0.0.json'])
    hub.faults.set(`/data/v1/repos/acme/${path}`, (_request, response) => {
      response.end(JSON.stringify({ data: { ...facts, labels, ...version, ...content } }))
      return true
    })
  const project = await makeProject(hub.url)
  const [, code = ''] = /```js\n([^`]*?vars[^`]*)```/.exec(readFileSync('src/pages/docs/results.md', 'utf8')) ?? []
  writeFileSync(join(project, 'prompt.mjs'), code)
  writeFileSync(join(project, 'promptfooconfig.yaml'), CONFIG)
  const env = {
    PATH: process.env.PATH,
    PROMPTFOO_CONFIG_DIR: join(project, 'state'),
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
    PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
  }
  const options = ['eval', '-c', 'promptfooconfig.yaml', '-o', 'results.json', '--no-cache', '--no-write']
  // It fails, because one of the two tests does.
  const failure = await run(process.execPath, [PROMPTFOO, ...options], { cwd: project, env }).catch(
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  )
  expect(existsSync(join(project, 'results.json')), String(failure)).toBe(true)
  const { results } = JSON.parse(readFileSync(join(project, 'results.json'), 'utf8'))
  expect(results.stats).toMatchObject({ successes: 1, failures: 1, errors: 0 })
  rmSync(project, { recursive: true, force: true })
  await hub.stop()
})
