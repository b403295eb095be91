// Stores fresh copies in a database that several machines share, so that a version published on one of them is visible on all other machines immediately.
import { LRUCache } from 'lru-cache'
import type { CopiedVersion, CopyOrigin, CopyStore, FreshCopy, OwnerCopy } from '../../../src/ports/fresh-copies.ts'
import { logProblem } from '../../../src/ports/log.ts'
import type { StateStore } from '../../../src/ports/state-store.ts'
import { COPIES_MARKER, MAX_REMEMBERED, MAX_VERSIONS, openCopies, type Remembered, remember } from './fresh-copies.ts'

/** How long a read waits for the database. After a timeout, no read waits until the database has responded again. */
const PATIENCE_MS = 3_000
/** How often the marker is polled when no prompt is read: while the database does not respond, or to watch for publishes. */
const TICK_MS = 1_000
/** Two publishes to one repository within this time may be observed here in the wrong order. */
const RACE_MS = 60_000
/** How long a copy is cached, so that it disappears soon after it has expired in the store. */
const REMEMBER_MS = 3_600_000

/** The copies that were read while the marker had one value. */
interface Generation {
  /** Null if the store must be read regardless of the marker. */
  marker: string | undefined | null
  copies: Remembered<FreshCopy>
  versions: Remembered<CopiedVersion>
  owners: Remembered<OwnerCopy>
}

interface SharedCopies extends CopyStore {
  /** Calls a listener within seconds of each publish on any machine. */
  watch: (onPublish: () => void) => void
  close: () => void
}

/**
 * Opens the copies in a shared store, which are cached until the next publish. A read fetches only the marker, and concurrent reads share requests: a read waits for the pending request and then for a request that started after it, so that it never misses a publish that was confirmed earlier. A writer changes the marker after storing a copy, and only then responds.
 */
export function shareCopies(state: StateStore): SharedCopies {
  const stored = openCopies(state)
  let generation = begin(null)
  let isAway = false
  let isClosed = false
  let ticking: NodeJS.Timeout | undefined
  let onPublish = () => {}

  const giveUp = (cause: unknown) => {
    if (isAway || isClosed) return
    isAway = true
    logProblem('warning', 'The database does not respond. Reads continue from the built files.', { cause })
    startTicking()
  }
  const startTicking = () => {
    ticking ??= setInterval(() => (isAway ? tryAgain() : current()), TICK_MS).unref()
  }
  const tryAgain = async () => {
    try {
      await state.get(COPIES_MARKER)
    } catch {
      return
    }
    if (!isAway) return
    // Copies that could not be read in the meantime were cached as missing.
    generation = begin(null)
    isAway = false
    console.log('The database responds again.')
  }
  /** @returns undefined if the store failed or timed out; it is then not used for a while */
  const ask = async <Value>(question: () => Promise<Value>): Promise<Value | undefined> => {
    if (isAway) return undefined
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no response within ${PATIENCE_MS} ms`)), PATIENCE_MS)
    })
    try {
      return await Promise.race([question(), late])
    } catch (error) {
      giveUp(error)
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  const look = async (): Promise<void> => {
    const found = await ask(async () => ({ marker: (await state.get(COPIES_MARKER))?.value }))
    if (!found || found.marker === generation.marker) return
    generation = begin(found.marker)
    onPublish()
  }
  let looking: Promise<void> | undefined
  let next: Promise<void> | undefined
  const startLook = (): Promise<void> => {
    next = undefined
    const mine = look().finally(() => {
      if (looking === mine) looking = undefined
    })
    looking = mine
    return mine
  }
  const current = async (): Promise<Generation> => {
    if (isAway) return generation
    if (!looking) await startLook()
    else {
      next ??= looking.then(startLook)
      await next
    }
    return generation
  }

  const changeMarker = ({ commit, kept_at }: CopyOrigin) =>
    state.set(COPIES_MARKER, `${commit} ${kept_at} ${Math.random()}`)
  const findIn = ({ copies }: Generation, owner: string, name: string) =>
    remember(copies, `${owner}/${name}`, () => ask(() => stored.find(owner, name)))
  return {
    find: async (owner, name) => findIn(await current(), owner, name),
    async findVersion(owner, name, version) {
      const now = await current()
      const copy = await findIn(now, owner, name)
      if (!copy?.versions.some((listed) => listed.version === version)) return undefined
      const key = `${owner}/${name}/${version}`
      return remember(now.versions, key, () => ask(() => stored.findVersion(owner, name, version)))
    },
    findOwner: async (handle) => remember((await current()).owners, handle, () => ask(() => stored.findOwner(handle))),
    listNames: async (owner) => (await ask(() => stored.listNames(owner))) ?? [],
    findFiles: async (owner, name, version) => ask(() => stored.findFiles(owner, name, version)),
    keepFiles: (kept) => stored.keepFiles(kept),
    keepVersion: (kept) => stored.keepVersion(kept),
    async keep(copy) {
      await stored.keepNewer(copy, isOvertaken)
      await changeMarker(copy)
    },
    async keepOwner(copy) {
      await stored.keepNewerOwner(copy, (mine, there) => Date.parse(there.kept_at) > Date.parse(mine.kept_at))
      await changeMarker(copy)
    },
    watch(listener) {
      onPublish = listener
      startTicking()
    },
    close() {
      isClosed = true
      clearInterval(ticking)
    },
  }
}

/** Returns whether an existing copy belongs to a later publish that another machine stored first. */
function isOvertaken(mine: FreshCopy, there: FreshCopy): boolean {
  const isRecent = Date.parse(mine.kept_at) - Date.parse(there.kept_at) < RACE_MS
  return isRecent && there.repository.versions_count > mine.repository.versions_count
}

function begin(marker: Generation['marker']): Generation {
  return {
    marker,
    copies: new LRUCache({ max: MAX_REMEMBERED, ttl: REMEMBER_MS }),
    versions: new LRUCache({ max: MAX_VERSIONS, ttl: REMEMBER_MS }),
    owners: new LRUCache({ max: MAX_REMEMBERED, ttl: REMEMBER_MS }),
  }
}
