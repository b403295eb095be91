// Tests fresh copies: several machines share them, they stay readable while the store is down, and they are removed
// once a build contains them.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startSweeping } from '../../../src/hosts/node/open-state.ts'
import { type CopiedVersion, copiesAhead, type FreshCopy, UNKNOWN_SOURCE } from '../../../src/state/fresh-copies.ts'
import { shareCopies } from '../../../src/state/shared-copies.ts'
import { stateUnavailable } from '../../../src/state/state-entries.ts'
import type { StateStore } from '../../../src/state/state-store.ts'
import { openCopies, openOwnCopies, rememberCopies, removeBuiltCopies } from '../../../src/state/stored-copies.ts'
import { memoryState } from '../../hubs/memory-state.ts'

const copyOf = (name: string, count: number, keptAt = Date.now()) =>
  ({
    commit: `commit-${name}-${count}`,
    kept_at: new Date(keptAt).toISOString(),
    repository: { owner: 'acme', name, versions_count: count },
    versions: Array.from({ length: count }, (_, number) => ({ version: `1.${number}.0` })),
  }) as unknown as FreshCopy
const versionOf = (name: string, version: string) =>
  ({
    commit: 'c',
    kept_at: new Date().toISOString(),
    version: { owner: 'acme', name, version },
  }) as unknown as CopiedVersion

/** Creates a store that counts its calls and can be made unavailable. */
function countCalls(state: StateStore) {
  const asked: string[] = []
  const control = { isAway: false }
  const counted: StateStore = {
    ...state,
    get(key) {
      asked.push(key)
      return control.isAway ? Promise.reject(stateUnavailable(new Error('away'))) : state.get(key)
    },
  }
  return { counted, asked, control }
}

describe('sharing copies between machines', () => {
  test('another machine sees a new copy at once; an unchanged read costs one request', async () => {
    const state = memoryState()
    const { counted, asked } = countCalls(state)
    const [one, two] = [shareCopies(state), shareCopies(counted)]
    expect(await two.find('repositories', 'acme', 'a')).toBeUndefined()
    await one.keep('versions', versionOf('a', '1.0.0'))
    await one.keep('repositories', copyOf('a', 1))
    expect((await two.find('repositories', 'acme', 'a'))?.commit).toBe('commit-a-1')
    expect((await two.find('versions', 'acme', 'a', '1.0.0'))?.version.version).toBe('1.0.0')
    expect(await two.find('versions', 'acme', 'a', '9.0.0')).toBeUndefined()
    asked.length = 0
    for (let reads = 0; reads < 5; reads++) await two.find('repositories', 'acme', 'a')
    expect(asked).toEqual(Array.from({ length: 5 }, () => 'marker/fresh-copies'))
    asked.length = 0
    await Promise.all(Array.from({ length: 100 }, () => two.find('repositories', 'acme', 'a')))
    expect(asked.length).toBeLessThanOrEqual(2)
    one.close()
    two.close()
  })

  test('keeps the later publish when two arrive out of order', async () => {
    const state = memoryState()
    const [one, two] = [shareCopies(state), shareCopies(state)]
    await one.keep('repositories', copyOf('a', 2))
    await two.keep('repositories', copyOf('a', 1))
    expect((await two.find('repositories', 'acme', 'a'))?.commit).toBe('commit-a-2')
    await two.keep('repositories', copyOf('a', 1, Date.now() + 61_000))
    expect((await one.find('repositories', 'acme', 'a'))?.commit).toBe('commit-a-1')
    one.close()
    two.close()
  })

  test('reads do not wait while the store is down, and see new copies when it is back', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const state = memoryState()
    const { counted, asked, control } = countCalls(state)
    const [one, two] = [shareCopies(state), shareCopies(counted)]
    await one.keep('repositories', copyOf('a', 1))
    expect((await two.find('repositories', 'acme', 'a'))?.commit).toBe('commit-a-1')
    control.isAway = true
    expect((await two.find('repositories', 'acme', 'a'))?.commit).toBe('commit-a-1')
    expect(await two.find('repositories', 'acme', 'b')).toBeUndefined()
    asked.length = 0
    for (let reads = 0; reads < 10; reads++) await two.find('repositories', 'acme', 'b')
    expect(asked).toEqual([])
    await one.keep('repositories', copyOf('b', 1))
    control.isAway = false
    await expect.poll(async () => (await two.find('repositories', 'acme', 'b'))?.commit).toBe('commit-b-1')
    one.close()
    two.close()
  })
})

