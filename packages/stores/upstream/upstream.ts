// Reads data files of another hub: each is asked for once at a time, checked, and kept, so that it can be served while that hub does not respond.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { HubError } from '../../../src/domain/api/errors.ts'
import { knownFacts, type pickFacts } from '../../../src/ports/repository-facts.ts'
import { shareRunning } from '../../../src/ports/share-running.ts'
import { type Bytes, parseBuilt } from '../../../src/ports/site-files.ts'
import type { TextWork } from '../../../src/ports/text-work.ts'
import { askProvider, unexpectedAnswer } from '../ask-provider.ts'
import { createTurns } from '../turns.ts'
import { type DiskLimits, openDiskCache } from './disk-cache.ts'
import { FACTS, findSource, type UpstreamParts, type UpstreamSource } from './upstream-paths.ts'

/** What was found for a path. */
interface FoundBytes {
  /** Undefined if there is no such file. */
  bytes: Bytes | undefined
  /** Whether the other hub could not be asked again. */
  isStale: boolean
}

/** A file that was checked, and the parts of its record. */
interface CheckedFile {
  bytes: Bytes
  parts: UpstreamParts
}

/** Another hub, whose owners this hub serves beside its own. */
export type Upstream = Awaited<ReturnType<typeof openUpstream>>

interface UpstreamOptions {
  /** The other hub's base URL. */
  url: string
  /** The folder in which files are kept. */
  dir: string
  limits?: DiskLimits
  now?: () => number
}

/** A request with this header comes from another hub, which must not be passed on: two hubs may be upstreams of each other. */
export const VIA_HEADER = 'X-Prompt-Upstream-Read'

const NAME = 'The upstream hub'
const DISK: DiskLimits = { files: 20_000, bytes: 512 * 1024 * 1024 }
const MAX_MEMORY_BYTES = 32 * 1024 * 1024
/** A list of a thousand versions has half of this. */
const MAX_FILE_BYTES = 4 * 1024 * 1024
/** How long a file that may change is served without asking again. */
const FRESH_MS = 60_000
/** How long it is served if the other hub does not respond. */
const STALE_MS = 7 * 24 * 60 * 60 * 1000
/** How long a hub that did not respond is not asked again. */
const AWAY_MS = 10_000
const MAX_MISSING = 10_000
const MAX_RUNNING = 16
const MAX_WAITING = 200
const WAIT_MS = 5_000

