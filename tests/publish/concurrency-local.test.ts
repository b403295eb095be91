// Tests many simultaneous publishers on this machine: version numbers are consecutive, one publisher wins per expected
// version, and git finds the history intact.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { expectPublished, judgeHistory } from './history.ts'

const BUMPS = ['patch', 'minor', 'major'] as const

let world: World
beforeEach(() => {
  world = openLocalWorld()
})

/** Opens hubs that share git and the token store, as separate processes do. Each hub has its own queue. */
const openHubs = async (count: number): Promise<Hub[]> => {
  const first = await openHub(world)
  const others = Array.from({ length: count - 1 }, () => openHub(world, { state: first.state }))
  return [first, ...(await Promise.all(others))]
}
const at = <Value>(values: readonly Value[], index: number): Value => values[index % values.length]!

// src/state/publish-turns.test.ts has the queue of one process.
describe('concurrent publishes, in four processes', () => {
  test('of 8 publishes with mixed bumps, each version bumps the previous one', async () => {
    const hubs = await openHubs(4)
    const bodies = Array.from({ length: 8 }, (_, index) => ({ content: `Text ${index}\n`, bump: at(BUMPS, index) }))
    const answers = await Promise.all(bodies.map((body, index) => at(hubs, index).publish(body)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    await expectPublished(world, bodies, answers)
    const order = (await judgeHistory(world)).map((path) => path.split('/').at(-1)!.slice(0, -3))
    expect([...order].sort()).toEqual(answers.map(({ version }) => version).sort())
    expect(order[0]).toBe('1.0.0')
    expect((await hubs[0]!.readRepository()).data).toMatchObject({ latest_version: order.at(-1), versions_count: 8 })
    for (const [index, version] of order.entries()) {
      if (index === 0) continue
      const [major = 0, minor = 0, patch = 0] = order[index - 1]!.split('.').map(Number)
      const bump = bodies[answers.findIndex((answer) => answer.version === version)]!.bump
      const raised = { patch: [major, minor, patch + 1], minor: [major, minor + 1, 0], major: [major + 1, 0, 0] }
      expect(version).toBe(raised[bump].join('.'))
      expect(answers.find((answer) => answer.version === version)!.data.previous_version).toBe(order[index - 1])
    }
  })

  //  case                                expected
  test.each([
    ['a new repository', null],
    ['the latest version', '1.0.0'],
  ])('of 8 publishes that expect %s, one gets 201 and seven get 409', async (_, expected_version) => {
    const hubs = await openHubs(4)
    if (expected_version !== null) await hubs[0]!.publish({ content: 'First\n' })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        at(hubs, index).publish({ content: `Text ${index}\n`, bump: at(BUMPS, index), expected_version }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([undefined, 'version_conflict']))
    expect(await judgeHistory(world)).toHaveLength(expected_version === null ? 1 : 2)
  })
})

test('of 8 concurrent publishes with the same content, one publishes and seven are unchanged', async () => {
  const hubs = await openHubs(4)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => at(hubs, index).publish({ content: 'The same\n', title: 'Same' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201])
  expect(new Set(answers.map(({ version }) => version))).toEqual(new Set(['1.0.0']))
  expect(await judgeHistory(world)).toHaveLength(1)
})

test('8 concurrent publishes to 8 new repositories each get version 1.0.0', async () => {
  const hubs = await openHubs(4)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      at(hubs, index).publish({ content: 'x\n' }, { to: `acme/number-${index}` }),
    ),
  )
  expect(answers.map(({ status, version }) => [status, version])).toEqual(Array(8).fill([201, '1.0.0']))
  expect(await judgeHistory(world)).toHaveLength(8)
})
