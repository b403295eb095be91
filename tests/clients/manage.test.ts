// Tests the hubcli commands and the calls in both libraries that change what is published, with a real hub.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HubManager } from '../../clients/typescript/source/prompt-hub.ts'
import { chooseVersion, type LabelTarget } from '../../src/domain/values/label-target.ts'
import { makeFolder, runHubcli, SHELL } from '../cli/shells.ts'
import { pointing } from '../fixtures/labels.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { listen, stop } from '../listen.ts'

const NAME = 'acme/code-review'
let world: World
let hub: Hub
let server: Server
let url: string
let token: string

beforeEach(async () => {
  world = openLocalWorld()
  hub = await openHub(world)
  for (const content of ['One\n', 'Two\n']) await hub.publish({ content, bump: 'minor' })
  token = await hub.makeToken({ permissions: ['label', 'maintain'] })
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', headers } = request
    const given = { method, path: request.url ?? '', token: headers.authorization?.slice(7) ?? '' }
    const answer = await hub.publish(body === '' ? undefined : body, given)
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('Content-Type') ?? '' }).end(answer.bytes)
  })
  url = await listen(server)
})
afterEach(() => stop(server))

const record = async () => (await hub.readRepository()).data
const production = async () => ((await record()).labels as Record<string, { split: unknown }>).production!

describe('hubcli', () => {
  test('changes labels, yanks, status, readme and metadata', async () => {
    const cwd = makeFolder()
    writeFileSync(join(cwd, 'notes.md'), '# Notes “”\n')
    const run = (args: string[], env = {}) =>
      runHubcli(SHELL, args, { cwd, env: { HUB_URL: url, HUB_TOKEN: token, ...env } })
    const done = (stdout: string) => ({ code: 0, stdout: `${NAME} ${stdout}\n` })
    expect(await run(['label', NAME, 'production', '1.0.0'])).toMatchObject(done('production 1.0.0'))
    expect((await record()).labels).toEqual(pointing({ production: '1.0.0' }))
    const share = done('production 1.0.0, 1.1.0 for 10 %')
    expect(await run(['label', NAME, 'production', '--split', '1.1.0=10', '--reason', 'Try'])).toMatchObject(share)
    for (const key of ['', 'user-1', 'user-17']) {
      const content = (await chooseVersion((await production()) as LabelTarget, key)) === '1.0.0' ? 'One\n' : 'Two\n'
      expect(await run(['cat', `${NAME}@production`, '--key', key])).toMatchObject({ code: 0, stdout: content })
    }
    expect(await run(['cat', NAME, '--key', 'user-1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--key: expected a label'),
    })
    expect(await run(['label', NAME, 'production', '1.1.0'])).toMatchObject(done('production 1.1.0'))
    expect(await run(['label', NAME, 'production', '--undo'])).toMatchObject(share)
    expect(await production()).toMatchObject({ version: '1.0.0', split: { percent: 10 } })
    expect(await run(['label', NAME, 'production', '--split', '1.1.0=100'])).toMatchObject({ code: 1 })
    const several = ['label', 'acme', 'next', 'code-review=1.1.0']
    expect(await run([...several, 'missing=1.0.0'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('missing: There is no repository acme/missing'),
    })
    expect(await run([...several, 'code-review=1.0.0'])).toMatchObject({ code: 1 })
    expect(await run([...several, '--undo'])).toMatchObject({ code: 1 })
    expect(await run(several)).toMatchObject(done('next 1.1.0'))
    expect(await run(['label', NAME, 'next', '--remove'])).toMatchObject({ code: 0 })
    const reporting = { HUB_TOKEN: await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] }) }
    const guarded = async (version: string, xml: string, ...more: string[]) => {
      writeFileSync(join(cwd, 'r.xml'), xml)
      const { code, stderr } = await run(
        ['result', NAME, version, 'quality', 'r.xml', '--guard', 'production', ...more],
        reporting,
      )
      return [code, stderr.trim().split('\n').at(-1)]
    }
    const good = '<testsuite name="q"><testcase name="a"/><testcase name="b"/></testsuite>'
    const bad = '<testsuite name="q"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>'
    expect(await guarded('1.1.0', bad)).toEqual([0, expect.stringContaining('there is nothing to compare')])
    expect(await guarded('1.0.0', good, '--threshold', '0.5')).toEqual([
      0,
      expect.stringContaining('nothing was changed: 0.5, and 1'),
    ])
    expect((await production()).split).toMatchObject({ percent: 10 })
    expect(await guarded('1.0.0', good)).toEqual([
      0,
      expect.stringContaining('the split was ended: quality: 1.1.0 has 0.5'),
    ])
    expect((await record()).labels).toEqual(pointing({ production: '1.0.0' }))
    expect(await run(['label', '--remove', NAME, 'production'])).toMatchObject(done('production removed'))
    expect(await run(['yank', NAME, '1.1.0', 'Says "no"'])).toMatchObject(done('1.1.0 yanked'))
    expect((await record()).latest_version).toBe('1.0.0')
    expect(await run(['unyank', NAME, '1.1.0'])).toMatchObject(done('1.1.0 restored'))
    expect(await run(['deprecate', NAME, 'Old.'])).toMatchObject(done('deprecated'))
    expect(await record()).toMatchObject({ status: 'deprecated', status_message: 'Old.', latest_version: '1.1.0' })
    expect(await run(['deprecate', NAME, '--undo'])).toMatchObject(done('active'))
    expect(await run(['readme', NAME, 'notes.md'])).toMatchObject(done('readme changed'))
    const edit = ['edit', NAME, '--title', 'Ä "title"', '--description', '', '--tags', 'a,b-c', '--license', 'MIT']
    expect(await run(edit)).toMatchObject(done('changed'))
    expect(await record()).toMatchObject({
      status: 'active',
      status_message: null,
      labels: {},
      readme: '# Notes “”',
      title: 'Ä "title"',
      description: '',
      tags: ['a', 'b-c'],
      license: 'MIT',
    })
    expect(await run(['edit', NAME, '--license', '', '--tags', ''])).toMatchObject({ code: 0 })
    expect(await record()).toMatchObject({ license: null, tags: [] })
  })

  test('returns the same exit codes as other commands', async () => {
    const run = async (args: string[], given = token) =>
      (await runHubcli(SHELL, args, { env: { HUB_URL: url, HUB_TOKEN: given } })).code
    const publishing = await hub.makeToken()
    expect(await run(['label', NAME, 'production', '9.0.0'])).toBe(2)
    expect(await run(['label', NAME, 'production', '1.0.0'], publishing)).toBe(3)
    expect(await run(['edit', NAME, '--license', 'Mine'])).toBe(4)
    expect(await run(['edit', NAME])).toBe(1)
    expect(await run(['label', NAME, 'Production', '1.0.0'])).toBe(1)
    expect(await run(['yank', NAME, '1.0.0'])).toBe(1)
    expect(await run(['deprecate', NAME, 'Old.', '--replaced-by', 'other'])).toBe(1)
  })
})

