// Tests the publish queue: its order, how many publishes may wait, and for how long.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TakeTurn } from '../concurrency/turns.ts'
import { createPublishTurns, shareTurns } from './publish-turns.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/**
 * Sends publishes named after their publisher (`a1` is by `a`), each of which takes one second. @returns the finished
 * publishes, in order; `!` marks rejected ones
 */
function open(takeTurn: TakeTurn) {
  const ended: string[] = []
  const send = (names: string, waitMs = 60_000) => {
    for (const name of names.split(' '))
      takeTurn({ sender: name.slice(0, 1), waitMs }, () => new Promise((done) => setTimeout(done, 1_000))).then(
        () => ended.push(name),
        ({ code, retryAfterSeconds }) => ended.push(`!${name} ${code} ${retryAfterSeconds}`),
      )
  }
  return { ended, send }
}

describe('order of the publish queue', () => {
  test('a later publisher waits for one publish of each other publisher', async () => {
    const { ended, send } = open(createPublishTurns())
    send('a1 a2 a3 a4')
    await vi.advanceTimersByTimeAsync(500)
    send('b1 b2 c1')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ended).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })

  test('a failed publish rejects for its sender and lets the next one run', async () => {
    const takeTurn = createPublishTurns()
    const failing = takeTurn({ sender: 'a', waitMs: 1_000 }, () => Promise.reject(new Error('no')))
    const next = takeTurn({ sender: 'a', waitMs: 1_000 }, async () => 'done')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('done')
  })
})

describe('turns of hubs', () => {
  /** Opens a hub's queue on a branch that it gets at once. @returns also when it took the branch and gave it back */
  function openHub() {
    const turns: string[] = []
    const takeTurn = shareTurns(createPublishTurns(), async () => {
      turns.push('taken')
      return async () => void turns.push('ended')
    })
    const send = (ms: number, waitMs = 60_000): void => {
      takeTurn({ sender: 'a', waitMs }, () => new Promise((done) => setTimeout(done, ms))).catch(() => {})
    }
    return { turns, send }
  }

  //  case                                                     publishes of ms          turns
  test.each([
    ['what waits is published in one turn', [100, 100, 100], 1],
    ['but none begins after half a second', [200, 200, 200, 200], 2],
    ['so that with a slow git host, a turn is one publish', [2_000, 2_000], 2],
  ])('%s', async (_, each, count) => {
    const { turns, send } = openHub()
    for (const ms of each) send(ms)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(turns).toEqual(Array.from({ length: count }, () => ['taken', 'ended']).flat())
  })

  test('a turn that was kept for a publish ends if that publish is given up', async () => {
    const { turns, send } = openHub()
    send(300)
    send(300, 300)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(turns.at(-1)).toBe('ended')
    send(100)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(turns.slice(-2)).toEqual(['taken', 'ended'])
  })
})

describe('rejected by the publish queue', () => {
  const REFUSED = 'unavailable 5'
  //  case                                                    total each  sent                   rejected
  test.each([
    ['nothing within the limits', 4, 2, 'a1 a2 a3 b1 b2', []],
    ['a publisher’s excess publishes', 9, 2, 'a1 a2 a3 a4 b1', ['a4']],
    ['the newest publish of the busiest publisher, when the queue is full', 4, 4, 'a1 a2 a3 a4 a5 b1', ['a5']],
    [
      'a publisher with as many publishes as the others, when the queue is full',
      4,
      4,
      'a1 a2 a3 b1 b2 b3 c1',
      ['b3', 'a3'],
    ],
    ['a new publisher, when all others have one publish each', 2, 2, 'a1 b1 c1 d1', ['d1']],
  ])('%s', async (_, most, each, sent, refused) => {
    const { ended, send } = open(createPublishTurns(most, each))
    send(sent)
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).toEqual(refused.map((name) => `!${name} ${REFUSED}`))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ended.filter((name) => !name.startsWith('!'))).toHaveLength(sent.split(' ').length - refused.length)
  })

  test('a publish that waits too long, as soon as it times out, without delaying others', async () => {
    const { ended, send } = open(createPublishTurns())
    send('a1 a2')
    send('b1', 500)
    send('b2')
    await vi.advanceTimersByTimeAsync(600)
    expect(ended).toEqual([`!b1 ${REFUSED}`])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ended.slice(1)).toEqual(['a1', 'b2', 'a2'])
  })

  test('a publish beyond the default of 30 waiting of one publisher', async () => {
    const { ended, send } = open(createPublishTurns())
    send(Array.from({ length: 33 }, (_, number) => `a${number}`).join(' '))
    await vi.advanceTimersByTimeAsync(0)
    // One publish is running and 30 are waiting.
    expect(ended).toEqual([`!a31 ${REFUSED}`, `!a32 ${REFUSED}`])
  })

  test('publishes beyond the default of 100 waiting in total', async () => {
    const { ended, send } = open(createPublishTurns())
    for (const publisher of 'abcd') send(Array.from({ length: 32 }, (_, number) => `${publisher}${number}`).join(' '))
    await vi.advanceTimersByTimeAsync(0)
    // One publish is running and a hundred are waiting; the four publishers share the queue.
    expect(ended).toHaveLength(4 * 32 - 101)
    for (const publisher of 'abcd')
      expect(ended.filter((name) => name.startsWith(`!${publisher}`)).length).toBeGreaterThanOrEqual(6)
  })
})
