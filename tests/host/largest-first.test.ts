// Tests who makes room at a shared limit, against a slow but obvious way to choose.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Held, pickLargestFirst } from '../../packages/node-server/http/largest-first.ts'

/** Removes one after another: the oldest of the largest /64 in the largest /56 of the largest /48. */
function pickSlowly(held: readonly Held[]): Held[] {
  const left = [...held]
  const picked: Held[] = []
  while (left.length > 0) {
    let among = left
    for (const level of [2, 1, 0]) {
      const groups = Object.values(Object.groupBy(among, ({ networks }) => networks[level]!)).map((group) => group!)
      const most = Math.max(...groups.map(({ length }) => length))
      // Of equally large networks, any may be the one; the property below compares only sizes.
      among = groups.find(({ length }) => length === most)!
    }
    const oldest = among.reduce((a, b) => (a.sinceMs <= b.sinceMs ? a : b))
    picked.push(oldest)
    left.splice(left.indexOf(oldest), 1)
  }
  return picked
}

const client = fc
  .tuple(fc.nat(2), fc.nat(2), fc.nat(2))
  .map(([wide, middle, narrow]) => [`${wide}.${middle}.${narrow}/64`, `${wide}.${middle}/56`, `${wide}/48`])
const holders = fc.array(client, { maxLength: 60 }).chain((clients) =>
  fc.shuffledSubarray(
    clients.map((networks, sinceMs) => ({ networks, sinceMs })),
    { minLength: clients.length },
  ),
)

/** The number that each network holds at one level, largest first. */
const sizes = (held: readonly Held[], level: number) =>
  Object.values(Object.groupBy(held, ({ networks }) => networks[level]!))
    .map((group) => group!.length)
    .sort((a, b) => b - a)

test('leaves networks of the same sizes as removing one after another, whatever is held', () => {
  fc.assert(
    fc.property(holders, fc.nat(60), (held, count) => {
      const left = (picked: readonly Held[]) => held.filter((one) => !picked.includes(one))
      const [ours, slow] = [pickLargestFirst(held, count || 1), pickSlowly(held).slice(0, count || 1)]
      expect(sizes(left(ours), 2)).toEqual(sizes(left(slow), 2))
    }),
  )
})

test('picks only the oldest of each network', () => {
  fc.assert(
    fc.property(holders, fc.integer({ min: 1, max: 60 }), (held, count) => {
      const picked = new Set(pickLargestFirst(held, count))
      for (const one of picked)
        for (const other of held)
          if (other.networks[0] === one.networks[0] && other.sinceMs < one.sinceMs) expect(picked).toContain(other)
    }),
  )
})

const held = (name: string, sinceMs: number, ...networks: string[]) => ({ name, sinceMs, networks })
const namesOf = (picked: readonly { name: string }[]) => picked.map(({ name }) => name)

test('one /48 counts as one network, however many /64s it uses', () => {
  const wide = [1, 2, 3].map((number) => held(`wide ${number}`, number, `${number}/64`, `${number}/56`, 'w/48'))
  const other = [4, 5].map((number) => held(`other ${number}`, number, '192.0.2.1'))
  expect(namesOf(pickLargestFirst([...other, ...wide], 1))).toEqual(['wide 1'])
  expect(namesOf(pickLargestFirst([...wide.slice(0, 1), ...other], 1))).toEqual(['other 4'])
})

test('what belongs to no network comes last, the oldest first', () => {
  const [proxy, older, client] = [held('proxy', 2), held('older', 1), held('client', 3, '192.0.2.1')]
  expect(namesOf(pickLargestFirst([proxy, client, older], 3))).toEqual(['client', 'older', 'proxy'])
})
