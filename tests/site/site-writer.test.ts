// Shows what writing a difference tells of itself when threads make most of it, each group once, whoever made it and whenever; and that it holds one file at a time.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type MakeMany, type SiteGroup, type SitePlan, writeDifference } from '../../src/site/build/site-writer.ts'
import { openBuildCache } from '../../src/stores/build-cache.ts'

const dir = mkdtempSync(join(tmpdir(), 'site-writer-'))
const ledger = openBuildCache(join(dir, 'cache.db'), { parser: '1', site: '1' })
const options = { dir, ledger, makeTask: () => ({ files: [] }) }
afterAll(() => {
  ledger.close()
  rmSync(dir, { recursive: true, force: true })
})

/** So many that threads are worth it. */
const SHARED = 400

test('what this thread makes, and what the others make meanwhile, is told once', async () => {
  const names = Array.from({ length: SHARED }, (_, index) => `shared ${index}`)
  const groups: SiteGroup[] = [
    { id: 'list', key: undefined, make: () => ({ files: [['/list.txt', 'new']] }) },
    { id: 'same list', key: undefined, make: () => ({ files: [['/same.txt', 'same']] }) },
    ...names.map((id): SiteGroup => ({ id, key: 'new', task: { of: 'acme/one', what: 'pages' } })),
    { id: 'kept', key: 'old', task: { of: 'acme/two', what: 'pages' } },
  ]
  await writeDifference(groups.slice(1, 2), new Map(), options)
  ledger.stage('kept', { key: 'settings old', count: 1 }, ['/kept.txt'])
  ledger.stage('gone', { key: 'settings old', count: 2 }, ['/gone.txt', '/list.txt'])
  ledger.stage('shared 1', { key: 'settings old', count: 2 }, ['/1.txt', '/1-old.txt'])
  ledger.save([], '')
  const before = ledger.loadGroups()
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
  const told: [number, number][] = []
  const difference = (await writeDifference(groups, before, {
    ...{ ...options, makeMany, keyOf: (key) => `settings ${key}`, onGroups: (...counts) => told.push(counts) },
    onPlanned: async (plan) => {
      // It may take its time; nothing is settled before it has ended.
      await new Promise((resolve) => setTimeout(resolve, 5))
      plans.push(plan)
      steps.push('planned')
    },
  }))!
  expect(steps).toEqual(['half', 'planned', 'all'])
  expect(plans).toEqual([{ changed: ['list', ...names], removed: ['gone'] }])
  // Those that stay as they are at once, and then one after the other.
  expect(told).toEqual(Array.from({ length: groups.length }, (_, index) => [index + 1, groups.length]))
  expect([...difference.groups.keys()].sort()).toEqual(groups.map(({ id }) => id).sort())
  expect(difference.changed.toSorted()).toEqual(['list', ...names].sort())
  expect(difference.groups.get('shared 1')).toEqual({ key: 'settings new', count: 1 })
  expect(ledger.readPaths('shared 1')).toEqual(['/1.txt'])
  expect(difference.written).toHaveLength(SHARED + 1)
  expect(difference.count).toBe(SHARED + 1)
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
  await writeDifference([{ id: 'many', key: 'new', make: () => ({ files: files() }) }], new Map(), options)
  expect(found).toEqual([true, true, true])
  expect(ledger.readPaths('many')).toEqual(['/one-by-one/a.txt', '/one-by-one/b.txt', '/one-by-one/c.txt'])
})

test('nothing is written or asked for when what was written before is not there', async () => {
  const asked: string[] = []
  const group = (id: string, key: string) => ({
    ...{ id, key },
    make: () => {
      asked.push(id)
      return { files: [[`/${id}`, id]] as [string, string][] }
    },
  })
  const before = new Map([['same', { key: 'old', count: 1 }]])
  const write = (confirm: () => boolean | Promise<boolean>) =>
    writeDifference([group('same', 'old'), group('other', 'new')], before, {
      ...{ ...options, confirm },
      onPlanned: () => void asked.push('planned'),
    })
  expect(await write(async () => false)).toBeUndefined()
  expect(asked).toEqual([])
  const difference = await write(async () => asked.push('confirmed') > 0)
  expect(asked).toEqual(['confirmed', 'other', 'planned'])
  expect(difference?.written).toEqual(['/other'])
})
