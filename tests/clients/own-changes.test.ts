// Checks that a program that moved a label, or changed a prompt in another way, uses no response from before: both
// libraries, with a real hub, in memory, on disk, and while a read is under way.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { diskStore } from '../../clients/typescript/source/files.ts'
import { HubManager, PromptHub } from '../../clients/typescript/source/prompt-hub.ts'
import { PYTHON } from '../cli/shells.ts'
import { openHub, serve } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const version = (content: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${content}`
const FILES = {
  'content/acme/a/versions/1.0.0.md': version('One\n'),
  'content/acme/a/versions/1.1.0.md': version('Two\n'),
  'content/acme/a/index.md': '---\nlabels:\n  production: "1.0.0"\n---\n',
  'content/acme/b/versions/1.0.0.md': version('Other\n'),
}

let url: string
let token: string
let stop: () => Promise<void>
/** The paths of the API that were read since the last change. The other paths are static files, of which this hub has none. */
let read: string[] = []
/** Holds the answer to the next read of the record, once it is made. */
let hold: { made: () => void; until: Promise<void> } | undefined
beforeEach(async () => {
  const hub = await openHub(openLocalWorld(FILES))
  await hub.build()
  token = await hub.makeToken({ permissions: ['label', 'maintain'] })
  ;({ url, close: stop } = await serve(async (request) => {
    const { pathname } = new URL(request.url)
    if (request.method !== 'GET') {
      read = []
      return hub.answer(request)
    }
    if (pathname.startsWith('/api/')) read.push(pathname)
    const made = await hub.answer(request)
    if (hold && pathname === '/api/v1/repos/acme/a') {
      const { made: tell, until } = hold
      hold = undefined
      tell()
      await until
    }
    return made
  }))
})
afterEach(() => stop())

describe('the TypeScript library', () => {
  const versionsOf = async (hub: PromptHub) => [
    (await hub.get('acme/a@production')).version,
    ...(await hub.all('acme', 'production')).map((prompt) => prompt.version),
  ]

  test('reads a moved label at once, also where it was stored, and keeps what it knows of other prompts', async () => {
    const dir = temporaryFolder()
    const hub = new PromptHub({ url, store: diskStore(dir) })
    expect(await versionsOf(hub)).toEqual(['1.0.0', '1.0.0'])
    await hub.get('acme/b')
    await new HubManager({ url, token }).setLabel('acme/a', 'production', '1.1.0')
    expect(await versionsOf(hub)).toEqual(['1.1.0', '1.1.0'])
    expect(await versionsOf(new PromptHub({ url, store: diskStore(dir) }))).toEqual(['1.1.0', '1.1.0'])
    await hub.get('acme/b')
    expect(read.filter((path) => path.includes('/b'))).toEqual([])
    const { length } = read
    await versionsOf(hub)
    expect(read).toHaveLength(length)
  })

  test('does not wait for a read from before the change', async () => {
    const made = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    hold = { made: made.resolve, until: released.promise }
    const hub = new PromptHub({ url, timeoutMs: 60_000, deadlineMs: 120_000 })
    const before = hub.get('acme/a@production')
    await made.promise
    await new HubManager({ url, token }).setLabel('acme/a', 'production', '1.1.0')
    expect((await hub.get('acme/a@production')).version).toBe('1.1.0')
    released.resolve()
    expect((await before).version).toBe('1.0.0')
    expect((await hub.get('acme/a@production')).version).toBe('1.1.0')
  })

  test('a yank and a refused change: the next read asks the hub', async () => {
    const hub = new PromptHub({ url })
    const manager = new HubManager({ url, token })
    expect((await hub.get('acme/a')).version).toBe('1.1.0')
    await manager.yank('acme/a', '1.1.0', 'Wrong')
    expect((await hub.get('acme/a')).version).toBe('1.0.0')
    expect((await hub.get('acme/a@^1')).version).toBe('1.0.0')
    await expect(manager.yank('acme/a', '1.0.0', 'Wrong')).rejects.toMatchObject({ status: 422 })
    await hub.get('acme/a')
    expect(read).toContain('/api/v1/repos/acme/a')
  })
})

test('the Python library', async () => {
  const program = `
import sys, threading
from prompt_hub import HubManager, PromptHub
url, token, folder = sys.argv[1:]
hub = PromptHub(url, cache_dir=folder)
manager = HubManager(token, url)
def show(hub):
    print(hub.get("acme/a@production").version, [prompt.version for prompt in hub.all("acme", "production")])
show(hub)
manager.set_label("acme/a", "production", "1.1.0")
show(hub)
show(PromptHub(url, cache_dir=folder))
manager.set_label("acme/a", "production", "1.0.0")
manager.yank("acme/a", "1.1.0", "Wrong")
print(hub.get("acme/a").version, hub.get("acme/a@^1").version)
print(hub.get("acme/a").source)
`
  const { stdout } = await promisify(execFile)(PYTHON, ['-c', program, url, token, temporaryFolder()], {
    env: { ...process.env, PYTHONPATH: 'clients/python' },
  })
  expect(stdout.split('\n')).toEqual([
    ...["1.0.0 ['1.0.0']", "1.1.0 ['1.1.0']", "1.1.0 ['1.1.0']", '1.0.0 1.0.0', 'memory', ''],
  ])
})
