// Tests the types of the Python library: mypy in strict mode accepts a program that uses it, and reports a missing value.
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listClientDownloads } from '../../src/build/downloads/libraries.ts'
import { readClientsReleases } from '../../src/build/downloads/releases.ts'
import { HUBCLI } from '../cli/assembled.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type FaultHub, openFaultHub } from './fault-hub.ts'

const run = promisify(execFile)
const HAS_MYPY = spawnSync('mypy', ['--version']).status === 0

/** The code from the guide, followed by everything else that a program may use. */
const PROGRAM = `
from typing import Optional

from prompt_hub import AsyncPromptHub, Event, Prompt, PromptHub, PromptHubError, Standing, open_lock, satisfies
from prompt_values import AcmeHello


def log(event: Event) -> None:
    print(event.type, event.subject, event.message)


async def later(hub: AsyncPromptHub) -> Prompt:
    return await hub.get("acme/hello", range="^1", fallback="Hi")


def text() -> str:
    hub = PromptHub(lock="prompts.lock", cache_dir="cache", on_event=log)
    values: AcmeHello = VALUES
    try:
        prompt = hub.get("acme/hello")
        standing: Optional[Standing] = prompt.standing
        print(standing, prompt.version, satisfies("1.0.0", "^1"), open_lock().prompts)
        return prompt.fill(values) + prompt.fill(name="Ann")
    except PromptHubError as error:
        return ", ".join(problem.name for problem in error.problems)
`

let hub: FaultHub
let project: string
beforeAll(async () => {
  hub = await openFaultHub()
  project = temporaryFolder('prompt-hub-python-types-')
  const wheels = listClientDownloads(await readClientsReleases('.'), hub.url)
  const [, wheel] = wheels.findLast(([path]) => path.endsWith('.whl'))!
  writeFileSync(join(project, 'library.whl'), wheel)
  const python = (...args: string[]) =>
    run('python3', args, { cwd: project, env: { ...process.env, PYTHONPATH: 'library' } })
  await python('-m', 'zipfile', '-e', 'library.whl', 'library')
  const hubcli = (...args: string[]) =>
    run('sh', [HUBCLI, ...args], { cwd: project, env: { ...process.env, HUB_URL: hub.url } })
  await hubcli('add', 'acme/hello@^1')
  expect((await hubcli('types')).stdout).toBe('prompt_values.py: 1 prompts\n')
  await hubcli('types', '--check')
  const [, guide = ''] = /```python\n(from prompt_hub import PromptHub\n[^`]*)```/.exec(
    readFileSync('src/pages/docs/clients.md', 'utf8'),
  )!
  writeFileSync(join(project, 'guide.py'), `diff = "one line"\n${guide}print(text)\n`)
  writeFileSync(join(project, 'use.py'), PROGRAM.replace('VALUES', '{"name": "Ann"}'))
  writeFileSync(join(project, 'wrong.py'), PROGRAM.replace('VALUES', '{"greeting": "Hi"}'))
})
afterAll(() => hub.stop())

const PROGRAMS = ['guide.py', 'use.py', 'prompt_values.py', 'wrong.py']

test.skipIf(!HAS_MYPY)('mypy --strict reports a missing value, and no other error', async () => {
  // With what an earlier run has kept of Python's own types, this takes a third of the time.
  const options = ['--strict', '--python-version', '3.9', '--cache-dir', resolve('node_modules/.cache/mypy')]
  const env = { ...process.env, MYPYPATH: 'library' }
  // The exit status is 1 if it reports anything.
  const checked = run('mypy', [...options, ...PROGRAMS, 'library/prompt_hub'], { cwd: project, env })
  expect(await checked.catch(({ stdout }: { stdout: string }) => stdout)).toMatch(
    /^wrong\.py:\d+: error: Missing key "name"[^\n]*\nFound 1 error in 1 file \(checked \d+ source files\)\n$/,
  )
})
