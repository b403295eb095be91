// Writes a workflow with the command of the npm package, from the guides as a hub serves them.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { fillOwn } from '../../src/site/docs/own-values.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { environment, NPX, runWith } from './both-clients.ts'

const { command } = NPX
const COMMIT = 'a'.repeat(40)
let url: string
let code: { repository: string; commit: string } | undefined
const server = createServer((request, response) => {
  const guide = `src/pages${request.url}`
  const text = existsSync(guide) ? readFileSync(guide, 'utf8').replace(/^---\n[\s\S]*?\n---\n+/, '') : undefined
  const profile = { baseUrl: url, code } as Parameters<typeof fillOwn>[1]
  response.writeHead(text === undefined ? 404 : 200, { 'Content-Type': 'text/markdown' })
  response.end(text === undefined ? '' : fillOwn(text, profile))
})
beforeAll(async () => {
  url = await listen(server)
})
afterAll(() => server.close())

test('init writes a workflow with what the hub knows, and replaces none', async () => {
  const folder = temporaryFolder('prompt-hub-init-')
  const init = (...args: string[]) => runWith(command, ['init', ...args], folder, environment(url))
  code = { repository: 'example/hub-code', commit: COMMIT }
  const ran = await init('--owner', 'shopbot', '--files', 'texts/*.md')
  expect(ran).toEqual({
    code: 0,
    stdout: '.github/workflows/prompts.yml\n',
    stderr: `prompt-hub: next, let the hub trust the workflow prompts.yml: ${url}/shopbot/settings\n`,
  })
  const place = join(folder, '.github/workflows/prompts.yml')
  const paths = ['texts/*.md', '.github/workflows/prompts.yml']
  const uses = `example/hub-code/.github/actions/publish@${COMMIT}`
  const given = { hub: url, owner: 'shopbot', files: 'texts/*.md' }
  expect(parse(readFileSync(place, 'utf8'))).toMatchObject({
    on: { push: { branches: ['main'], paths }, pull_request: { paths }, workflow_dispatch: null },
    permissions: { contents: 'read' },
    jobs: {
      check: {
        if: "github.event_name == 'pull_request'",
        steps: [{ uses: expect.stringMatching(/^actions\/checkout@/) }, { uses, with: { mode: 'check', ...given } }],
      },
      publish: {
        if: "github.event_name != 'pull_request'",
        permissions: { contents: 'read', 'id-token': 'write', attestations: 'write' },
        concurrency: { group: 'publish-prompts' },
        steps: [{ with: { 'fetch-depth': 0 } }, { uses, with: given }],
      },
    },
  })
  expect(await init('--owner', 'shopbot')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is there already; --force replaces it'),
  })
  code = undefined
  expect(await init('--owner', 'shopbot', '--force')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('replace OWNER/prompt-hub@COMMIT by its repository'),
  })
  expect(readFileSync(place, 'utf8')).toContain('files: "prompts/*.md"')
  expect(await init()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--owner: expected an owner such as acme'),
  })
})
