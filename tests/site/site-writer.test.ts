// Shows what writing a difference tells of itself when threads make most of it, each group once, whoever made it and whenever; and that it holds one file at a time.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type MakeMany, type SiteGroup, type SitePlan, writeDifference } from '../../src/site/build/site-writer.ts'

const dir = mkdtempSync(join(tmpdir(), 'site-writer-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** So many that threads are worth it. */
const SHARED = 400

test('what this thread makes, and what the others make meanwhile, is told once', async () => {
  const names = Array.from({ length: SHARED }, (_, index) => `shared ${index}`)
  const groups: SiteGroup[] = [
    { id: 'list', key: undefined, make: () => ({ files: [['/list.txt', 'new']] }) },
    { id: 'same list', key: undefined, make: () => ({ files: [['/same.txt', 'same']] }) },
    ...names.map(
      (id): SiteGroup => ({ id, key: 'new', make: () => ({ files: [] }), task: { of: 'acme/one', what: 'pages' } }),
    ),
    { id: 'kept', key: 'old', make: () => ({ files: [] }), task: { of: 'acme/two', what: 'pages' } },
  ]
  const first = await writeDifference(groups.slice(1, 2), new Map(), { dir })
  const before = new Map([
    ...first.groups,
    ['kept', { key: 'settings old', count: 1, paths: ['/kept.txt'] }],
    ['gone', { key: 'settings old', count: 2, paths: ['/gone.txt', '/list.txt'] }],
    ['shared 1', { key: 'settings old', count: 2, paths: ['/1.txt', '/1-old.txt'] }],
  ] as const)
  const steps: string[] = []
  const makeMany: MakeMany = async (tasks, onMade, meanwhile) => {
    const made = tasks.map(({ id }) => ({ id, paths: [`/${id.split(' ')[1]}.txt`] }))
    // Another thread is done with half of it before this one has made its lists.
    for (const one of made.splice(0, SHARED / 2)) onMade(one)
    steps.push('half')
    await meanwhile()
    for (const one of made) onMade(one)
    steps.push('all')
  }
  const plans: SitePlan[] = []
  let told = 0
  const difference = await writeDifference(groups, before, {
    ...{ dir, makeMany, keyOf: (key) => `settings ${key}`, onGroup: () => told++ },
    onPlanned: async (plan) => {
      // It may take its time; nothing is settled before it has ended.
      await new Promise((resolve) => setTimeout(resolve, 5))
      plans.push(plan)
      steps.push('planned')
    },
  })
  expect(steps).toEqual(['half', 'planned', 'all'])
  expect(plans).toEqual([{ changed: ['list', ...names], removed: ['gone'] }])
  expect(told).toBe(groups.length)
  expect([...difference.groups.keys()].sort()).toEqual(groups.map(({ id }) => id).sort())
  expect([...difference.changed.keys()].sort()).toEqual(['list', ...names].sort())
  expect(difference.changed.get('shared 1')).toEqual({ key: 'settings new', count: 1, paths: ['/1.txt'] })
  expect(difference.written).toHaveLength(SHARED + 1)
  expect(difference.gone.sort()).toEqual(['/1-old.txt', '/gone.txt'])
  expect(readFileSync(join(dir, 'list.txt'), 'utf8')).toBe('new')
})

test('each file of a group stands before the next is made', async () => {
  const found: boolean[] = []
  function* files(): Generator<[string, string]> {
    for (const name of ['a', 'b', 'c']) {
      yield [`/one-by-one/${name}.txt`, name]
      found.push(existsSync(join(dir, `one-by-one/${name}.txt`)))
    }
  }
  const { groups } = await writeDifference([{ id: 'many', key: 'new', make: () => ({ files: files() }) }], new Map(), {
    dir,
  })
  expect(found).toEqual([true, true, true])
  expect(groups.get('many')?.paths).toEqual(['/one-by-one/a.txt', '/one-by-one/b.txt', '/one-by-one/c.txt'])
})