test('a read waits at most 250 ms for a store that does not answer, and no later one waits', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.useFakeTimers()
  const state = memoryState()
  const held = Promise.withResolvers<void>()
  let isHeld = false
  const slow: StateStore = {
    ...state,
    async get(key) {
      if (isHeld) await held.promise
      return state.get(key)
    },
  }
  const copies = shareCopies(slow)
  await copies.keep('repositories', copyOf('a', 1))
  expect((await copies.find('repositories', 'acme', 'a'))?.commit).toBe('commit-a-1')
  isHeld = true
  const readsDone: string[] = []
  const read = (name: string) =>
    copies.find('repositories', 'acme', name).then((found) => readsDone.push(`${name} ${found?.commit}`))
  read('a')
  read('b')
  await vi.advanceTimersByTimeAsync(255)
  expect(readsDone.sort()).toEqual(['a commit-a-1', 'b undefined'])
  read('a')
  await vi.advanceTimersByTimeAsync(0)
  expect(readsDone).toHaveLength(3)
  // Once it answers, it is asked again.
  await openCopies(state).keep('repositories', copyOf('b', 1))
  isHeld = false
  held.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect((await copies.find('repositories', 'acme', 'b'))?.commit).toBe('commit-b-1')
  copies.close()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('a read waits longer for the files of a version, and nobody else waits with it', async () => {
  vi.useFakeTimers()
  const state = memoryState()
  const slow: StateStore = {
    ...state,
    async get(key) {
      if (key.startsWith('fresh/files/')) await new Promise((arrive) => setTimeout(arrive, 1_000))
      return state.get(key)
    },
  }
  const place = { owner: 'acme', name: 'a', version: '1.0.0' }
  const files = [{ path: 'a.txt', base64: 'YQ==' }]
  const copies = shareCopies(slow)
  await copies.keep('repositories', copyOf('a', 1))
  await copies.keep('files', { ...place, files, attestations: [], commit: 'c', kept_at: new Date().toISOString() })
  const reading = copies.find('files', 'acme', 'a', '1.0.0')
  await vi.advanceTimersByTimeAsync(500)
  expect((await copies.find('repositories', 'acme', 'a'))?.commit).toBe('commit-a-1')
  await vi.advanceTimersByTimeAsync(500)
  expect((await reading)?.files).toEqual(files)
  copies.close()
  vi.useRealTimers()
})

describe('copies in memory', () => {
  afterEach(() => vi.restoreAllMocks())

  test('a read that the store fails is missing now, and is read again soon', async () => {
    const warn = vi.spyOn(console, 'error').mockImplementation(() => {})
    let nowMs = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const state = memoryState()
    await openCopies(state).keep('repositories', copyOf('a', 1))
    const { counted, asked, control } = countCalls(state)
    const fresh = copiesAhead(rememberCopies(openCopies(counted)), () => UNKNOWN_SOURCE)
    control.isAway = true
    for (let reads = 0; reads < 3; reads++) expect(await fresh.find('repositories', 'acme', 'a')).toBeUndefined()
    expect(asked).toHaveLength(1)
    expect(warn.mock.calls.flat().join()).toContain('The store with fresh copies cannot be read.')
    control.isAway = false
    nowMs += 6_000
    await expect.poll(async () => (await fresh.find('repositories', 'acme', 'a'))?.commit).toBe('commit-a-1')
  })
})

test('a server that serves its hub alone asks the store only for copies that it may have', async () => {
  const state = memoryState()
  await openCopies(state).keep('repositories', copyOf('a', 1))
  const { counted, asked } = countCalls(state)
  const own = await openOwnCopies(counted)
  expect(asked).toEqual([])
  expect(await own.find('repositories', 'acme', 'b')).toBeUndefined()
  expect((await own.find('repositories', 'acme', 'a'))?.commit).toBe('commit-a-1')
  await own.keep('versions', versionOf('b', '1.0.0'))
  await own.keep('repositories', copyOf('b', 1))
  expect((await own.find('repositories', 'acme', 'b'))?.commit).toBe('commit-b-1')
  expect((await own.find('versions', 'acme', 'b', '1.0.0'))?.version.name).toBe('b')
  expect(asked).toEqual(['fresh/repositories/acme/a'])
})

describe('watching for publishes', () => {
  afterEach(() => vi.useRealTimers())

  test('a machine that nobody reads notices each publish on another one within seconds', async () => {
    vi.useFakeTimers()
    const state = memoryState()
    const [one, two] = [shareCopies(state), shareCopies(state)]
    const onPublish = vi.fn()
    two.watch(onPublish)
    await vi.advanceTimersByTimeAsync(10_000)
    onPublish.mockClear()
    for (const count of [1, 2]) {
      await one.keep('repositories', copyOf('a', count))
      await vi.advanceTimersByTimeAsync(2_000)
      expect(onPublish).toHaveBeenCalledTimes(count)
    }
    // A hub knows what it publishes itself.
    await two.keep('repositories', copyOf('b', 1))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(onPublish).toHaveBeenCalledTimes(2)
    two.close()
    await one.keep('repositories', copyOf('a', 3))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(onPublish).toHaveBeenCalledTimes(2)
    one.close()
  })
})

describe('removing copies', () => {
  afterEach(() => vi.useRealTimers())

  test('removes copies included in a build; keeps newer ones and those of broken repositories', async () => {
    const state = memoryState()
    const copies = openCopies(state)
    const old = Date.now() - 60_000
    await copies.keep('repositories', copyOf('built', 1, old))
    await copies.keep('repositories', copyOf('named', 1))
    await copies.keep('repositories', copyOf('ahead', 1))
    await copies.keep('repositories', copyOf('broken', 1, old))
    const source = {
      read_until: new Date(Date.now() - 30_000).toISOString(),
      commits: ['commit-named-1'],
      broken: ['acme/broken'],
    }
    expect(await removeBuiltCopies(state, source)).toBe(2)
    const found = ['built', 'named', 'ahead', 'broken'].map(
      async (name) => (await copies.find('repositories', 'acme', name)) !== undefined,
    )
    expect(await Promise.all(found)).toEqual([false, false, true, true])
  })

  test('removes expired entries every ten minutes, and copies once no other machine needs them', async () => {
    vi.useFakeTimers()
    const state = memoryState(undefined, () => Date.now())
    const copies = openCopies(state)
    await state.set('sign-ins/x', '1', { expiresAt: Date.now() + 60_000 })
    await copies.keep('repositories', copyOf('a', 1))
    let source: { read_until: string; commits: string[]; broken: string[] } | undefined
    const stop = startSweeping(state, () => source)
    await vi.advanceTimersByTimeAsync(600_000)
    expect((await state.list('')).keys).toEqual(['fresh/repositories/acme/a'])
    source = { read_until: new Date(Date.now()).toISOString(), commits: [], broken: [] }
    await vi.advanceTimersByTimeAsync(600_000)
    expect((await state.list('')).keys).toEqual([])
    await copies.keep('repositories', copyOf('b', 1))
    source = { read_until: new Date(Date.now() + 1).toISOString(), commits: [], broken: [] }
    stop()
    await vi.advanceTimersByTimeAsync(600_000)
    expect((await state.list('')).keys).toHaveLength(1)
  })
})