/** Opens another hub. It is not asked anything yet. */
export async function openUpstream({ url, dir, limits = DISK, now = Date.now }: UpstreamOptions) {
  const disk = await openDiskCache(join(dir, hash('sha256', url).slice(0, 16)), limits)
  const memory = new LRUCache<string, CheckedFile & { checkedAt: number }>({
    maxSize: MAX_MEMORY_BYTES,
    sizeCalculation: ({ bytes, parts }) =>
      [...parts.values()].reduce((sum, { length }) => sum + length, bytes.length + 1),
  })
  /** When each path was found to be missing. */
  const missing = new LRUCache<string, number>({ max: MAX_MISSING })
  const share = shareRunning<{ found: CheckedFile | undefined; isStale: boolean }>()
  const takeTurn = createTurns({
    running: { total: MAX_RUNNING, perSender: MAX_RUNNING },
    waiting: { total: MAX_WAITING, perSender: MAX_WAITING },
    refuse: () => awayError('too many requests are waiting for it'),
  })
  const inTurn = <Value>(run: () => Promise<Value>) => takeTurn({ sender: '', waitMs: WAIT_MS }, run)
  let awaySince: number | undefined
  /** Returns whether a time is less than this long ago. After a clock was set back, it is unknown how long ago it is. */
  const isWithin = (ms: number, since: number | undefined) => {
    const age = since === undefined ? -1 : now() - since
    return age >= 0 && age < ms
  }

  const awayError = (cause: unknown) =>
    new HubError('unavailable', `${NAME} does not respond, and this is not in the cache. Try again in 10 s.`, {
      cause,
      retryAfterSeconds: AWAY_MS / 1000,
    })

  const ask = async (path: string): Promise<Bytes | undefined> => {
    if (isWithin(AWAY_MS, awaySince)) throw awayError('it did not respond a moment ago')
    try {
      const answer = await askProvider(NAME, `${url}${path}`, { headers: { [VIA_HEADER]: '1' } }, MAX_FILE_BYTES)
      if (answer.status === 404 || answer.status === 410) return undefined
      if (answer.status !== 200) throw unexpectedAnswer(NAME, `status ${answer.status} for ${path}`)
      return new Uint8Array(await answer.arrayBuffer())
    } catch (thrown) {
      if (!(thrown instanceof HubError) || thrown.code !== 'unavailable') throw thrown
      awaySince = now()
      throw awayError(thrown.cause)
    }
  }

  /** Asks for a file, and checks it apart from that: a hub whose answer takes too long to check is not away. */
  const askAndCheck = async (path: string, text: TextWork): Promise<CheckedFile | undefined> => {
    const bytes = await ask(path)
    const parts = bytes && (await text.run('readUpstreamFile', path, bytes))
    if (bytes && !parts) throw unexpectedAnswer(NAME, `${path} is not the record or file that it must be`)
    return bytes && parts && { bytes, parts }
  }

  /** Returns a kept file, which is checked again when it comes from the disk. */
  const findKept = async (path: string, text: TextWork) => {
    const known = memory.get(path)
    if (known) return known
    const kept = await disk.read(path)
    const parts = kept && (await inTurn(() => text.run('readUpstreamFile', path, kept.bytes)))
    if (!kept || !parts) return undefined
    memory.set(path, { ...kept, parts })
    return { ...kept, parts }
  }

  const find = async ({ path, isImmutable }: UpstreamSource['file'], text: TextWork) => {
    const kept = await findKept(path, text)
    if (kept && (isImmutable || isWithin(FRESH_MS, kept.checkedAt))) return { found: kept, isStale: false }
    if (isWithin(FRESH_MS, missing.get(path))) return { found: undefined, isStale: false }
    try {
      const found = await inTurn(() => askAndCheck(path, text))
      if (found) {
        const fresh = { ...found, checkedAt: now() }
        memory.set(path, fresh)
        await disk.write(path, fresh)
      } else {
        missing.set(path, now())
        memory.delete(path)
        if (kept) await disk.remove(path)
      }
      return { found, isStale: false }
    } catch (thrown) {
      const isAway = thrown instanceof HubError && thrown.code === 'unavailable'
      if (isAway && kept && now() - kept.checkedAt < STALE_MS) return { found: kept, isStale: true }
      throw thrown
    }
  }

  return {
    /** Returns whose data file a path is; undefined for files that are never read from another hub. */
    ownerOf: (path: string): string | undefined => findSource(path)?.owner,
    /** Reads a data file. @param text work for the client who asks @throws HubError `unavailable` if it is not kept, and the other hub does not respond or its answer takes too long to check; `upstream_error` for an answer that is not what it must be */
    async read(path: string, text: TextWork): Promise<FoundBytes> {
      const source = findSource(path)
      if (!source) return { bytes: undefined, isStale: false }
      const { file } = source
      const { found, isStale } = await share(file.path, () => find(file, text))
      if (found && path === file.path) noteFacts(found)
      return { bytes: path === file.path ? found?.bytes : found?.parts.get(path), isStale }
    },
  }
}

/** Notes the facts of a repository's record, so that nobody parses the record for them. */
function noteFacts({ bytes, parts }: CheckedFile): void {
  const facts = knownFacts.has(bytes) ? undefined : parts.get(FACTS)
  if (!facts) return
  const latestContent = [...parts].find(([path]) => path !== FACTS)?.[1]
  knownFacts.set(bytes, { ...parseBuilt<ReturnType<typeof pickFacts>>(facts), latestContent })
}
