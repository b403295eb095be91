// Keeps the served site up to date: a thread, the builder, builds the changed content, and the server switches to each build atomically once it is complete. A builder that ends is started again, and one that does not respond is replaced.
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { hashCode } from '../../../build/code-hash.ts'
import { readLastBuild } from '../../../built/site-database.ts'
import type { Config } from '../../../config.ts'
import { HubError } from '../../../domain/api/errors.ts'
import { countOf } from '../../../domain/text/plain-text.ts'
import { describeError, logInfo, logProblem } from '../../../log.ts'
import { isAhead, type openOrderClock, UNKNOWN_SOURCE, type WriteOrigin } from '../../../state/fresh-copies.ts'
import { addUnbuilt, type Health, STARTING } from '../health.ts'
import { inBackground, onAbort } from '../http/background.ts'
import { type SearchThreads, startSearchThreads, type ThreadedSearch } from '../search-threads.ts'
import { type BuilderMessage, type BuilderParameters, type HostMessage, pauseAfter } from './builder-messages.ts'
import { openEarlyReads } from './early-reads.ts'
import type { Site } from './site.ts'
import { type LockedFolder, lockFolder, OLD_BUILD_MS, removeAbandoned, type SiteBuild } from './site-folder.ts'
import { openSnapshots } from './snapshots.ts'

/** Delay between startup and cleanup, so that the cleanup does not slow down the first responses. */
const TIDY_MS = 5_000

const AFTER_BUILD_MS = 100

/** How long a write waits for the build that includes it. Less than clients wait for an answer, of which most of the time is for git. */
const MAX_WAIT_MS = 2_000

/** The clock of `followContent`, and its callbacks. */
interface FollowEvents {
  /** Orders publishes and builds. */
  order: ReturnType<typeof openOrderClock>
  /** Called when the first build is served, before anything is logged about it. */
  onFirst: () => void
  /** Called a moment after the content of a round is served: the writes that wait for it are answered first. @param seconds how long the round took */
  onBuilt: (seconds: number) => void
  /** Called when a build fails, or when the builder ends. */
  onFailed: () => void
  /** Reports the progress of the first build, while nothing is being served; `total` is 0 if the step's length is unknown. */
  onProgress: (step: string, done: number, total: number) => void
}

/**
 * Serves the last complete build immediately if the same version of the code built it, and follows the content until the signal aborts. If a build fails, the current build is still served, the log and `/healthz` report the reason, and the build is retried with increasing delays.
 */
