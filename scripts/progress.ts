// Shows the progress of long tasks: one updated line on a terminal, occasional plain lines elsewhere.

/** Interval between redraws on a terminal. */
const DRAW_MS = 100
/** Interval between plain lines when the output is not a terminal. */
const SAY_MS = 10_000

export interface Progress {
  /** @param step the current step, capitalised @param done how much of `total` is done; both are 0 if the progress is unknown */
  show(step: string, done: number, total: number): void
  /** Removes the line before other text is written. */
  end(): void
}

/** Opens a progress line. @param stream where the line is shown; standard output is reserved for data @param clock returns milliseconds @param say prints a plain line */
export function openProgress(
  stream: NodeJS.WriteStream = process.stderr,
  clock = () => performance.now(),
  say: (words: string) => void = (words) => stream.write(`${words}\n`),
): Progress {
  let step = ''
  let began = 0
  let shown = 0
  const clear = () => {
    stream.cursorTo(0)
    stream.clearLine(1)
  }
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
        say(words)
        return
      }
      clear()
      // A line that wraps could not be removed. Some terminals report a width of 0.
      stream.write(words.slice(0, (stream.columns || 80) - 1))
    },
    end() {
      if (step !== '' && stream.isTTY) clear()
      step = ''
    },
  }
}

function describe(step: string, { done, total, ms }: { done: number; total: number; ms: number }): string {
  if (total === 0) return `${step} …`
  const count = `${step}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
  // An early estimate would fluctuate.
  return done === 0 || ms < 1_000 ? count : `${count}, ${formatTime((ms / done) * (total - done))} left`
}

function formatTime(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
