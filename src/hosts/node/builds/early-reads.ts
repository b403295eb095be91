// Reads files of prompts while the first build is being made: what is asked for is made before everything else.
import type { Bytes, SiteFiles } from '../../../built/site-files.ts'
import { within } from '../../../concurrency/promises.ts'
import { DATA_FILES } from '../../../domain/api/data-paths.ts'
import { isName, isOwner } from '../../../domain/values/names.ts'

/** How long a request waits: the content must be listed before anything is made. */
const MAX_WAIT_MS = 5_000
/** How many files may be waited for at once. */
const MAX_WAITING = 100
/** When the builder forgets what it was asked: nobody waits for it any more. */
const FORGET_MS = 60_000
/** A file of one prompt alone. */
const PROMPT_FILE = /^\/data\/v1\/repos\/([^/]+)\/([^/]+?)(?:\.json|\/.+)$/

/** A file that is asked for. */
interface Ask {
  id: number
  fullName: string
  path: string
}

/**
 * The files of a site of which there is no build yet.
 *
 * @param ask asks the builder
 * @param notBuilt creates the error for what cannot be read yet
 */
export function openEarlyReads(ask: (asked: Ask) => void, notBuilt: () => Error, maxWaitMs = MAX_WAIT_MS) {
  const waiting = new Map<number, PromiseWithResolvers<Bytes | undefined> & { path: string }>()
  let lastId = 0
  let built: SiteFiles | undefined
  const files: SiteFiles = {
    async read(path) {
      if (built) return built.read(path)
      const [, owner = '', name = ''] = PROMPT_FILE.exec(path) ?? []
      if (!isOwner(owner) || !isName(name) || waiting.size >= MAX_WAITING) throw notBuilt()
      const id = ++lastId
      const answer = Promise.withResolvers<Bytes | undefined>()
      waiting.set(id, { ...answer, path })
      try {
        ask({ id, fullName: `${owner}/${name}`, path })
        return await within(maxWaitMs, answer.promise, notBuilt)
      } finally {
        waiting.delete(id)
      }
    },
  }
  return {
    files,
    /** Passes an answer of the builder on. */
    settle: (id: number, bytes: Bytes | null) => waiting.get(id)?.resolve(bytes ?? undefined),
    /** Answers everything from the first build. */
    end(files: SiteFiles) {
      built = files
      for (const { path, resolve } of waiting.values()) resolve(files.read(path))
    },
  }
}

/** What the builder knows while it makes the first build. */
interface Making {
  /** Returns a file that is made. */
  read(path: string): Bytes | undefined
  /** Returns whether a prompt is still to be made; undefined if the content has not been listed yet. */
  isListed(fullName: string): boolean | undefined
}

/** Answers `openEarlyReads` in the builder. @param reply sends an answer */
export function openEarlyAnswers(making: Making, reply: (id: number, bytes: Bytes | null) => void) {
  let left: (Ask & { untilMs: number })[] = []
  const isAnswered = ({ id, fullName, path }: Ask): boolean => {
    const [owner = '', name = ''] = fullName.split('/')
    const isMade = making.read(DATA_FILES.repository(owner, name)) !== undefined
    if (!isMade && making.isListed(fullName) !== false) return false
    reply(id, (isMade && making.read(path)) || null)
    return true
  }
  const answer = () => {
    left = left.filter((ask) => ask.untilMs > performance.now() && !isAnswered(ask))
  }
  return {
    ask(one: Ask): void {
      if (left.length < MAX_WAITING && !isAnswered(one)) left.push({ ...one, untilMs: performance.now() + FORGET_MS })
    },
    answer,
    /** Answers what can be answered now. @returns a prompt that is asked for and not made yet */
    findAsked(unmade: ReadonlyMap<string, unknown>): string | undefined {
      if (left.length > 0) answer()
      return left.find(({ fullName }) => unmade.has(fullName))?.fullName
    },
  }
}
