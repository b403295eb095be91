// Tests `hubcli export`, with the hub's own handlers and the starter catalogue.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NPX, runClient } from '../clients/both-clients.ts'
import { openApp } from '../hubs/app.ts'
import { type McpHub, openMcpHub } from '../hubs/mcp.ts'
import { makeFolder, runHubcli, SHELL } from './shells.ts'

const NAME = 'acme/code-review'
let hub: McpHub
let server: Server
let url: string
/** If defined, the hub sends this response instead of an export. */
let instead: Response | undefined

beforeAll(async () => {
  hub = openMcpHub('content')
  server = serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request: Request) => {
      const isExport = request.url.includes('/export/')
      if (isExport && instead) return instead.clone()
      return openApp(() => hub.hub)(request)
    },
  }) as Server
  await new Promise<void>((resolve) => (server.listening ? resolve() : server.once('listening', resolve)))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  hub.close()
})

const fileOf = async (version: string, format: string) =>
  (await fetch(`${url}/api/v1/repos/${NAME}/versions/${version}/export/${format}`)).text()

describe('hubcli', () => {
  const run = (args: string[], cwd?: string) =>
    runHubcli(SHELL, ['export', ...args], { env: { HUB_URL: url }, ...(cwd && { cwd }) })

  test('exports the latest version, a given version, and a labeled version', async () => {
    const lost = 'hubcli: langfuse has no place for: title, description, license, variables\n'
    expect(await run([NAME, '--to', 'langfuse'])).toMatchObject({
      code: 0,
      stdout: await fileOf('2.1.0', 'langfuse'),
      stderr: lost,
      left: [],
    })
    const cwd = makeFolder()
    expect(await run([`${NAME}@production`, '--to', 'prompty', '-o', 'a b.prompty'], cwd)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'hubcli: prompty has no place for: license, labels\n',
      left: [],
    })
    const { labels } = hub.catalogue.entries.get(NAME)!.repository
    expect(readFileSync(join(cwd, 'a b.prompty'), 'utf8')).toBe(await fileOf(labels.production!.version, 'prompty'))
    expect(await run(['--version', '1.0.0', '--to', 'github', NAME])).toMatchObject({
      stdout: await fileOf('1.0.0', 'github'),
    })
  })

  test('exports all prompts of an owner to a folder, and says which cannot be', async () => {
    const cwd = makeFolder()
    const all = await run(['acme', '--to', 'claude-command', '-o', 'a b'], cwd)
    const refused = all.stderr.match(/cannot be exported/g)?.length ?? 0
    const own = [...hub.catalogue.entries.keys()].filter((name) => name.startsWith('acme/'))
    const files = readdirSync(join(cwd, 'a b'))
    expect([all.code, files.length + refused, all.left]).toEqual([refused > 0 ? 4 : 0, own.length, []])
    expect(all.stdout).toBe(`${files.length} written to a b${refused > 0 ? `, ${refused} refused` : ''}\n`)
    const labelled = await run(['acme', '--label', 'production', '--to', 'prompty', '-o', 'here'], cwd)
    expect([labelled.code, readdirSync(join(cwd, 'here'))]).toEqual([
      0,
      expect.arrayContaining(['code-review.prompty']),
    ])
    expect((await run(['acme', '--to', 'prompty'], cwd)).stderr).toContain(
      '-o: expected a folder for the prompts of acme',
    )
    expect(await run(['nobody', '--to', 'prompty', '-o', 'none'], cwd)).toMatchObject({ code: 2 })
    instead = new Response('x', {
      headers: { 'X-Prompt-Version': '2.1.0', 'Content-Disposition': 'attachment; filename="../x"' },
    })
    const hostile = await run(['acme', '--label', 'production', '--to', 'prompty', '-o', 'here'], cwd)
    instead = undefined
    expect([hostile.code, existsSync(join(cwd, 'x'))]).toEqual([5, false])
  })

  test('reports why an export fails', async () => {
    const refused = await run(['example-labs/research-question-refiner', '--to', 'claude-command'])
    expect([refused.code, refused.stdout]).toEqual([4, ''])
    expect(refused.stderr).toContain('content (line 35): $1 would be an argument')
    expect((await run([NAME, '--to', 'word'])).stderr).toContain('The formats are markdown, dotprompt')
    expect((await run([NAME, '--to', 'word'])).code).toBe(2)
    expect((await run([`${NAME}@9.9.9`, '--to', 'github'])).code).toBe(2)
    expect((await run([NAME])).code).toBe(1)
    expect((await run([NAME, '--to', '../raw'])).code).toBe(1)
    expect((await run([NAME, '--to', 'github', '-o', 'no/such/folder'])).code).toBe(1)
  })

  test('rejects a response that is not an export or does not match its digest', async () => {
    const cwd = makeFolder()
    const args = [`${NAME}@1.0.0`, '--to', 'github', '-o', 'file']
    instead = new Response('<!doctype html>')
    expect((await run(args, cwd)).code).toBe(5)
    const headers = { 'X-Prompt-Version': '1.0.0', 'Repr-Digest': `sha-256=:${'A'.repeat(43)}=:` }
    instead = new Response('Something else.', { headers })
    expect(await run(args, cwd)).toMatchObject({ code: 4, left: [] })
    instead = undefined
  })
})

test('npx prompt-hub exports the same files for an owner', async () => {
  const cwd = makeFolder()
  const { command } = NPX
  const ran = await runClient(command, ['export', 'acme', '--to', 'prompty', '-o', 'npx'], cwd, url)
  expect(ran).toMatchObject({ code: 0, stdout: `${readdirSync(join(cwd, 'npx')).length} written to npx\n` })
  const other = await runHubcli(SHELL, ['export', 'acme', '--to', 'prompty', '-o', 'sh'], {
    env: { HUB_URL: url },
    cwd,
  })
  expect(other.stdout).toBe(ran.stdout.replace('npx', 'sh'))
  for (const name of readdirSync(join(cwd, 'sh')))
    expect(readFileSync(join(cwd, 'npx', name), 'utf8')).toBe(readFileSync(join(cwd, 'sh', name), 'utf8'))
  instead = new Response('x', { headers: { 'X-Prompt-Version': '2.1.0', 'Content-Disposition': 'filename="../x"' } })
  const hostile = await runClient(
    command,
    ['export', 'acme', '--label', 'production', '--to', 'prompty', '-o', 'n'],
    cwd,
    url,
  )
  instead = undefined
  expect([hostile.code, existsSync(join(cwd, 'x'))]).toEqual([5, false])
})
