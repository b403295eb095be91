// Prints results on standard output, and everything else on standard error, so that neither can control a terminal.

/** The width of a character in a terminal: East Asian wide characters and emoji take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** One line of text: control characters and line breaks become spaces, and invisible characters, such as bidi marks, are removed, except those that join emoji. */
export function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/(?!\u200d)\p{Cf}/gu, '')
}

/** Prints a message on standard error. */
export function complain(sentence: string): void {
  process.stderr.write(`prompt-hub: ${clean(sentence)}\n`)
}

/** Prints a message only for a person. */
export function note(sentence: string): void {
  if (process.stderr.isTTY) complain(sentence)
}

/** Prints a line of the result. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a value as JSON. */
export function sayJson(value: unknown): void {
  say(JSON.stringify(value, null, 2))
}

/** Prints bytes as they are, but without control characters on a terminal. */
export function sayBytes(bytes: Uint8Array): void {
  if (!process.stdout.isTTY) {
    process.stdout.write(bytes)
    return
  }
  const text = new TextDecoder().decode(bytes)
  process.stdout.write(
    text
      .split('\n')
      .map((line) => line.split('\t').map(clean).join('\t'))
      .join('\n'),
  )
}

/** Prints rows with columns of the same width. @param head printed for a person only, so that a script finds a result in the first line */
export function sayTable(head: readonly string[], rows: readonly (readonly string[])[], hasHead: boolean): void {
  const all = rows.map((row) => row.map((cell) => clean(cell).trim().split(/\s+/).join(' ')))
  const shown = (process.stdout.isTTY || hasHead) && all.length > 0 ? [head, ...all] : all
  const widths = head.map((_, column) => Math.max(0, ...shown.map((row) => widthOf(row[column] ?? ''))))
  for (const row of shown)
    say(
      row
        .map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
}

function widthOf(text: string): number {
  return [...text].reduce((sum, each) => sum + (/\p{M}/u.test(each) ? 0 : WIDE.test(each) ? 2 : 1), 0)
}

/** Ends the process when the reader of a pipe has closed it, as `head` does. */
export function endWithReader(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') complain('cannot write to standard output')
    process.exit(code === 'EPIPE' ? 141 : 1)
  })
  process.stderr.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 141 : 1))
}

/** Ends the process after a signal such as Ctrl-C, but not while it writes; a second signal ends it at once. */
export function endAfterSignals(): void {
  for (const [signal, number] of [
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const)
    process.once(signal, async () => {
      const { finishWriting } = await import('../files.ts')
      await finishWriting()
      process.exit(128 + number)
    })
}
