// Follows the install steps from the site, which are those of the README: installs from a hub, then runs the client.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readCommands } from '../../src/build/downloads/commands.ts'
import { listInstallSteps } from '../../src/site/docs/cli-guide.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** Adds the tests. @param baseOf the URL of the hub; called when the tests run */
export function testInstall(baseOf: () => string): void {
  describe('install steps of hubcli', () => {
    test('install a working client', async () => {
      const home = temporaryFolder('hubcli-install-')
      const run = (command: string, ...args: string[]) =>
        promisify(execFile)(command, args, { cwd: home, env: { PATH: process.env.PATH, HOME: home } })
      const { stdout } = await run('sh', '-euc', listInstallSteps(baseOf(), '1.0.0'))
      expect(stdout).toBe('hubcli: OK\n')
      const client = join(home, '.local/bin/hubcli')
      const content = await run(client, 'cat', 'acme/code-review', '--version', '1.0.0')
      expect(content.stdout).toBe(
        readFileSync('content/acme/code-review/versions/1.0.0.md', 'utf8').split('\n---\n').slice(1).join('\n---\n'),
      )
    })

    test('are shown on the page of hubcli, and followed by each command with its options', async () => {
      const html = await (await fetch(`${baseOf()}/docs/cli`)).text()
      for (const line of listInstallSteps(baseOf(), '1.0.0').split('\n'))
        expect(html).toContain(line.replaceAll('&', '&amp;'))
      const page = html.replaceAll(/&(lt|gt|quot|#39);/g, (_, name) => {
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
}
