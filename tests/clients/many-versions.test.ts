// Tests all clients with a prompt whose list of versions has more than one page in the API: ranges that only
// older versions match, the list, and the changelogs of an update. See docs/contract.md sections 4, 9 and 12.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PromptHub } from '../../clients/typescript/source/prompt-hub.ts'
import { MANY_VERSIONS, manyVersions } from '../hubs/many-versions.ts'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { CLIENTS, environment, runClient } from './both-clients.ts'

/** A version that no file has yet, as right after a publish on a static host. It is on the second page of the API. */
const UNBUILT = '1.0.30'

const scratch = temporaryFolder('prompt-hub-many-')
const world = openLocalWorld(manyVersions())
let hub: Hub
let url: string
let close: () => Promise<void>
let files: ReadonlyMap<string, string>
beforeAll(async () => {
  hub = await openHub(world)
  files = await hub.build()
  const path = `content/acme/many/versions/${UNBUILT}.md`
  await world.commitOutside({ [path]: manyVersions()[`content/acme/many/versions/1.0.29.md`]! })
  await hub.build()
  ;({ url, close } = await serveHub(hub, () => files))
})
afterAll(() => close?.())

const lockIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'prompts.lock'), 'utf8'))

describe.each(CLIENTS)('$name', ({ command }) => {
  const open = () => {
    const folder = mkdtempSync(join(scratch, 'project-'))
    return { folder, run: (...args: string[]) => runClient(command, args, folder, url) }
  }

  test('finds a version that no file has yet on a later page of the API', async () => {
    const { folder, run } = open()
    expect(await run('add', `acme/many@~${UNBUILT}`)).toMatchObject({ code: 0, stderr: '' })
    expect(lockIn(folder).prompts['acme/many'].version).toBe(UNBUILT)
    // The locked version is in no file, so its state comes from that page, too.
    expect(await run('audit')).toMatchObject({ code: 0, stderr: '' })
  })

  test('updates within an old major version', async () => {
    const { folder, run } = open()
    expect(await run('add', 'acme/many@1.0.3')).toMatchObject({ code: 0 })
    const lock = readFileSync(join(folder, 'prompts.lock'), 'utf8')
    writeFileSync(join(folder, 'prompts.lock'), lock.replace('"range": "1.0.3"', '"range": "^1"'))
    expect(await run('outdated')).toMatchObject({ code: 1, stdout: expect.stringContaining('1.0.29') })
    expect(await run('update')).toMatchObject({ code: 0, stdout: expect.stringContaining('1.0.3 -> 1.0.29') })
    expect(lockIn(folder).prompts['acme/many'].version).toBe('1.0.29')
  })
})

describe('hubcli', () => {
  const { command } = CLIENTS[0]!
  const run = (folder: string, ...args: string[]) => runClient(command, args, folder, url)

  test('prints all versions, in a table and as JSON', async () => {
    const folder = mkdtempSync(join(scratch, 'project-'))
    const all = [...MANY_VERSIONS.slice(0, 120), UNBUILT, ...MANY_VERSIONS.slice(120)]
    const table = await run(folder, 'versions', 'acme/many')
    expect(
      table.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/\s/)[0]),
    ).toEqual(all)
    const { data, meta } = JSON.parse((await run(folder, 'versions', 'acme/many', '--json')).stdout)
    expect(data.map((row: { version: string }) => row.version)).toEqual(all)
    expect(meta).toEqual({ page: 1, pages: 1, total: 151 })
  })

  test('outdated --json has the changelogs of the versions that an update takes, on any page', async () => {
    const folder = mkdtempSync(join(scratch, 'project-'))
    expect(await run(folder, 'add', 'acme/many@1.0.27')).toMatchObject({ code: 0 })
    const lock = readFileSync(join(folder, 'prompts.lock'), 'utf8')
    writeFileSync(join(folder, 'prompts.lock'), lock.replace('"range": "1.0.27"', '"range": "^1"'))
    const { outdated } = JSON.parse((await run(folder, 'outdated', '--json')).stdout)
    expect(outdated[0].changes.map(({ version, changelog }: Record<string, string>) => [version, changelog])).toEqual([
      ['1.0.29', 'Change of 1.0.29'],
      ['1.0.28', 'Change of 1.0.28'],
    ])
  })
})

describe('the libraries', () => {
  const PYTHON = `import sys, prompt_hub\nprint([prompt_hub.PromptHub(sys.argv[1]).get(each).version for each in sys.argv[2:]])`

  test.each([
    ['acme/many@~1.0.3', '1.0.29'],
    [`acme/many@~${UNBUILT}`, UNBUILT],
  ])('get %s', async (wanted, version) => {
    expect((await new PromptHub({ url }).get(wanted)).version).toBe(version)
    const ran = await promisify(execFile)('python3', ['-c', PYTHON, url, wanted], { env: environment(url) })
    expect(ran.stdout).toBe(`['${version}']\n`)
  })
})
