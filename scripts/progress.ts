// Shows the progress of long tasks: one updated line on a terminal, occasional plain lines elsewhere. The only importer of ora.
import ora, { type Ora } from 'ora'

/** How often a line is drawn again on a terminal, and said again elsewhere. */
const DRAW_MS = 100
const SAY_MS = 10_000

/** Shows how far something is. */
export interface Progress {
  /** @param step what is being done, with a capital @param done of `total`; both 0 where nobody knows yet */
  show(step: string, done: number, total: number): void
  /** Removes the line, before other text is written. */
  end(): void
}

/** Opens a line of progress. @param stream where it is shown; standard output stays what a program may read @param clock in milliseconds */
export function openProgress(stream: NodeJS.WriteStream = process.stderr, clock = () => performance.now()): Progress {
  let line: Ora | undefined
  let step = ''
  let began = 0
  let shown = 0
  return {
    show(next, done, total) {
      const now = clock()
      const isNew = next !== step
      if (isNew) began = now
      if (!isNew && now - shown < (stream.isTTY ? DRAW_MS : SAY_MS)) return
      step = next
      shown = now
      const words = describe(step, { done, total, ms: now - began })
      if (!stream.isTTY) {
        stream.write(`${words}\n`)
        return
      }
      line ??= ora({ stream, discardStdin: false, isEnabled: true }).start()
      line.text = words
      // Drawn here and not by a timer, because the work may keep the thread busy for seconds.
      line.render()
    },
    end() {
      line?.stop()
      line = undefined
      step = ''
    },
  }
}

function describe(step: string, { done, total, ms }: { done: number; total: number; ms: number }): string {
  if (total === 0) return `${step} …`
  const count = `${step}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
  // An estimate from the first moments would jump about.
  return done === 0 || ms < 1_000 ? count : `${count}, ${sayTime((ms / done) * (total - done))} left`
}

function sayTime(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
