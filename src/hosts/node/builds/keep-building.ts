// Runs the builder: starts it again when it ends, stops one that does not respond, and notes since when a change has been waiting for it.
import { Worker } from 'node:worker_threads'
import { describeError } from '../../../log.ts'
import { inBackground, onAbort } from '../http/background.ts'
import {
  type BuilderMessage,
  type BuilderParameters,
  type HostMessage,
  pauseAfter,
  type ReadyContent,
} from './builder-messages.ts'

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

/** Updates the content folder from git. The folder must not change again until the next call. @throws Error if git cannot be read now */
type PrepareContent = () => Promise<ReadyContent>

interface BuilderEvents {
  hear: (message: FollowMessage) => void
  beforeBuild: PrepareContent
}

/** Runs the builder until the signal aborts. @param module the module of its thread */
export function keepBuilding(
  parameters: BuilderParameters,
  signal: AbortSignal,
  { hear, beforeBuild }: BuilderEvents,
  { patience = PATIENCE, module = BUILDER }: { patience?: Patience; module?: URL } = {},
) {
  let builder: Worker | undefined
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
    if (signal.aborted) return
    silentMs = 0
    idleRoundMs = undefined
    // By default, V8 keeps more than 100 MB that it no longer needs. docs/running.md section 5
    const mine = new Worker(module, { workerData: parameters, resourceLimits: { maxYoungGenerationSizeMb: 24 } })
    builder = mine
    const answer = (message: HostMessage) => mine.postMessage(message)
    const watch = setInterval(() => {
      const trouble = findTrouble()
      if (trouble === undefined) return
      clearInterval(watch)
      hear({ kind: 'failed', message: trouble, next: 'It is being replaced.' })
      inBackground('Stopping the builder', () => mine.terminate())
    }, patience.checkMs).unref()
    mine.on('message', (message: BuilderMessage) => {
      note(message.kind)
      if (message.kind === 'begin')
        beforeBuild().then(
          (ready) => answer({ kind: 'ready', ...ready }),
          (error) => answer({ kind: 'unready', message: describeError(error) }),
        )
      else if (message.kind !== 'changed' && message.kind !== 'alive') hear(message)
    })
    let error: unknown
    mine.once('error', (cause) => {
      error = cause
    })
    mine.once('exit', (code) => {
      clearInterval(watch)
      if (signal.aborted) return
      const pauseMs = pauseAfter(failures++)
      const reason = error === undefined ? `exit code ${code}.` : describeError(error)
      hear({ kind: 'failed', message: `The builder ended: ${reason}`, next: `Restarting it in ${pauseMs / 1000} s.` })
      setTimeout(start, pauseMs).unref()
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
    /** Returns when the oldest change that is not built was noticed. */
    oldestUnbuilt: () => building ?? waiting,
  }
}
