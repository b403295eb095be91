// The contract tests for src/state/state-store.ts, which every driver must pass.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listKeys } from '../../../src/state/state-entries.ts'
import type { StateStore } from '../../../src/state/state-store.ts'

const START = Date.parse('2026-11-20T10:00:00Z')

/** A store that the tests close. */
type ClosableStore = StateStore & { close(): Promise<void> }

/** A driver under test. */
interface Driver {
  /** Reopens the store with a clock. Each call sees everything that earlier calls wrote. */
  open: (now: () => number) => Promise<ClosableStore>
  close?: () => Promise<void>
  /** Whether the driver guarantees that exactly one of many concurrent callers wins. */
  hasOneWinner: boolean
  /** More keys than the driver lists in one page. */
  manyKeys?: number
}

/** Runs the tests on a driver. @param openDriver called once; the store must be empty */
export function stateStoreContract(name: string, openDriver: () => Promise<Driver>): void {
  describe(name, () => {
    let driver: Driver
    let state: ClosableStore
    let other: ClosableStore
    let time = START
    beforeAll(async () => {
      driver = await openDriver()
      state = await driver.open(() => time)
      other = await driver.open(() => time)
    })
    afterAll(async () => {
      await state.close()
      await other.close()
      await driver.close?.()
    })
    const textOf = async (key: string, store = state) => (await store.get(key))?.value
    const keysOf = (prefix: string) => Array.fromAsync(listKeys(state, prefix))

    test('every process reads a value until it is deleted', async () => {
      expect(await state.get('tokens/none')).toBeUndefined()
      await state.set('tokens/one', '{"a":1}')
      expect(await textOf('tokens/one', other)).toBe('{"a":1}')
      await other.set('tokens/one', '')
      expect(await textOf('tokens/one')).toBe('')
      await state.delete('tokens/one')
      await state.delete('tokens/one')
      expect(await other.get('tokens/one')).toBeUndefined()
    })

    test.each([
      ['non-ASCII characters', 'Grüße 日本 😀 \u{10ffff} \u200b\ufeff'],
      ['line breaks and quotes', 'a\r\nb\t\'"\\;--\u0001\u2028'],
      ['256 KiB', 'x€'.repeat(65_536)],
    ])('stores unchanged: %s', async (_, value) => {
      await state.set('texts/one', value)
      expect((await textOf('texts/one')) === value).toBe(true)
    })

    test('distinguishes keys with every allowed character', async () => {
      const keys = ['k/a', 'k/A', 'k/a.b', 'k/a_b', 'k/a:b', 'k/a-b', 'k/aab']
      for (const key of keys) await state.set(key, key)
      for (const key of keys) expect(await textOf(key)).toBe(key)
      expect(await keysOf('k/')).toEqual(keys.toSorted())
    })

    test.each([[''], ['a b'], ['a%b'], ['ä'], ['a\0'], ['x'.repeat(513)]])('rejects the key %j', async (key) => {
      await expect(state.get(key)).rejects.toThrow('expected a valid state store key')
      await expect(state.set(key, 'x')).rejects.toThrow('expected a valid state store key')
    })

    test('rejects a value with NUL', async () => {
      await expect(state.set('a', 'x\0y')).rejects.toThrow('without NUL')
    })

    test('add writes only once', async () => {
      expect(await state.add('added/one', 'first')).toBe(true)
      expect(await other.add('added/one', 'second')).toBe(false)
      expect(await textOf('added/one')).toBe('first')
      await state.delete('added/one')
      expect(await other.add('added/one', 'third')).toBe(true)
    })

    test('replace writes only if the value has not changed in the meantime', async () => {
      await state.set('replaced/one', '1')
      const read = (await state.get('replaced/one'))!
      expect(await other.replace('replaced/one', '2', read.version)).toBe(true)
      expect(await state.replace('replaced/one', '3', read.version)).toBe(false)
      expect(await textOf('replaced/one')).toBe('2')
      // A value that was deleted and written again counts as a different entry, even if the value is the same.
      await state.delete('replaced/one')
      expect(await state.replace('replaced/one', '4', read.version)).toBe(false)
      await state.set('replaced/one', '1')
      expect(await state.replace('replaced/one', '4', read.version)).toBe(false)
    })

    test('an expired value reads as absent and can be added again', async () => {
      const expiresAt = time + 1_000
      await state.set('short/set', 'x', { expiresAt })
      expect(await state.add('short/added', 'x', { expiresAt })).toBe(true)
      const { version } = (await state.get('short/set'))!
      time = expiresAt - 1
      expect(await textOf('short/set')).toBe('x')
      expect(await other.add('short/added', 'y')).toBe(false)
      time = expiresAt
      expect(await state.get('short/set')).toBeUndefined()
      expect(await state.replace('short/set', 'y', version)).toBe(false)
      expect(await other.add('short/added', 'y', { expiresAt: time + 1_000 })).toBe(true)
      expect(await state.add('short/added', 'z')).toBe(false)
      expect(await textOf('short/added')).toBe('y')
    })

    test('removing expired values removes nothing else', async () => {
      await state.removeExpired()
      await state.set('swept/lasts', 'x')
      await state.set('swept/later', 'x', { expiresAt: time + 2 })
      await state.set('swept/now', 'x', { expiresAt: time + 1 })
      // A new write without an expiry time removes the previous expiry time.
      await state.set('swept/kept', 'x', { expiresAt: time + 1 })
      await state.set('swept/kept', 'y')
      await state.set('swept/replaced', 'x', { expiresAt: time + 1 })
      await state.replace('swept/replaced', 'y', (await state.get('swept/replaced'))!.version)
      time += 1
      expect(await other.removeExpired()).toBe(1)
      expect(await keysOf('swept/')).toEqual(['swept/kept', 'swept/lasts', 'swept/later', 'swept/replaced'])
      expect(await state.removeExpired()).toBe(0)
    })

    test('lists contain every key of a prefix once, in order, across pages', async () => {
      const keys = Array.from(
        { length: driver.manyKeys ?? 1_050 },
        (_, number) => `many/${String(number).padStart(5, '0')}`,
      )
      for (let from = 0; from < keys.length; from += 50)
        await Promise.all(keys.slice(from, from + 50).map((key) => state.set(key, '')))
      await state.set('many-others/1', '')
      await state.set('man', '')
      const listed = await keysOf('many/')
      expect(listed).toHaveLength(keys.length)
      expect(listed).toEqual(keys)
      expect(await keysOf('many/0001')).toEqual(keys.slice(10, 20))
      expect(await keysOf('many/none')).toEqual([])
    })

    test('of many concurrent adds, one wins', async () => {
      const stores = [state, other]
      for (let round = 0; round < 5; round++) {
        const won = await Promise.all(
          Array.from({ length: 20 }, (_, number) => stores[number % 2]!.add(`race/${round}`, `${number}`)),
        )
        const winners = won.flatMap((isWinner, number) => (isWinner ? [`${number}`] : []))
        if (driver.hasOneWinner) expect(winners).toEqual([await textOf(`race/${round}`)])
        // Whatever the store returned, all processes read the same value afterwards.
        expect(await textOf(`race/${round}`)).toBe(await textOf(`race/${round}`, other))
      }
    })

    test('of many concurrent replaces, one wins', async () => {
      await state.set('race/replaced', '0')
      for (let round = 0; round < 5; round++) {
        const read = (await state.get('race/replaced'))!
        const stores = [state, other]
        const won = await Promise.all(
          Array.from({ length: 10 }, (_, number) =>
            stores[number % 2]!.replace('race/replaced', `${round}-${number}`, read.version),
          ),
        )
        const winners = won.flatMap((isWinner, number) => (isWinner ? [`${round}-${number}`] : []))
        if (driver.hasOneWinner) expect(winners).toEqual([await textOf('race/replaced')])
        else expect(winners.length).toBeGreaterThan(0)
      }
    })

    test('a counter incremented concurrently loses no increment', async () => {
      await state.set('count/one', '0')
      const raise = async (store: ClosableStore) => {
        for (;;) {
          const { value, version } = (await store.get('count/one'))!
          if (await store.replace('count/one', `${Number(value) + 1}`, version)) return
        }
      }
      // If the driver lets several callers win, the calls run one after another.
      const raises = Array.from({ length: 20 }, (_, number) => () => raise(number % 2 ? state : other))
      if (driver.hasOneWinner) await Promise.all(raises.map((start) => start()))
      else for (const start of raises) await start()
      expect(await textOf('count/one')).toBe('20')
    })
  })
}
