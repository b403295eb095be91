// Stores fresh copies in a database that several machines share, so that a version published on one of them is visible on all other machines immediately.

import { within } from '../concurrency/promises.ts'
import { logInfo, logProblem } from '../log.ts'
import type { FreshCopies } from './fresh-copies.ts'
import type { StateStore } from './state-store.ts'
import { COPIES_MARKER, type Overtaken, openCopies, rememberCopies } from './stored-copies.ts'

/** How long a read waits for the database. After a timeout, no read waits until the database has responded again. */
const PATIENCE_MS = 250
/** The same for the files of a version, which may be a megabyte and are nowhere else until a build has them. No other read waits for them. */
const FILES_PATIENCE_MS = 3_000
/** How often the marker is polled when no prompt is read: while the database does not respond, or to watch for publishes. */
const TICK_MS = 1_000
/** Two publishes to one repository within this time may be observed here in the wrong order. */
const RACE_MS = 60_000
/** How long a copy is cached, so that it disappears soon after it has expired in the store. */
const REMEMBER_MS = 3_600_000

/** Two publishes may arrive out of order: the later one has more versions, or a later time. */
const OVERTAKEN: Overtaken = {
  repositories(mine, there) {
    const isRecent = Date.parse(mine.kept_at) - Date.parse(there.kept_at) < RACE_MS
    return isRecent && there.repository.versions_count > mine.repository.versions_count
  },
  owners: (mine, there) => Date.parse(there.kept_at) > Date.parse(mine.kept_at),
}

/**
 * Opens the copies in a shared store, which are cached until the next publish. A read fetches only the marker, and concurrent reads share requests: a read waits for the pending request and then for a request that started after it, so that it never misses a publish that was confirmed earlier. A writer changes the marker after storing a copy, and only then responds.
 */
export function shareCopies(state: StateStore) {
  const stored = openCopies(state, OVERTAKEN)
  const asked: FreshCopies = {
    ...stored,
    find: (kind, ...names) =>
      ask(() => stored.find(kind, ...names), kind === 'files' ? FILES_PATIENCE_MS : PATIENCE_MS),
  }
  /** The value of the marker, and the copies that were read while it had this value. Null if the store must be read regardless of the marker. */
  let marker: string | undefined | null = null
  let copies = rememberCopies(asked, REMEMBER_MS)
  const forget = (next: typeof marker) => {
    marker = next
    copies = rememberCopies(asked, REMEMBER_MS)
  }
  let isAway = false
  let isClosed = false
  let ticking: NodeJS.Timeout | undefined
  let onPublish = () => {}
  let ownMarker: string | undefined

  const giveUp = (cause: unknown) => {
    if (isAway || isClosed) return
    isAway = true
    logProblem('warning', 'database_down', 'The database does not respond. Reads continue from the built files.', {
      cause,
    })
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
    comeBack()
  }
  const comeBack = () => {
    if (!isAway) return
    // Copies that could not be read in the meantime were cached as missing.
    forget(null)
    isAway = false
    logInfo('database_works', 'The database responds again.')
  }
  /** @returns undefined if the store failed or timed out; it is then not used for a while */
  const ask = async <Value>(question: () => Promise<Value>, patienceMs = PATIENCE_MS): Promise<Value | undefined> => {
    if (isAway) return undefined
    const answer = question()
    try {
      return await within(patienceMs, answer, () => new Error(`no response within ${patienceMs} ms`))
    } catch (error) {
      giveUp(error)
      // A store that was only slow is used again as soon as it has answered.
      answer.then(comeBack, () => {})
      return undefined
    }
  }

  const look = async (): Promise<void> => {
    const found = await ask(async () => ({ marker: (await state.get(COPIES_MARKER))?.value }))
    if (!found || found.marker === marker) return
    forget(found.marker)
    if (found.marker !== ownMarker) onPublish()
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
  const current = async (): Promise<FreshCopies> => {
    if (isAway) return copies
    if (!looking) await startLook()
    else {
      next ??= looking.then(startLook)
      await next
    }
    return copies
  }

  const shared: FreshCopies = {
    find: async (kind, ...names) => (await current()).find(kind, ...names),
    listNames: async (owner) => (await ask(() => stored.listNames(owner))) ?? [],
    async keep(kind, copy) {
      await stored.keep(kind, copy)
      const { commit, kept_at } = copy
      if (!OVERTAKEN[kind]) return
      ownMarker = `${commit} ${kept_at} ${Math.random()}`
      await state.set(COPIES_MARKER, ownMarker)
    },
  }
  return {
    ...shared,
    /** Calls a listener within seconds of each publish on another machine. It may miss one that this machine's own publish follows. */
    watch(listener: () => void): void {
      onPublish = listener
      startTicking()
    },
    close(): void {
      isClosed = true
      clearInterval(ticking)
    },
  }
}