export function followContent(
  config: Config,
  signal: AbortSignal,
  { order, onFirst, onBuilt, onFailed, onProgress }: FollowEvents,
) {
  const folder = lockFolder(config.contentDir, config.baseUrl)
  const early = openEarlyReads((asked) => builder.send({ kind: 'ask', ...asked }), notBuilt)
  // What was published before is in the content that is being read.
  const source = { ...UNKNOWN_SOURCE, read_until: new Date().toISOString() }
  const first: Site = { source, files: early.files, search: refuse, checkWritable: refuse }
  /** The newest complete build; until there is one, a site that has the files of prompts, and responds with 503 to everything else. */
  const served = { site: first }
  let threads: SearchThreads | undefined
  let search: { name: string; opened: ThreadedSearch } | undefined
  let health: Health = STARTING
  let said = ''
  /** Resolved and replaced when another build is served, or when one fails. */
  let next = Promise.withResolvers<void>()
  const tellWaiting = () => {
    next.resolve()
    next = Promise.withResolvers()
  }
  let endLast = () => {}
  const ready = Promise.withResolvers<void>()
  // The first build may fail before anyone awaits it; later callers still get the error.
  ready.promise.catch(() => {})

  const openNewest = openSnapshots(folder.database, {
    baseUrl: config.baseUrl,
    isForReaders: config.readAccess.kind === 'members',
  })
  /** Shows the newest build. @throws Error if it cannot be opened; the previous build is then still served */
  const show = (): SiteBuild => {
    let isDamaged = false
    const { build, files, end } = openNewest(() => {
      if (!isDamaged) builder.send({ kind: 'damaged' })
      isDamaged = true
    })
    const { name } = build.search
    if (search?.name !== name) {
      threads ??= startSearchThreads()
      search = { name, opened: threads.open(folder.file(name), { isEdited: true }) }
      // Not after an edit, when the first query takes 4 ms more with 10,000 prompts, and this one 15.
      inBackground('Warming the search', search.opened.warm)
    }
    const { opened } = search
    setTimeout(endLast, OLD_BUILD_MS).unref()
    endLast = end
    if (served.site === first) {
      early.end(files)
      onFirst()
      ready.resolve()
    }
    served.site = {
      files,
      search: () => opened,
      broken: new Map(Object.entries(build.broken)),
      used: new Map(Object.entries(build.used)),
      source: build.source,
    }
    const { commit, built_at, counts } = build
    health = {
      ...health,
      status: health.broken.length > 0 || health.failure !== null ? 'degraded' : 'ok',
      commit,
      built_at,
      counts,
    }
    tellWaiting()
    return build
  }

  let showing: NodeJS.Timeout | undefined
  /** Shows a new build. If its files cannot be opened now, for example because the disk is full, this is tried again. */
  const showNew = (failures = 0) => {
    clearTimeout(showing)
    try {
      const build = show()
      logInfo('build_served', `Serving the content as of ${build.began}: ${formatCounts(build.counts)}.`, {
        commit: build.commit,
        ...build.counts,
      })
    } catch (error) {
      const pauseMs = pauseAfter(failures)
      showing = setTimeout(() => showNew(failures + 1), pauseMs).unref()
      hear({ kind: 'failed', message: describeError(error), next: `Retrying in ${pauseMs / 1000} s.` })
    }
  }

  const hear = (message: FollowMessage) => {
    if (message.kind === 'failed') onFailed()
    if (message.kind === 'early') early.settle(message.id, message.bytes)
    else if (message.kind === 'progress') {
      if (served.site === first) onProgress(message.step, message.done, message.total)
    } else if (message.kind === 'polling') {
      health = { ...health, polling: message.reason }
      logProblem('warning', 'watching_failed', message.reason)
    } else if (message.kind === 'built') {
      showNew()
    } else if (message.kind === 'read') {
      const { problems, ignored } = message
      health = { ...health, status: problems.length > 0 ? 'degraded' : 'ok', broken: problems, failure: null }
      const seconds = (Date.now() - Date.parse(message.began)) / 1000
      setTimeout(() => onBuilt(seconds), AFTER_BUILD_MS).unref()
      const broken = problems.length > 0 ? describeBroken(problems) : []
      const words = [...(ignored ? [ignored] : []), ...broken].join('\n')
      if (words !== said && words !== '') logProblem('warning', 'content_broken', words)
      said = words
    } else if (served.site === first) ready.reject(new Error(message.message))
    else {
      const failure = `${message.message}\n${message.next}`
      health = { ...health, status: 'degraded', failure }
      logProblem('error', 'build_failed', `The build failed; the previous build is still being served.\n${failure}`)
      tellWaiting()
    }
  }

  // It starts while this thread opens the last build, so that the first publish finds it ready.
  const builder = keepBuilding({ dir: folder.dir, contentDir: config.contentDir, lastOrder: order.last }, signal, hear)
  let isLastBroken = false
  if (hasLastBuild(folder)) {
    try {
      const last = show()
      logInfo(
        'last_build_served',
        `Serving the build from ${last.built_at} while the content is being read: ${formatCounts(last.counts)}.`,
      )
    } catch (cause) {
      isLastBroken = true
      logProblem('warning', 'build_unreadable', 'The last build cannot be opened, so everything is built again.', {
        cause,
      })
    }
  }
  if (served.site === first) logInfo('building', 'Building the site …')
  if (isLastBroken) builder.send({ kind: 'damaged' })
  setTimeout(() => inBackground('Removing sites without content', removeAbandoned), TIDY_MS).unref()
  onAbort(signal, () => {
    ready.resolve()
    threads?.close()
    folder.release()
  })
  return {
    served,
    /** The build being served and any problems, for `/healthz`. */
    health: () => addUnbuilt(health, builder.oldestUnbuilt(), new Date()),
    /** Resolves once a build is being served; rejects if the first build fails and there is no other build to serve. */
    ready: ready.promise,
    /** Rereads a repository that was written on this server. Called before the write gets its place in the order of publishes and builds. */
    noteWrite: (fullName: string) => builder.send({ kind: 'written', fullName }),
    /** Waits until the build that is served includes a write, so that lists, tags and search have it, too. Not for long, and not while builds fail. @returns whether it does; not if the last valid data of the repository or owner is served instead */
    async advance({ owner, name, ...write }: WriteOrigin): Promise<boolean> {
      const late = sleep(MAX_WAIT_MS, undefined, { ref: false })
      const endsAt = performance.now() + MAX_WAIT_MS
      while (
        isAhead(write, '', undefined, { ...served.site.source, broken: [] }) &&
        health.failure === null &&
        performance.now() < endsAt
      )
        await Promise.race([next.promise, late])
      return !isAhead(write, owner, name, served.site.source)
    },
    /** Rereads the content, of which there is another commit. */
    noteMove: () => builder.send({ kind: 'moved' }),
    /** Replaces the content folder while nothing reads it. */
    replaceContent: builder.replaceContent,
  }
}

function refuse(): never {
  throw notBuilt()
}

