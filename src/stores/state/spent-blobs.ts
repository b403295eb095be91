// Remembers what may be used once, such as the OIDC token of a CI job or the state of a sign-in, for as long as it could be used again.
import { hash } from 'node:crypto'
import { atMost } from '../../ports/at-most.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import { logTrouble } from '../../ports/log.ts'

/** One use of something that serves once. */
interface Use {
  kind: 'jti' | 'sign-ins'
  /** Names it; unique in its kind. */
  id: string
  /** Tells this use from others: with the same text it may come again. */
  use: string
  /** When it can be used no more, in milliseconds since 1970; the same at each use. */
  endsMs: number
}

/** How often what ended is removed; it is no burden before. */
const SWEEP_MS = 600_000
const SWEPT_AT_ONCE = 8

/** When each kind was swept last in a store. */
const swept = new WeakMap<BlobStore, Map<string, number>>()

/**
 * Spends something on a use: of all processes, the first that writes its use down has it. What was written is then read again, because a store may let
 * two such writes succeed, but afterwards shows both writers the same one (docs/notes/github.md section 10).
 *
 * @returns false when it was spent on another use
 * @throws HubError `unavailable` when the store is out of reach
 */
export async function spendOnce(blobs: BlobStore, { kind, id, use, endsMs }: Use, now: Date): Promise<boolean> {
  // Removing goes by the name alone, so that nothing has to be read for it.
  const key = `${kind}/${Math.ceil(endsMs / 1000)}-${hash('sha256', id)}`
  await blobs.add(key, use)
  const isOurs = (await blobs.get(key)) === use
  await removeEnded(blobs, kind, now).catch((cause: unknown) =>
    logTrouble('warning', 'What was spent and has ended could not be removed.', { cause }),
  )
  return isOurs
}

async function removeEnded(blobs: BlobStore, kind: Use['kind'], now: Date): Promise<void> {
  const times = swept.get(blobs) ?? new Map<string, number>()
  swept.set(blobs, times)
  if (now.getTime() - (times.get(kind) ?? 0) < SWEEP_MS) return
  times.set(kind, now.getTime())
  // A name without a time was written before names had one.
  const hasEnded = (key: string) => Number(/\/(\d+)-/.exec(key)?.[1] ?? 0) * 1000 < now.getTime()
  const ended = (await blobs.list(`${kind}/`)).filter(hasEnded)
  await atMost(SWEPT_AT_ONCE, ended, (key) => blobs.delete(key))
}
