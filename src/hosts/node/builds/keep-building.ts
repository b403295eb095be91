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
  const changes = noteChanges()
  const start = () => {
    if (signal.aborted) return
    // By default, V8 keeps more than 100 MB that it no longer needs. docs/running.md section 5
    const mine = new Worker(module, { workerData: parameters, resourceLimits: { maxYoungGenerationSizeMb: 24 } })
    builder = mine
    const watch = watchProgress(patience, (trouble) => {
      hear({ kind: 'failed', message: trouble, next: 'It is being replaced.' })
      inBackground('Stopping the builder', () => mine.terminate())
    })
    mine.on('message', (message: BuilderMessage) => {
      watch.note(message)
      changes.note(message)
      // Only a complete round resets the count, because a builder that crashes while writing sends many messages first.
      if (message.kind === 'read') failures = 0
      if (message.kind === 'begin') inBackground('Updating the content folder from git', () => begin(mine))
      else if (message.kind !== 'changed' && message.kind !== 'alive') hear(message)
    })
    let error: unknown
    mine.once('error', (cause) => {
      error = cause
    })
    mine.once('exit', (code) => {
      watch.end()
      if (signal.aborted) return
      const pauseMs = pauseAfter(failures++)
      const reason = error === undefined ? `exit code ${code}.` : describeError(error)
      hear({ kind: 'failed', message: `The builder ended: ${reason}`, next: `Restarting it in ${pauseMs / 1000} s.` })
      setTimeout(start, pauseMs).unref()
    })
  }
  const begin = async (mine: Worker) => {
    const answer: HostMessage = await beforeBuild().then(
      (content) => ({ kind: 'ready', ...content }),
      (error: unknown) => ({ kind: 'unready', message: describeError(error) }),
    )
    mine.postMessage(answer)
  }
  start()
  // It is safe to kill at any time, because the next start uses the last complete build.
  onAbort(signal, () => builder?.terminate())
  return {
    /** Sends a message, which is a change unless it asks for something. A builder that has just ended hears nothing, because the next one reads everything. */
    send(message: HostMessage): void {
      if (message.kind !== 'ask') changes.note({ kind: 'changed' })
      builder?.postMessage(message)
    },
    /** Returns when the oldest change that is not built was noticed. */
    oldestUnbuilt: changes.oldest,
  }
}

/** Calls `onStuck` once if the builder says nothing, or if a round makes no progress. */
function watchProgress({ silenceMs, roundMs, checkMs }: Patience, onStuck: (trouble: string) => void) {
  // Counted in checks instead of read from a clock, because this process may have been stopped as well.
  let silentMs = 0
  let idleRoundMs: number | undefined
  const timer = setInterval(() => {
    silentMs += checkMs
    if (idleRoundMs !== undefined) idleRoundMs += checkMs
    const isSilent = silentMs > silenceMs
    if (!isSilent && (idleRoundMs ?? 0) <= roundMs) return
    clearInterval(timer)
    onStuck(
      isSilent
        ? `The builder has not responded for ${silenceMs / 1000} s.`
        : `The builder has made no progress for ${roundMs / 1000} s.`,
    )
  }, checkMs).unref()
  return {
    note({ kind }: BuilderMessage) {
      silentMs = 0
      if (kind === 'read' || kind === 'failed') idleRoundMs = undefined
      else if (kind !== 'alive' && kind !== 'changed') idleRoundMs = 0
    },
    end: () => clearInterval(timer),
  }
}

/** Notes when changes were noticed, until a round that began later is complete. */
function noteChanges() {
  /** The oldest change that the current round, or one that failed, includes. */
  let building: Date | undefined
  /** The oldest change since then. */
  let waiting: Date | undefined
  return {
    note({ kind }: Pick<BuilderMessage, 'kind'>) {
      if (kind === 'changed') waiting ??= new Date()
      if (kind === 'begin') {
        building ??= waiting
        waiting = undefined
      }
      if (kind === 'read') building = undefined
    },
    oldest: () => building ?? waiting,
  }
}