function notBuilt(): HubError {
  return new HubError('unavailable', 'The site is being built for the first time. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  })
}

/** Returns whether this code made the last complete build. */
function hasLastBuild(folder: LockedFolder): boolean {
  return readLastBuild(folder.database, hashCode(process.cwd()).data) !== undefined
}

function formatCounts({ repositories, versions, owners }: SiteBuild['counts']): string {
  return [countOf(repositories, 'prompt'), countOf(versions, 'version'), countOf(owners, 'owner')].join(', ')
}

const MAX_NAMED = 20

function describeBroken(problems: readonly string[]): string[] {
  const rest = problems.length > MAX_NAMED ? [`  and ${problems.length - MAX_NAMED} more`] : []
  const title = `${countOf(problems.length, 'problem')} in the content; the last valid versions of the affected files are served:`
  return [title, ...problems.slice(0, MAX_NAMED).map((problem) => `  ${problem}`), ...rest]
}

const BUILDER = new URL('builder-thread.ts', import.meta.url)

/** When a builder counts as stuck. */
interface Patience {
  /** How long it may say nothing: it does so while it writes the search index of a large hub. */
  silenceMs: number
  /** How long a round may last without progress, although the builder runs: it may wait for a program that does not end. */
  roundMs: number
  /** How often to check. */
  checkMs: number
}

const PATIENCE: Patience = { silenceMs: 180_000, roundMs: 600_000, checkMs: 5_000 }

/** A message that concerns the served site. */
export type FollowMessage = Exclude<BuilderMessage, { kind: 'begin' | 'changed' | 'alive' }>

/** Runs the builder until the signal aborts. @param module the module of its thread */
export function keepBuilding(
  parameters: BuilderParameters,
  signal: AbortSignal,
  hear: (message: FollowMessage) => void,
  { patience = PATIENCE, module = BUILDER }: { patience?: Patience; module?: URL } = {},
) {
  let builder: Worker | undefined
  let restarting: NodeJS.Timeout | undefined
  let failures = 0
  // Counted in checks instead of read from a clock, because this process may have been stopped as well.
  let silentMs = 0
  /** How long the current round has made no progress. */
  let idleRoundMs: number | undefined
  /** When the oldest change was noticed that the current round, or one that failed, includes. */
  let building: Date | undefined
  /** When the oldest change since then was noticed. */
  let waiting: Date | undefined
  const note = (kind: BuilderMessage['kind']) => {
    silentMs = 0
    if (kind === 'changed') waiting ??= new Date()
    if (kind === 'begin') {
      building ??= waiting
      waiting = undefined
    }
    if (kind === 'read') {
      building = undefined
      // Only a complete round resets the count, because a builder that crashes while writing sends many messages first.
      failures = 0
    }
    if (kind === 'read' || kind === 'failed') idleRoundMs = undefined
    else if (kind !== 'alive' && kind !== 'changed') idleRoundMs = 0
  }
  /** Returns why a builder counts as stuck. */
  const findTrouble = () => {
    silentMs += patience.checkMs
    if (idleRoundMs !== undefined) idleRoundMs += patience.checkMs
    if (silentMs > patience.silenceMs) return `The builder has not responded for ${patience.silenceMs / 1000} s.`
    if ((idleRoundMs ?? 0) > patience.roundMs)
      return `The builder has made no progress for ${patience.roundMs / 1000} s.`
    return undefined
  }
  const start = () => {
    clearTimeout(restarting)
    if (signal.aborted) return
    silentMs = 0
    idleRoundMs = undefined
    // By default, V8 keeps more than 100 MB that it no longer needs. docs/running.md section 5
    const mine = new Worker(module, { workerData: parameters, resourceLimits: { maxYoungGenerationSizeMb: 24 } })
    builder = mine
    const watch = setInterval(() => {
      const trouble = findTrouble()
      if (trouble === undefined) return
      clearInterval(watch)
      hear({ kind: 'failed', message: trouble, next: 'It is being replaced.' })
      inBackground('Stopping the builder', () => mine.terminate())
    }, patience.checkMs).unref()
    mine.on('message', (message: BuilderMessage) => {
      note(message.kind)
      if (message.kind !== 'begin' && message.kind !== 'changed' && message.kind !== 'alive') hear(message)
    })
    let error: unknown
    mine.once('error', (cause) => {
      error = cause
    })
    mine.once('exit', (code) => {
      clearInterval(watch)
      if (signal.aborted || builder !== mine) return
      const pauseMs = pauseAfter(failures++)
      const reason = error === undefined ? `exit code ${code}.` : describeError(error)
      hear({ kind: 'failed', message: `The builder ended: ${reason}`, next: `Restarting it in ${pauseMs / 1000} s.` })
      restarting = setTimeout(start, pauseMs).unref()
    })
  }
  start()
  // It is safe to kill at any time, because the next start uses the last complete build.
  onAbort(signal, () => builder?.terminate())
  return {
    /** Sends a message, which is a change unless it asks for something. A builder that has just ended hears nothing, because the next one reads everything. */
    send(message: HostMessage): void {
      if (message.kind !== 'ask') waiting ??= new Date()
      builder?.postMessage(message)
    },
    /** Stops the builder, with the processes that it reads the content with, and starts it again after the replacement. @throws what `replace` throws */
    async replaceContent(replace: () => Promise<void>): Promise<void> {
      const last = builder
      builder = undefined
      clearTimeout(restarting)
      await last?.terminate()
      await replace().finally(start)
    },
    /** Returns when the oldest change that is not built was noticed. */
    oldestUnbuilt: () => building ?? waiting,
  }
}
