// Runs the build process: starts it again when it exits, stops one that does not respond, and notes since when a change has been waiting for it.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describeError } from '../../../src/ports/log.ts'
import { inBackground, onAbort } from '../http/background.ts'
import { type BuilderMessage, type HostMessage, pauseAfter, type ReadyContent } from './builder-messages.ts'

const BUILDER = fileURLToPath(new URL('builder-process.ts', import.meta.url))

/** When a build process counts as stuck. */
interface Patience {
  /** How long it may say nothing: it does so while it writes the search index of a large hub. */
  silenceMs: number
  /** How long a round may last without progress, although the process runs: it may wait for a program that does not end. */
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

/** Runs the build process until the signal aborts. @param parameters the parameters of the process */
export function keepBuilding(
  parameters: readonly string[],
  signal: AbortSignal,
  { hear, beforeBuild }: BuilderEvents,
  patience: Patience = PATIENCE,
) {
  let child: ChildProcess | undefined
  let failures = 0
  const changes = noteChanges()
  const start = () => {
    if (signal.aborted) return
    // Its messages for people go to standard error, which is shown. Astro prints to standard output, which is hidden.
    child = fork(BUILDER, parameters, {
      env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
      // By default, V8 keeps more than 100 MB that it no longer needs. docs/running.md section 5
      execArgv: ['--max-semi-space-size=8'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // In its own process group, so that Ctrl-C reaches only this process, which then stops the builder.
      detached: true,
      serialization: 'advanced',
    })
    const mine = child
    const watch = watchProgress(patience, (trouble) => {
      hear({ kind: 'failed', message: trouble, next: 'It is being replaced.' })
      mine.kill('SIGKILL')
    })
    mine.on('message', (message: BuilderMessage) => {
      watch.note(message)
      changes.note(message)
      // Only a complete round resets the count, because a builder that crashes while writing sends many messages first.
      if (message.kind === 'read') failures = 0
      if (message.kind === 'begin') inBackground('Updating the content folder from git', () => begin(mine))
      else if (message.kind !== 'changed' && message.kind !== 'alive') hear(message)
    })
    let isOver = false
    const replace = (trouble: string) => {
      watch.end()
      if (isOver || signal.aborted) return
      isOver = true
      const pauseMs = pauseAfter(failures++)
      hear({ kind: 'failed', message: trouble, next: `Restarting it in ${pauseMs / 1000} s.` })
      setTimeout(start, pauseMs).unref()
    }
    // A process that could not be started does not exit.
    mine.once(
      'error',
      (error) => mine.pid === undefined && replace(`The build process cannot be started: ${error.message}.`),
    )
    mine.once('exit', (code, ending) => replace(`The build process exited with ${code ?? ending}.`))
  }
  const begin = async (mine: ChildProcess) => {
    const answer: HostMessage = await beforeBuild().then(
      (content) => ({ kind: 'ready', ...content }),
      (error: unknown) => ({ kind: 'unready', message: describeError(error) }),
    )
    tell(mine, answer)
  }
  start()
  // It is safe to kill at any time, because the next start uses the last complete build.
  onAbort(signal, () => child?.kill('SIGKILL'))
  return {
    /** Sends a message, which is a change. Sends nothing to a process that has just exited, because the next process reads everything. */
    send(message: HostMessage): void {
      changes.note({ kind: 'changed' })
      if (child) tell(child, message)
    },
    /** Returns when the oldest change that is not built was noticed. */
    oldestUnbuilt: changes.oldest,
  }
}

function tell(child: ChildProcess, message: HostMessage): void {
  if (child.connected) child.send(message, () => {})
}

/** Calls `onStuck` once if the process says nothing, or if a round makes no progress. */
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
        ? `The build process has not responded for ${silenceMs / 1000} s.`
        : `The build process has made no progress for ${roundMs / 1000} s.`,
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
