// An in-memory state store, optionally with a delay.
import type { StateStore } from '../../src/state/state-store.ts'

/**
 * Creates an in-memory state store.
 *
 * @param pause awaited before each call
 * @param now a clock in milliseconds since 1970; if omitted, the time is always 0 and nothing expires
 */
export function memoryState(
  pause: () => Promise<void> = async () => {},
  now: () => number = () => 0,
): StateStore & { texts: Map<string, string> } {
  const texts = new Map<string, string>()
  const ends = new Map<string, number | undefined>()
  const versions = new Map<string, number>()
  let writes = 0
  const find = (key: string) => ((ends.get(key) ?? Infinity) > now() ? texts.get(key) : undefined)
  const write = (key: string, text: string, expiresAt: number | undefined) => {
    texts.set(key, text)
    ends.set(key, expiresAt)
    versions.set(key, ++writes)
  }
  const versionOf = (key: string) => String(versions.get(key) ?? 0)
  return {
    texts,
    get: async (key) => {
      await pause()
      const value = find(key)
      return value === undefined ? undefined : { value, version: versionOf(key) }
    },
    set: async (key, text, { expiresAt } = {}) => {
      await pause()
      write(key, text, expiresAt)
    },
    add: async (key, text, { expiresAt } = {}) => {
      await pause()
      const isNew = find(key) === undefined
      if (isNew) write(key, text, expiresAt)
      return isNew
    },
    replace: async (key, text, version, { expiresAt } = {}) => {
      await pause()
      const isSame = find(key) !== undefined && versionOf(key) === version
      if (isSame) write(key, text, expiresAt)
      return isSame
    },
    delete: async (key) => {
      await pause()
      texts.delete(key)
    },
    list: async (prefix) => ({
      keys: [...texts.keys()].filter((key) => key.startsWith(prefix)).sort(),
      next: undefined,
    }),
    removeExpired: async () => {
      const ended = [...texts.keys()].filter((key) => find(key) === undefined)
      for (const key of ended) texts.delete(key)
      return ended.length
    },
  }
}
