// Tests `hubcli export` in two shells, with the hub's own handlers and the starter catalogue.
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApp } from '../hubs/app.ts'
import { type McpHub, openMcpHub } from '../hubs/mcp.ts'
import { makeFolder, runHubcli, twoShells } from './shells.ts'

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

describe.each(twoShells(0))('$name', (shell) => {
  const run = (args: string[], cwd?: string) =>
    runHubcli(shell, ['export', ...args], { env: { HUB_URL: url }, ...(cwd && { cwd }) })

  test('exports the latest version, a given version, and a labeled version', async () => {
    const lost = 'hubcli: langfuse has no place for: title, description, license, variables\n'
    expect(await run([NAME, '--format', 'langfuse'])).toMatchObject({
      code: 0,
      stdout: await fileOf('2.1.0', 'langfuse'),
      stderr: lost,
      left: [],
    })
    const cwd = makeFolder()
    expect(await run([`${NAME}@production`, '--format', 'prompty', '-o', 'a b.prompty'], cwd)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'hubcli: prompty has no place for: license, labels\n',
      left: [],
    })
    const { labels } = hub.catalogue.entries.get(NAME)!.repository
    expect(readFileSync(join(cwd, 'a b.prompty'), 'utf8')).toBe(await fileOf(labels.production!, 'prompty'))
    expect(await run(['--version', '1.0.0', '--format', 'github', NAME])).toMatchObject({
      stdout: await fileOf('1.0.0', 'github'),
    })
  })

  test('reports why an export fails', async () => {
    const refused = await run(['example-labs/research-question-refiner', '--format', 'claude-command'])
    expect([refused.code, refused.stdout]).toEqual([4, ''])
    expect(refused.stderr).toContain('content (line 35): $1 would be an argument')
    expect((await run([NAME, '--format', 'word'])).stderr).toContain('The formats are markdown, dotprompt')
    expect((await run([NAME, '--format', 'word'])).code).toBe(2)
    expect((await run([`${NAME}@9.9.9`, '--format', 'github'])).code).toBe(2)
    expect((await run([NAME])).code).toBe(1)
    expect((await run([NAME, '--format', '../raw'])).code).toBe(1)
    expect((await run([NAME, '--format', 'github', '-o', 'no/such/folder'])).code).toBe(1)
  })

  test('rejects a response that is not an export or does not match its digest', async () => {
    const cwd = makeFolder()
    const args = [`${NAME}@1.0.0`, '--format', 'github', '-o', 'file']
    instead = new Response('<!doctype html>')
    expect((await run(args, cwd)).code).toBe(5)
    const headers = { 'X-Prompt-Version': '1.0.0', 'Repr-Digest': `sha-256=:${'A'.repeat(43)}=:` }
    instead = new Response('Something else.', { headers })
    expect(await run(args, cwd)).toMatchObject({ code: 4, left: [] })
    instead = undefined
  })
})