test('the TypeScript library manages labels, yanks and metadata', async () => {
  const manager = new HubManager({ url, token })
  expect(await manager.setLabel(NAME, 'production', '1.0.0', { expected: null })).toMatchObject({ unchanged: false })
  expect(await manager.setLabel(NAME, 'production', '1.0.0')).toEqual({ unchanged: true, commit: null })
  await expect(manager.setLabel(NAME, 'production', '1.1.0', { expected: '1.1.0' })).rejects.toMatchObject({
    status: 409,
  })
  await manager.setLabel(NAME, 'production', '1.0.0', { split: { version: '1.1.0', percent: 10 }, reason: 'Try' })
  expect((await production()).split).toMatchObject({ version: '1.1.0', percent: 10 })
  expect(await manager.undoLabel(NAME, 'production')).toMatchObject({ target: { version: '1.0.0', split: null } })
  await manager.setLabels('acme', 'production', { 'code-review': '1.1.0' }, { reason: 'All' })
  expect(await production()).toMatchObject({ version: '1.1.0' })
  await manager.removeLabel(NAME, 'production')
  await manager.yank(NAME, '1.1.0', 'Wrong')
  expect((await record()).latest_version).toBe('1.0.0')
  await manager.unyank(NAME, '1.1.0')
  await manager.change(NAME, { title: 'New', license: null })
  expect(await record()).toMatchObject({ title: 'New', latest_version: '1.1.0', labels: {} })
  await expect(manager.yank(NAME, '9.0.0', 'x')).rejects.toMatchObject({ code: 'not_found' })
  await expect(new HubManager({ url, token: await hub.makeToken() }).unyank(NAME, '1.0.0')).rejects.toMatchObject({
    code: 'refused',
    status: 403,
  })
  expect(() => new HubManager({ url: 'http://hub.example', token })).toThrow('https')
})

