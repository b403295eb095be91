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
describe('concurrent publishes, in three processes', () => {
  test('of 6 publishes with mixed bumps, each version bumps the previous one', async () => {
    const hubs = await openHubs(3)
    const bodies = Array.from({ length: 6 }, (_, index) => ({ content: `Text ${index}\n`, bump: at(BUMPS, index) }))
    const answers = await Promise.all(bodies.map((body, index) => at(hubs, index).publish(body)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
    await expectPublished(world, bodies, answers)
    const order = (await judgeHistory(world)).map((path) => path.split('/').at(-1)!.slice(0, -3))
    expect([...order].sort()).toEqual(answers.map(({ version }) => version).sort())
    expect(order[0]).toBe('1.0.0')
    expect((await hubs[0]!.readRepository()).data).toMatchObject({ latest_version: order.at(-1), versions_count: 6 })
    for (const [index, version] of order.entries()) {
      if (index === 0) continue
      const [major = 0, minor = 0, patch = 0] = order[index - 1]!.split('.').map(Number)
      const bump = bodies[answers.findIndex((answer) => answer.version === version)]!.bump
      const raised = { patch: [major, minor, patch + 1], minor: [major, minor + 1, 0], major: [major + 1, 0, 0] }
      expect(version).toBe(raised[bump].join('.'))
      expect(answers.find((answer) => answer.version === version)!.data.previous_version).toBe(order[index - 1])
    }
  })

  test('of 6 publishes that expect the latest version, one gets 201 and five get 409', async () => {
    const hubs = await openHubs(3)
    await hubs[0]!.publish({ content: 'First\n' })
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        at(hubs, index).publish({ content: `Text ${index}\n`, bump: at(BUMPS, index), expected_version: '1.0.0' }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)])
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([undefined, 'version_conflict']))
    expect(await judgeHistory(world)).toHaveLength(2)
  })
})

test('of 6 concurrent publishes with the same content, one publishes and five are unchanged', async () => {
  const hubs = await openHubs(3)
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => at(hubs, index).publish({ content: 'The same\n', title: 'Same' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), 201])
  expect(new Set(answers.map(({ version }) => version))).toEqual(new Set(['1.0.0']))
  expect(await judgeHistory(world)).toHaveLength(1)
})

test('6 concurrent publishes to 6 new repositories each get version 1.0.0', async () => {
  const hubs = await openHubs(3)
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      at(hubs, index).publish({ content: 'x\n' }, { to: `acme/number-${index}` }),
    ),
  )
  expect(answers.map(({ status, version }) => [status, version])).toEqual(Array(6).fill([201, '1.0.0']))
  expect(await judgeHistory(world)).toHaveLength(6)
})
