// Tests many simultaneous publishers on the fake GitHub server: how they cope with each of its faults, and the number of
// calls per publish. shared-turns.test.ts has hubs that take turns, without a fault.
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FAULTS, type Fault, type Rule } from '../github/faults.ts'
import { type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, type World } from '../hubs/worlds.ts'
import { consecutive, expectPublished, judgeHistory, sorted } from './history.ts'

let world: World & { place: StandInRepository }
const standIn = await startGitHubStandIn()
afterAll(() => standIn.close())
beforeEach(async () => {
  world = await openGitHubWorld(standIn)
  standIn.forget()
})
afterEach(() => standIn.forget())

const openHubs = async (count: number): Promise<Hub[]> => {
  const first = await openHub(world)
  const others = Array.from({ length: count - 1 }, () => openHub(world, { state: first.state }))
  return [first, ...(await Promise.all(others))]
}
const at = <Value>(values: readonly Value[], index: number): Value => values[index % values.length]!

/** Creates a random generator (mulberry32) that makes the same decisions in every run. */
function createCoin(seed: number): (share: number) => () => boolean {
  let state = seed
  return (share) => () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 < share
  }
}

/** Creates a fault that holds each call individually. */
const holdEach = (work: () => Promise<unknown>): Fault => ({
  kind: 'hold',
  applied: false,
  get until() {
    return work()
  },
})

const OUTSIDE = 'Somebody else'
/** Moves the branch as GitHub does, one commit after another, so that none of the hub's commits can be lost. */
async function moveBranch({ repository, token }: StandInRepository, number: number): Promise<void> {
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
  for (;;) {
    const ref = await fetch(`${standIn.url}/repos/${repository}/git/ref/heads/main`, { headers })
    const { object }: { object: { sha: string } } = JSON.parse(await ref.text())
    const input = {
      branch: { repositoryNameWithOwner: repository, branchName: 'main' },
      expectedHeadOid: object.sha,
      message: { headline: OUTSIDE },
      fileChanges: { additions: [{ path: `notes/${number}.md`, contents: 'eA==' }] },
    }
    const query =
      'mutation Outside($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }'
    const body = JSON.stringify({ query, variables: { input } })
    const answer = await fetch(`${standIn.url}/graphql`, { method: 'POST', headers, body })
    if (!(await answer.text()).includes('errors')) return
  }
}

/** The faults of each scenario, by name. */
const CONDITIONS: readonly (readonly [string, (coin: ReturnType<typeof createCoin>) => Rule[]])[] = [
  [
    'a branch that other commits move',
    (coin) => {
      let number = 0
      const isHit = coin(0.4)
      const move = async () => {
        number += 1
        await moveBranch(world.place, number)
      }
      return [
        { on: 'mutation', times: Infinity, when: ({ name }) => name === 'Commit' && isHit(), fault: holdEach(move) },
      ]
    },
  ],
  [
    'all faults at once: lost and stale responses, errors, and rejected writes',
    (coin) => [
      { on: 'mutation', times: Infinity, when: coin(0.2), fault: FAULTS.cut(true) },
      { on: 'any', times: Infinity, when: coin(0.04), fault: FAULTS.badGateway(true) },
      { on: 'any', times: Infinity, when: coin(0.05), fault: FAULTS.untypedErrors(false) },
      { on: 'any', times: Infinity, when: coin(0.04), fault: FAULTS.html(true) },
      { on: 'mutation', times: Infinity, when: coin(0.1), fault: FAULTS.typed('STALE_DATA') },
      { on: 'query', times: Infinity, when: coin(0.2), fault: FAULTS.oldAnswer() },
    ],
  ],
]

