// Tests the story of a breaking change with a real hub: its author names no bump, and whoever depends on ^1 keeps working
// and is told. See docs/contract.md section 7.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFolder, runHubcli, SHELL } from '../cli/shells.ts'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { CLIENTS, runClient } from './both-clients.ts'

const FIRST = '---\nvariables: [{name: code, description: The code.}]\n---\nReview {{code}}.\n'
const NEXT =
  '---\nvariables: [{name: code, description: The code.}, {name: lang, description: The language.}]\n---\nReview {{code}} in {{lang}}.\n'
const REASON = 'is a breaking change: adds required variable lang'

const scratch = temporaryFolder('prompt-hub-breaking-')
let hub: Hub
let url: string
let close: () => Promise<void>
let files: ReadonlyMap<string, string> = new Map()
beforeAll(async () => {
  hub = await openHub(openLocalWorld())
  ;({ url, close } = await serveHub(hub, () => files))
})
afterAll(() => close?.())

/** Publishes with hubcli. */
async function push(name: string, text: string, ...more: string[]) {
  const cwd = makeFolder()
  writeFileSync(join(cwd, 'prompt.md'), text)
  const env = { HUB_URL: url, HUB_TOKEN: hub.token }
  return runHubcli(SHELL, ['push', name, 'prompt.md', 'Ask for the language', ...more], {
    cwd,
    env,
  })
}

describe.each(CLIENTS)('$name', ({ command, name: client }) => {
  // The names of the programs are made equal in what they print.
  const word = client === 'hubcli' ? 'shell' : 'npx'
  /** Adds a prompt with the range ^1 to a new project. */
  async function depend(name: string) {
    expect((await push(name, FIRST)).stdout).toMatch(/^1\.0\.0 http\S+\n$/)
    files = await hub.build()
    const folder = mkdtempSync(join(scratch, 'project-'))
    const run = (...args: string[]) => runClient(command, args, folder, url)
    expect(await run('add', `${name}@^1`)).toMatchObject({ code: 0 })
    return { run, locked: () => JSON.parse(readFileSync(join(folder, 'prompts.lock'), 'utf8')).prompts[name].version }
  }

  test('a bump that nobody names is major; ^1 stays, and outdated says what to change', async () => {
    const name = `acme/${word}-auto`
    const { run, locked } = await depend(name)
    expect(await push(name, NEXT)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2\.0\.0 http\S+ \(breaking\)\n$/),
    })
    files = await hub.build()
    const updated = await run('update')
    expect([updated.code, updated.stdout, updated.stderr, locked()]).toEqual([0, '', '', '1.0.0'])
    const outdated = await run('outdated')
    expect(outdated).toMatchObject({ code: 1, stdout: expect.stringContaining('2.0.0') })
    expect(outdated.stderr).toContain(`warning: ${name} 2.0.0 ${REASON}\n`)
  })

  test('a patch that the author insists on is taken, with what callers must change', async () => {
    const name = `acme/${word}-told`
    const { run, locked } = await depend(name)
    expect(await push(name, NEXT, 'patch')).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('Publish it as 2.0.0'),
    })
    expect((await push(name, NEXT, 'patch', '--allow-breaking')).stdout).toMatch(/^1\.0\.1 http\S+ \(breaking\)\n$/)
    files = await hub.build()
    const updated = await run('update')
    expect(updated).toMatchObject({ code: 0, stdout: expect.stringContaining(`${name} 1.0.0 -> 1.0.1`) })
    expect(updated.stderr).toContain(`warning: ${name} 1.0.1 ${REASON}\n`)
    expect(locked()).toBe('1.0.1')
  })
})
