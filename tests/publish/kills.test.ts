// Checks that a hub can be killed at any moment: after a restart and after a clean build, everything confirmed can be
// read with all of its files, and no version number is used twice.

import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { readContentDir } from '../../src/content/content-dir.ts'
import type { GitHubOptions } from '../../src/github/github-connection.ts'
import { pointing } from '../fixtures/labels.ts'
import { FAULTS } from '../github/faults.ts'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { REPOSITORY } from '../hubs/publishing.ts'
import { openGitHubWorld, openLocalWorld } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import {
  type Answered,
  type BadGit,
  expectKept,
  expectReadable,
  type KillableHub,
  makeBadGit,
  noteAnswer,
  startKillable,
} from './killing.ts'

/** The number of kills at random moments. To run more: `KILLS=200 npx vitest run tests/publish/kills.test.ts` */
const KILLS = Number(process.env.KILLS ?? 1)
vi.setConfig({ testTimeout: 600_000 + KILLS * 10_000 })

/** The approximate duration of two publishes, within which a kill can hit any step. */
const PUBLISHES_MS = 500

let gitHub: GitHubStandIn
beforeAll(async () => {
  gitHub = await startGitHubStandIn()
})
afterAll(() => gitHub?.close())

let blobsDir: string
let badGit: BadGit
let hubs: KillableHub[]
beforeEach(() => {
  blobsDir = temporaryFolder('hub-state-')
  badGit = makeBadGit()
  hubs = []
})
afterEach(async () => {
  for (const hub of hubs) hub.kill()
  await Promise.all(hubs.map(({ ended }) => ended))
})

async function start(
  contentDir: string,
  { gitDir, github }: { gitDir?: string; github?: GitHubOptions } = {},
): Promise<KillableHub> {
  const settings = { contentDir, blobsDir, ...(github && { github }) }
  const hub = await startKillable(settings, gitDir)
  hubs.push(hub)
  return hub
}

function expectCleanTree(contentDir: string): void {
  expect(runSync('git', ['status', '--porcelain', '-uall'], { cwd: dirname(contentDir), encoding: 'utf8' })).toBe('')
}

/** Retries as a client does after a lost response. @returns the fields of the version */
async function retry(hub: KillableHub, answered: Answered, content: string, key: string, more: object = {}) {
  const reply = await hub.publish(content, key, more)
  expect(noteAnswer(answered, content, reply), JSON.stringify(reply)).toBeDefined()
  const { data }: { data: { files: { path: string; url: string }[] } } = JSON.parse(reply === 'died' ? '' : reply.text)
  return data
}

const PATHS = Array.from({ length: 12 }, (_, at) => `folder-${at % 3}/file-${at}.md`)
/** The fields that make a version a skill with files. */
const withFiles = (content: string) => ({
  skill: { description: 'Does it.' },
  files: PATHS.map((path) => ({ path, text: `${path} of ${content}` })),
})

/** Checks that each version in the working tree has all of its files. */
function expectWhole(contentDir: string, count: number): void {
  expectCleanTree(contentDir)
  const { tree, problems } = readContentDir(contentDir)
  expect(problems).toEqual([])
  const versions = tree.repositories.get(REPOSITORY)?.versions ?? []
  expect(versions).toHaveLength(count)
  for (const { bundle } of versions) expect(bundle?.files.map(({ path }) => path)).toEqual(PATHS.toSorted())
}

test('one process killed at every step keeps every confirmed version with its files, and every change', async () => {
  const world = openLocalWorld()
  const contentDir = await world.contentDir()
  const answered: Answered = new Map()
  let hub = await start(contentDir, { gitDir: badGit.dir })
  for (let step = 1; ; step++) {
    const content = `Text ${step}\n`
    const key = `publish-${step}`
    // tests/stores/git-local-interrupted.test.ts has the kills right after each command.
    badGit.arm(step, 'before', 'writes')
    const reply = await hub.publish(content, key, withFiles(content))
    badGit.disarm()
    noteAnswer(answered, content, reply)
    if (reply !== 'died') {
      // Git writes the objects, the index and the branch.
      expect(step).toBeGreaterThan(3)
      break
    }
    await hub.ended
    hub = await start(contentDir, { gitDir: badGit.dir })
    await expectReadable(hub, answered)
    const { files } = await retry(hub, answered, content, key, withFiles(content))
    for (const { path, url } of files)
      expect(await hub.ask({ method: 'GET', path: new URL(url).pathname })).toEqual({
        status: 200,
        text: `${path} of ${content}`,
      })
    expectWhole(contentDir, step)
  }
  const [, version = ''] = answered.keys()
  const managed: Managed = { version, labels: {}, title: undefined, yank: undefined }
  // The steps of a change are those of a publish, so it is killed at one of them.
  expect(await change(hub, 0, managed)).toBe(true)
  badGit.arm('update-ref', 'before')
  expect(await change(hub, 1, managed)).toBe(false)
  await hub.ended
  hub = await start(contentDir, { gitDir: badGit.dir })
  // Every confirmed change exists. The unconfirmed one may exist; if it does not, its retry makes it.
  for (const number of [1, 2]) expect(await change(hub, number, managed)).toBe(true)
  await expectManaged(hub, managed)
  expectCleanTree(contentDir)
  await expectReadable(hub, answered)
  await expectKept(world, answered)
})

