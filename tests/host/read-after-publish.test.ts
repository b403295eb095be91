// Checks that new prompts and changed owners are read at once, while the write before them is being built.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainEnvironment, type Run, startProcess } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** How long the second prompt of each pair is read, and the pause between two reads. The build of the first ends in this time. */
const [READ_MS, READ_PAUSE_MS] = [400, 5]
const PAIRS = 12
const PAUSE_MS = 10
const OWNER = `reader-${process.pid}`

const root = temporaryFolder('hub-read-after-publish-')
let hub: { base: string; run: Run }
let token: string
beforeAll(async () => {
  mkdirSync(join(root, 'content'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: root })
  git('init', '-q', '-b', 'main')
  git('commit', '-q', '--allow-empty', '-m', 'First')
  const settings = { CONTENT_DIR: join(root, 'content'), SITE_URL: 'http://localhost', RATE_LIMIT_PER_MINUTE: '0' }
  hub = await startProcess({ command: ['node', 'scripts/start.ts'], settings })
  const env = { ...plainEnvironment(), ...settings }
  token = execFileSync(process.execPath, [resolve('scripts/token.ts'), OWNER, '--permissions', 'publish,maintain'], {
    env,
    encoding: 'utf8',
  }).trim()
})
afterAll(() => hub?.run.end())

/** Publishes a new prompt. @returns its URL */
async function publish(name: string): Promise<string> {
  const url = `${hub.base}/api/v1/repos/${OWNER}/${name}`
  const published = await fetch(`${url}/versions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ content: `${name}\n`, changelog: 'First' }),
  })
  expect([published.status, await published.text()]).toEqual([201, expect.anything()])
  return url
}

test('a new prompt is found in every read after its publish, while the prompt before it is being built', async () => {
  const missing: string[] = []
  for (let pair = 0; pair < PAIRS; pair++) {
    await publish(`before-${pair}`)
    // A different pause each time, so that the second publish meets the build of the first at every step.
    await sleep(pair * PAUSE_MS)
    const url = await publish(`after-${pair}`)
    for (const until = performance.now() + READ_MS; performance.now() < until; ) {
      const read = await fetch(url)
      await read.arrayBuffer()
      if (read.status !== 200) missing.push(`after-${pair}: ${read.status}`)
      await sleep(READ_PAUSE_MS)
    }
  }
  expect(missing).toEqual([])
})

test('a changed owner is found in every read after its change, and in the next build', async () => {
  const url = `${hub.base}/api/v1/users/${OWNER}`
  const stale: string[] = []
  for (let change = 0; change < PAIRS; change++) {
    await publish(`of-owner-${change}`)
    await sleep(change * PAUSE_MS)
    const name = `Name ${change}`
    const changed = await fetch(url, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name }),
    })
    expect([changed.status, (await changed.json()).data.name]).toEqual([200, name])
    for (const until = performance.now() + READ_MS; performance.now() < until; ) {
      const { data } = await (await fetch(url)).json()
      if (data?.name !== name) stale.push(`${name}: ${data?.name}`)
      await sleep(READ_PAUSE_MS)
    }
    expect(await (await fetch(`${hub.base}/${OWNER}`)).text()).toContain(`<h1 dir="auto">${name}</h1>`)
  }
  expect(stale).toEqual([])
  // The file that only a build writes.
  const last = `Name ${PAIRS - 1}`
  const built = async () => (await (await fetch(`${hub.base}/data/v1/users/${OWNER}.json`)).json()).data.name
  await expect.poll(built, { interval: 200 }).toBe(last)
})