describe.each(CONDITIONS)('concurrent publishes to GitHub: %s', (condition, makeRules) => {
  // Each of the three processes also queues its own publishes.
  test('6 publishes of three processes get 6 different, consecutive versions', async () => {
    const hubs = await openHubs(3)
    standIn.script(...makeRules(createCoin(3)))
    const bodies = Array.from({ length: 6 }, (_, index) => ({ content: `Text ${index}\n`, changelog: `${index}` }))
    const answers: Answer[] = await Promise.all(bodies.map((body, index) => at(hubs, index).publish(body)))
    standIn.forget()
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
    expect(sorted(answers.map(({ version }) => version))).toEqual(consecutive(6))
    await expectPublished(world, bodies, answers)
    expect(await judgeHistory(world)).toEqual(consecutive(6).map((v) => `content/acme/code-review/versions/${v}.md`))
    // A version confirmed with 201 can be read immediately, whatever happened before.
    for (const [index, { version }] of answers.entries())
      expect((await hubs[0]!.readRepository(`/raw?version=${version}`)).text).toBe(bodies[index]!.content)
    expect((await hubs[0]!.readRepository()).data).toMatchObject({ latest_version: '1.0.5', versions_count: 6 })
  })

  // Other commits only make a publish wait.
  if (/commits/.test(condition)) return
  test('of 6 publishes with the same expected_version, only one gets 201', async () => {
    const hubs = await openHubs(2)
    await hubs[0]!.publish({ content: 'First\n' })
    standIn.script(...makeRules(createCoin(8)))
    const bumps = ['patch', 'minor', 'major'] as const
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        at(hubs, index).publish({ content: `Text ${index}\n`, bump: at(bumps, index), expected_version: '1.0.0' }),
      ),
    )
    standIn.forget()
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)])
    expect(await judgeHistory(world)).toHaveLength(2)
  })
})

describe('GitHub calls per publish', () => {
  const FIRST = { content: 'First\n', title: 'A title' }
  //  case, body, key, status, calls
  const CASES: [string, Record<string, unknown>, string | undefined, number, string[]][] = [
    ['a new version', { content: 'Second\n' }, undefined, 201, ['Folder', 'Commit']],
    ['with an Idempotency-Key', { content: 'Second\n' }, 'key-0002', 201, ['Folder', 'Commit']],
    ['with a changed index.md', { content: 'Second\n', title: 'Another' }, undefined, 201, ['Folder', 'Commit']],
    ['only index.md changes', { content: 'First\n', title: 'Another' }, undefined, 200, ['Folder', 'Commit']],
    ['nothing changes', { content: 'First\n' }, undefined, 200, ['Folder']],
    ['a dry run', { content: 'Second\n', dry_run: true }, undefined, 200, ['Folder']],
    ['a conflict', { content: 'Second\n', expected_version: '0.9.0' }, undefined, 409, ['Folder']],
    ['a replay', FIRST, 'key-0001', 200, ['Folder']],
    ['another body with the same Idempotency-Key', { content: 'Second\n' }, 'key-0001', 422, ['Folder']],
    ['an invalid body', { content: '' }, undefined, 422, []],
  ]
  test('of each kind of request, by a process that knows only the build', async () => {
    const warm = await openHub(world)
    for (const at of CASES.keys()) await warm.publish(FIRST, { to: `acme/p${at}`, key: 'key-0001' })
    const cold = await openHub(world, { state: warm.state })
    await cold.build()
    for (const [at, [name, body, key, status, calls]] of CASES.entries()) {
      standIn.forget()
      const answer = await cold.publish(body, {
        to: `acme/p${at}`,
        token: warm.token,
        ...(key !== undefined && { key }),
      })
      expect([name, answer.status, standIn.calls.map((call) => call.name)]).toEqual([name, status, calls])
    }
  })

  test('after a version that was not written by the hub: its file is read, too, until a build has it', async () => {
    const commitByHand = (version: string) =>
      world.commitOutside({
        [`content/acme/code-review/versions/${version}.md`]: `---\npublished_by: octocat\npublished_at: "2026-01-01T00:00:00Z"\n---\nBy hand, ${version}\n`,
      })
    await commitByHand('1.0.0')
    const hub = await openHub(world)
    await hub.build()
    standIn.forget()
    expect((await hub.publish({ content: 'Second\n' })).version).toBe('1.0.1')
    expect(standIn.calls.map(({ name }) => name)).toEqual(['Folder', 'Commit'])
    await commitByHand('1.0.2')
    standIn.forget()
    expect((await hub.publish({ content: 'Third\n' })).version).toBe('1.0.3')
    expect(standIn.calls.map(({ name }) => name)).toEqual(['Folder', 'Blob', 'Commit'])
  })
})
