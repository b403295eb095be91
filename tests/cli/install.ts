// Follows the install steps from the README and the site exactly: installs from a hub, then runs the client.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCommands } from '../../src/build/downloads/commands.ts'
import { listInstallSteps } from '../../src/site/docs/cli-guide.ts'
import { makeSiteFolder } from '../hubs/build-site.ts'
import { freePort } from '../hubs/processes.ts'
import { openOwnStores, serveSite } from '../hubs/serve-site.ts'

const run = promisify(execFile)
const dir = makeSiteFolder('install')
let served: Awaited<ReturnType<typeof serveSite>>
let baseUrl: string

beforeAll(async () => {
  const port = await freePort()
  baseUrl = `http://localhost:${port}`
  const settings = { SITE_URL: baseUrl, CONTENT_DIR: 'content' }
  served = await serveSite(dir, { settings, openStores: openOwnStores, serving: { port } })
})

afterAll(() => served?.stop())

describe('install steps', () => {
  const readme = () => /## hubcli[\s\S]*?```sh\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8'))?.[1] ?? ''

  test.each([
    ['in the README', () => readme().replaceAll('http://localhost:8888', baseUrl)],
    ['on the site', () => listInstallSteps(baseUrl, '1.0.0')],
  ])('%s install a working client', async (name, steps) => {
    const home = join(dir, name.replaceAll(' ', '-'))
    mkdirSync(home)
    const environment = { PATH: process.env.PATH, HOME: home }
    const { stdout } = await run('sh', ['-euc', steps()], { cwd: home, env: environment })
    expect(stdout).toBe('hubcli: OK\n')
    const client = join(home, '.local/bin/hubcli')
    const content = await run(client, ['cat', 'acme/code-review', '--version', '1.0.0'], { env: environment })
    expect(content.stdout).toBe(
      readFileSync('content/acme/code-review/versions/1.0.0.md', 'utf8').split('\n---\n').slice(1).join('\n---\n'),
    )
  })

  test('are shown on the CLI guide page', async () => {
    const page = await (await fetch(`${baseUrl}/docs/cli`)).text()
    for (const line of listInstallSteps(baseUrl, '1.0.0').split('\n'))
      expect(page).toContain(line.replaceAll('&', '&amp;'))
  })

  test('are followed by each command of hubcli with its options', async () => {
    const page = (await (await fetch(`${baseUrl}/docs/cli`)).text()).replaceAll(/&(lt|gt|quot|#39);/g, (_, name) => {
      return { lt: '<', gt: '>', quot: '"' }[name as string] ?? "'"
    })
    const commands = (await readCommands('.', 'hubcli')).flatMap((group) => group.commands)
    expect(commands.length).toBeGreaterThan(20)
    for (const { name, arguments: forms, says, options } of commands) {
      for (const form of forms) expect(page).toContain(`<code>hubcli ${name} ${form}`.trimEnd())
      for (const text of [says, ...options.flatMap((option) => [option.name, option.says])])
        expect(page).toContain(text)
    }
  })
})
