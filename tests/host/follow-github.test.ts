// Tests `npm start` with the GitHub settings and no content folder: it maintains a clone, serves everything that is
// merged on GitHub or published on this hub, and keeps serving while GitHub is unreachable.
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { poll } from '../e2e/client.ts'
import { FAULTS } from '../github/faults.ts'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { type Machine, type Machines, openMachines } from '../hubs/machines.ts'
import { launch, type Run } from '../hubs/processes.ts'

const WITHIN = 120_000
let standIn: GitHubStandIn
let place: StandInRepository
let machines: Machines
let machine: Machine
let hub: { base: string; run: Run }
let token: string
beforeAll(async () => {
  standIn = await startGitHubStandIn()
  place = await standIn.createRepository()
  await standIn.commitOutside(place, versionFile('acme', '1.0.0', 'The first.\n'))
  machines = openMachines()
  machine = machines.make(settings())
  hub = await machine.start()
  token = machine.makeToken('acme')
})
afterAll(async () => {
  await hub?.run.end()
  machines?.close()
  await standIn?.close()
})

const settings = () => ({
  GITHUB_REPOSITORY: place.repository,
  GITHUB_TOKEN: place.token,
  GITHUB_API_URL: standIn.url,
  CONTENT_POLL_SECONDS: '1',
  RATE_LIMIT_PER_MINUTE: '0',
  // As in a git hook. The hub must not look for its own repositories there.
  GIT_DIR: '/nowhere/.git',
})
const versionFile = (owner: string, version: string, content: string, name = 'review') => ({
  [`content/${owner}/${name}/versions/${version}.md`]: `---\npublished_at: 2026-11-01T00:00:00Z\npublished_by: octocat\nchangelog: Made.\n---\n${content}`,
})
const raw = async (owner: string, name = 'review') => {
  const answer = await fetch(`${hub.base}/api/v1/repos/${owner}/${name}/raw`)
  return answer.ok ? await answer.text() : answer.status
}
const health = async () => (await fetch(`${hub.base}/healthz`)).json()

test('serves merges and removals on GitHub within the poll interval', async () => {
  expect(await raw('acme')).toBe('The first.\n')
  const head = await standIn.commitOutside(place, versionFile('merged', '1.0.0', 'Merged.\n'))
  await poll('the merge is served', WITHIN, async () => ((await raw('merged')) === 'Merged.\n' ? true : undefined))
  expect(await health()).toMatchObject({
    status: 'ok',
    commit: head,
    fetch: { at: expect.any(String), age_seconds: expect.any(Number), failure: null },
  })
  await standIn.commitOutside(place, {
    'content/merged/review/versions/1.0.0.md': null,
    'content/merged/review/index.md': '---\nremoved: {"1.0.0": Taken down}\n---\n',
  })
  await poll('the removal is served', WITHIN, async () => ((await raw('merged')) === 404 ? true : undefined))
})

const publishSecond = async (name: string) => {
  const answer = await fetch(`${hub.base}/api/v1/repos/acme/${name}/versions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'The second.\n', bump: 'patch', changelog: 'Better.' }),
  })
  const { data } = await answer.json()
  expect([answer.status, data.version]).toEqual([201, '1.0.1'])
  return data
}

test('a new version is served at once and fetched into the local clone', async () => {
  await publishSecond('review')
  expect(await raw('acme')).toBe('The second.\n')
  const name = 'refs/hub/content:content/acme/review/versions/1.0.1.md'
  const shown = () => spawnSync('git', ['show', name], { cwd: join(machine.folder, '.hub/content'), encoding: 'utf8' })
  await poll('the clone has it', WITHIN, async () => shown().stdout.includes('The second.\n') || undefined)
})

test('a version that a force push removed is gone, although it was just published here', async () => {
  await standIn.commitOutside(place, versionFile('acme', '1.0.0', 'The first.\n', 'forced'))
  const isFirst = async () => ((await raw('acme', 'forced')) === 'The first.\n' ? true : undefined)
  await poll('the commit is served', WITHIN, isFirst)
  const { commit } = await publishSecond('forced')
  await poll('a build has it', WITHIN, async () => ((await health()).commit === commit.sha ? true : undefined))
  await standIn.rewriteOutside(place, { 'content/acme/forced/versions/1.0.1.md': null })
  await poll('it is gone', WITHIN, isFirst)
})

test.each(['objects', ''])(
  'a clone without .git/%s is replaced, and everything is served meanwhile and afterwards',
  async (gone) => {
    const served: unknown[] = []
    const readOld = async () => served.push(await raw('acme'))
    await standIn.commitOutside(place, versionFile(`before${gone}`, '1.0.0', 'Before.\n'))
    await poll('a commit is served', WITHIN, async () =>
      (await raw(`before${gone}`)) === 'Before.\n' ? true : undefined,
    )
    rmSync(join(machine.folder, '.hub/content/.git', gone), { recursive: true })
    for (const owner of [`during${gone}`, `after${gone}`]) {
      await standIn.commitOutside(place, versionFile(owner, '1.0.0', `${owner}.\n`))
      await poll('the next commit is served', WITHIN, async () => {
        await readOld()
        return (await raw(owner)) === `${owner}.\n` ? true : undefined
      })
    }
    await sleep(1_500)
    await readOld()
    expect(new Set(served)).toEqual(new Set(['The second.\n']))
    expect(await health()).toMatchObject({ status: 'ok', fetch: { failure: null } })
  },
)

test('keeps serving when GitHub is unreachable, also after a restart, and /healthz reports it', async () => {
  const { built_at } = await health()
  expect(built_at).not.toBeNull()
  standIn.script({ on: 'any', times: Number.POSITIVE_INFINITY, fault: FAULTS.cut(false) })
  const cutOff = () =>
    poll('health says so', WITHIN, async () => {
      const { status, fetch } = await health()
      return fetch.failure === null ? undefined : { status, failure: fetch.failure }
    })
  expect(await cutOff()).toEqual({ status: 'degraded', failure: expect.stringContaining('could not be fetched') })
  expect(await raw('acme')).toBe('The second.\n')
  await hub.run.end()
  hub = await machine.start()
  expect(await cutOff()).toMatchObject({ status: 'degraded' })
  expect(await raw('acme')).toBe('The second.\n')
  standIn.forget()
  await poll('it fetches again', WITHIN, async () => ((await health()).fetch.failure === null ? true : undefined))
})

test('a second process in the same folder uses its own clone', async () => {
  const second = await machine.start()
  expect(await (await fetch(`${second.base}/api/v1/repos/acme/review/raw`)).text()).toBe('The second.\n')
  await second.run.end()
  expect(
    readdirSync(join(machine.folder, '.hub')).filter((name) => /^content/.test(name) && !name.includes('.lock')),
  ).toEqual(['content'])
})

test('exits with an error when the repository cannot be cloned', async () => {
  const other = machines.make({ ...settings(), GITHUB_REPOSITORY: 'prompt-bot/nothing' })
  const run = launch(
    process.execPath,
    ['scripts/start.ts'],
    { ...settings(), GITHUB_REPOSITORY: 'prompt-bot/nothing', PORT: '0' },
    other.folder,
  )
  expect((await run.closed).code).toBe(1)
  expect(run.log()).toMatch(/prompt-bot\/nothing\.git could not be fetched: .*not found/)
  expect(run.log()).not.toContain(place.token)
})