test('two processes on one repository, one killed at random, keep every confirmed version', async () => {
  const world = openLocalWorld()
  const contentDir = await world.contentDir()
  const answered: Answered = new Map()
  const pair = [await start(contentDir), await start(contentDir)]
  for (let kills = 0; kills < KILLS; kills++) {
    const victim = kills % 2
    const survivor = 1 - victim
    const contents = [`Text ${kills} a\n`, `Text ${kills} b\n`, `Text ${kills} c\n`]
    const moment = sleep(Math.random() * PUBLISHES_MS).then(pair[victim]!.kill)
    const replies = await Promise.all([
      pair[victim]!.publish(contents[0]!, `key-${kills}-one`),
      pair[survivor]!.publish(contents[1]!, `key-${kills}-two`),
    ])
    for (const [index, reply] of replies.entries()) noteAnswer(answered, contents[index]!, reply)
    expect(replies[1]).not.toBe('died')
    // The surviving process finishes what the killed process left undone.
    await retry(pair[survivor]!, answered, contents[2]!, `key-${kills}-three`)
    await moment
    await pair[victim]!.ended
    expectCleanTree(contentDir)
    for (const [index, name] of ['one', 'two'].entries())
      await retry(pair[survivor]!, answered, contents[index]!, `key-${kills}-${name}`)
    expectCleanTree(contentDir)
    if (kills < KILLS - 1) pair[victim] = await start(contentDir)
  }
  const left = pair.filter((hub) => hub.isAlive())
  for (const hub of left) await hub.build()
  for (const hub of left) await expectReadable(hub, answered)
  await expectKept(world, answered)
  // Each round has three publishes. Each of them is published only once, however often the request was repeated.
  expect(answered.size).toBe(3 * KILLS)
})

test('a process on GitHub, killed around its write, keeps every confirmed version', async () => {
  const world = await openGitHubWorld(gitHub)
  const github = connectionTo(gitHub, world.place)
  const answered: Answered = new Map()
  let hub = await start(await world.contentDir(), { github })
  // The write, before and after GitHub has carried it out. A read leaves nothing behind.
  for (const [step, applied] of [false, true].entries()) {
    const content = `Text ${step}\n`
    const key = `publish-${step}`
    const dying = hub
    const when = () => {
      dying.kill()
      return true
    }
    gitHub.script({ on: 'mutation', when, fault: FAULTS.cut(applied) })
    expect(await hub.publish(content, key)).toBe('died')
    gitHub.forget()
    await hub.ended
    hub = await start(await world.contentDir(), { github })
    await expectReadable(hub, answered)
    await retry(hub, answered, content, key)
    expect(answered.size).toBe(step + 1)
  }
  await expectReadable(hub, answered)
  await expectKept(world, answered)
})

const connectionTo = (standIn: GitHubStandIn, { repository, branch, token }: StandInRepository): GitHubOptions => ({
  repository,
  branch,
  apiUrl: standIn.url,
  credential: { kind: 'token', token },
})

/** The confirmed changes to a prompt, as its record shows them. */
interface Managed {
  /** The version that is yanked. */
  version: string
  labels: Record<string, string>
  title: string | undefined
  yank: string | undefined
}

/** Requests a change and records it once it is confirmed. @returns false if the hub died first */
async function change(hub: KillableHub, number: number, managed: Managed): Promise<boolean> {
  const at = (rest: string) => `/api/v1/repos/${REPOSITORY}${rest}`
  const kinds = [
    { method: 'PUT', path: at(`/labels/l${number}`), body: { version: '1.0.0' } },
    { method: 'PUT', path: at(`/versions/${managed.version}/yank`), body: { reason: `Reason ${number}` } },
    { method: 'PATCH', path: at(''), body: { title: `Title ${number}` } },
  ] as const
  const reply = await hub.ask(kinds[number % 3]!)
  if (reply === 'died') return false
  expect(reply).toMatchObject({ status: 200 })
  if (number % 3 === 0) managed.labels[`l${number}`] = '1.0.0'
  else if (number % 3 === 1) managed.yank = `Reason ${number}`
  else managed.title = `Title ${number}`
  return true
}

async function expectManaged(hub: KillableHub, { version, labels, title, yank }: Managed): Promise<void> {
  const readJson = async (rest: string) => {
    const reply = await hub.ask({ method: 'GET', path: `/api/v1/repos/${REPOSITORY}${rest}` })
    return JSON.parse(reply === 'died' ? '{}' : reply.text).data
  }
  expect(await readJson('')).toMatchObject({ labels: pointing(labels), ...(title && { title }) })
  const yanked = (await readJson('/versions')).find((one: { version: string }) => one.version === version)
  if (yank) expect(yanked).toMatchObject({ yank_reason: yank })
}
