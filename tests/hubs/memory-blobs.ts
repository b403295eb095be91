// A blob store in memory, optionally slow.
import type { BlobStore } from '../../src/ports/blob-store.ts'

/** A blob store in memory. @param pause waited for before each call */
export function memoryBlobs(pause: () => Promise<void> = async () => {}): BlobStore & { texts: Map<string, string> } {
  const texts = new Map<string, string>()
  return {
    texts,
    get: async (key) => {
      await pause()
      return texts.get(key)
    },
    set: async (key, text) => {
      await pause()
      texts.set(key, text)
    },
    add: async (key, text) => {
      await pause()
      const isNew = !texts.has(key)
      if (isNew) texts.set(key, text)
      return isNew
    },
    delete: async (key) => {
      await pause()
      texts.delete(key)
    },
    list: async (prefix) => [...texts.keys()].filter((key) => key.startsWith(prefix)),
  }
}