test('the Python library manages labels, yanks and metadata', async () => {
  const program = `
import sys
from prompt_hub import HubManager, PromptHubError
manager = HubManager(sys.argv[2], sys.argv[1])
name = "${NAME}"
print(manager.set_label(name, "production", "1.0.0").unchanged, manager.set_label(name, "production", "1.0.0").unchanged)
for condition in (None, "1.1.0"):
    try:
        manager.set_label(name, "production", "1.1.0", expected=condition)
    except PromptHubError as error:
        print(error.code, error.status)
manager.set_label(name, "production", "1.0.0", split=("1.1.0", 10), reason="Try")
manager.undo_label(name, "production")
print(manager.set_labels("acme", "production", {"code-review": "1.0.0"}, reason="All").unchanged)
manager.remove_label(name, "production", expected={"version": "1.0.0", "split": None})
manager.yank(name, "1.1.0", "Wrong")
manager.unyank(name, "1.1.0")
manager.change(name, title="New", license=None)
for call in (lambda: manager.yank(name, "9.0.0", "x"), lambda: HubManager(sys.argv[3], sys.argv[1]).unyank(name, "1.0.0")):
    try:
        call()
    except PromptHubError as error:
        print(error.code, error.status)
`
  const { stdout } = await promisify(execFile)('python3', ['-c', program, url, token, await hub.makeToken()], {
    env: { ...process.env, PYTHONPATH: 'clients/python' },
  })
  expect(stdout).toBe('False True\nrefused 409\nrefused 409\nTrue\nnot_found 404\nrefused 403\n')
  expect(await record()).toMatchObject({ title: 'New', latest_version: '1.1.0', labels: {} })
})

test('what would be another path, and a missing token, are refused before anything is sent', async () => {
  // Nothing listens there.
  const nowhere = 'http://127.0.0.1:9'
  const manager = new HubManager({ url: nowhere, token })
  const calls = [
    () => manager.setLabel(NAME, '', '1.0.0'),
    () => manager.setLabel(NAME, 'production', ''),
    () => manager.removeLabel(NAME, ''),
    () => manager.removeLabel(NAME, 'latest'),
    () => manager.removeResult(NAME, '1.0.0', ''),
    () => manager.yank(NAME, '', 'Wrong'),
  ]
  const refusals = await Promise.all(calls.map((call) => call().catch((error: Error) => error.message)))
  const wanted = [
    'label: expected a name such as production, got ""',
    'version: expected a version such as 1.2.0, got ""',
    'label: expected a name such as production, got ""',
    'label: expected a name such as production, got "latest"',
    'suite: expected a name such as quality, got ""',
    'version: expected a version such as 1.2.0, got ""',
  ]
  expect(refusals).toEqual(wanted)
  const missing = `token: expected a token; create one at ${nowhere}/settings`
  expect(() => new HubManager({ url: nowhere, token: '' })).toThrow(missing)
  const program = `
import sys
from prompt_hub import HubManager, PromptHubError
manager = HubManager("x", sys.argv[1])
for call in (
    lambda: manager.set_label("${NAME}", "", "1.0.0"),
    lambda: manager.set_label("${NAME}", "production", ""),
    lambda: manager.remove_label("${NAME}", ""),
    lambda: manager.remove_label("${NAME}", "latest"),
    lambda: manager.remove_result("${NAME}", "1.0.0", ""),
    lambda: manager.yank("${NAME}", "", "Wrong"),
    lambda: HubManager("", sys.argv[1]),
):
    try:
        call()
    except PromptHubError as error:
        print(error.code, error)
`
  const { stdout } = await promisify(execFile)('python3', ['-c', program, nowhere], {
    env: { ...process.env, PYTHONPATH: 'clients/python' },
  })
  const lines = [...wanted, missing].map((sentence) => `invalid_request ${sentence.replaceAll('"', "'")}\n`)
  expect(stdout).toBe(lines.join(''))
})
