// Keeps what the builder has listed and read of the history, so that the next process starts with what changed since.
import { hash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import type { ContentHistory } from '../../../content/content-history.ts'
import type { SeenContent } from '../../../content/content-source.ts'
import { inBackground } from '../http/background.ts'

/** What is kept. */
interface Kept {
  seen: SeenContent
  history: ContentHistory
}

/** After this many changed prompts, it is kept again. */
const KEEP_AFTER = 500
/** It is kept in a pause of the builder. */
const PAUSE_MS = 3_000
const DIGEST_BYTES = 32
const digest = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer')

/** @param code the hash of the code: that of other code is not used */
export function openKeeper(path: string, code: string) {
  /** How many prompts changed since it was kept. */
  let changed = 0
  let timer: NodeJS.Timeout | undefined
  const keep = ({ seen, history }: Kept) => {
    const bytes = serialize({ code, seen, history: { ...history, touched: new Set() } })
    // The file is written as a whole, or not at all.
    writeFileSync(`${path}.next`, Buffer.concat([digest(bytes), bytes]))
    renameSync(`${path}.next`, path)
    changed = 0
  }
  return {
    /** @returns undefined if there is none of this code, or if it is damaged: then everything is listed again */
    read(): Kept | undefined {
      try {
        const file = readFileSync(path)
        const bytes = file.subarray(DIGEST_BYTES)
        if (!digest(bytes).equals(file.subarray(0, DIGEST_BYTES))) return undefined
        const { code: by, ...kept }: Kept & { code: string } = deserialize(bytes)
        return by === code ? kept : undefined
      } catch {
        return undefined
      }
    },
    /** Notes what a round found. */
    note(prompts: ReadonlySet<string> | 'all'): void {
      changed += prompts === 'all' ? KEEP_AFTER : prompts.size
    },
    /** Keeps it within seconds if enough has changed. @param find returns undefined if the builder is busy by then */
    keepSoon(find: () => Kept | undefined): void {
      if (changed < KEEP_AFTER || timer) return
      timer = setTimeout(() => {
        timer = undefined
        inBackground('Keeping what was listed', () => {
          const kept = find()
          if (kept) keep(kept)
        })
      }, PAUSE_MS).unref()
    },
  }
}
